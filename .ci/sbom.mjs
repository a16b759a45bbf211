// The bill of materials of the published page, as CycloneDX 1.5: every crate whose code is in the two
// modules, with version, licence and checksum, and which uses which. Taken from the lock file for the
// page's target and features; what only builds (macros, build scripts) or tests is not in it. No time and
// no number of its own: one commit gives one file.
//
//   node .ci/sbom.mjs [FILE]       dist/sbom.cdx.json unless told; - for standard output
// @ts-check
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** The page's target and features, as trunk builds it. */
const TARGET = "wasm32-unknown-unknown";
const FEATURES = "web";

/** @typedef {{ id: string, name: string, version: string, license: string, source: string | null, targets: { kind: string[] }[], repository: string | null }} Package */
/** @typedef {{ id: string, deps: { pkg: string, dep_kinds: { kind: string | null, target: string | null }[] }[] }} Node */

/**
 * What cargo says; first of what is there: a machine without a network can build too.
 * @param {string[]} args
 */
function cargo(...args) {
  const run = (/** @type {string[]} */ ...more) =>
    execFileSync("cargo", [...args, "--locked", `--features=${FEATURES}`, ...more], {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "ignore"],
    });
  try {
    return run("--offline");
  } catch {
    return run();
  }
}

/** @type {{ packages: Package[], resolve: { root: string, nodes: Node[] } }} */
const { packages, resolve } = JSON.parse(cargo("metadata", "--format-version=1", `--filter-platform=${TARGET}`));
const packageOf = new Map(packages.map((one) => [one.id, one]));
const nodeOf = new Map(resolve.nodes.map((one) => [one.id, one]));

/**
 * What is linked, as `name version`: the metadata's graph is that of all features together, the tests' too,
 * and has some crates more.
 */
const tree = new Set(
  cargo("tree", `--target=${TARGET}`, "--edges=normal,no-proc-macro", "--prefix=none", "--format={p}")
    .split("\n")
    .map((line) => line.split(" ").slice(0, 2).join(" ").replace(" v", " ")),
);

/** What of a package's dependencies ends in the module. @param {string} id */
function linked(id) {
  const deps = nodeOf.get(id)?.deps ?? [];
  const normal = deps.filter((one) => one.dep_kinds.some((kind) => kind.kind === null)).map((one) => one.pkg);
  return normal.filter((dep) => {
    const one = packageOf.get(dep);
    return one !== undefined && tree.has(`${one.name} ${one.version}`);
  });
}

/** @type {Set<string>} */
const inside = new Set();
for (const open = [resolve.root]; open.length > 0; ) {
  const id = /** @type {string} */ (open.pop());
  if (inside.has(id)) continue;
  inside.add(id);
  open.push(...linked(id));
}

/** Checksums by name and version. */
const checksums = new Map(
  readFileSync("Cargo.lock", "utf8")
    .split("[[package]]")
    .map((part) => {
      const field = (/** @type {string} */ name) => new RegExp(`^${name} = "(.*)"$`, "m").exec(part)?.[1];
      return /** @type {const} */ ([`${field("name")}@${field("version")}`, field("checksum")]);
    }),
);

/** @param {Package} one */
const purl = (one) => `pkg:cargo/${one.name}@${one.version.replaceAll("+", "%2B")}`;
/** Older crates part their licences by a slash. @param {string} licence */
const expression = (licence) => licence.replaceAll(/\s*\/\s*/g, " OR ");
/** @param {Package} one */
const component = (one) => ({
  type: one.id === resolve.root ? "application" : "library",
  "bom-ref": purl(one),
  name: one.name,
  version: one.version,
  ...(checksums.get(`${one.name}@${one.version}`) && {
    hashes: [{ alg: "SHA-256", content: checksums.get(`${one.name}@${one.version}`) }],
  }),
  licenses: [{ expression: expression(one.license) }],
  purl: purl(one),
});

const all = [...inside].map((id) => /** @type {Package} */ (packageOf.get(id)));
const byName = (/** @type {Package} */ a, /** @type {Package} */ b) => (purl(a) < purl(b) ? -1 : 1);
const root = /** @type {Package} */ (packageOf.get(resolve.root));
// Rust's own library is linked into each module too; its version is the compiler's.
const rustc = execFileSync("rustc", ["--version"], { encoding: "utf8" }).split(" ")[1];
const std = `pkg:generic/rust-std@${rustc}`;

const bom = {
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  metadata: { component: component(root) },
  components: [
    ...all.filter((one) => one !== root).sort(byName).map(component),
    { type: "library", "bom-ref": std, name: "rust-std", version: rustc, licenses: [{ expression: "MIT OR Apache-2.0" }], purl: std },
  ],
  dependencies: all.sort(byName).map((one) => ({
    ref: purl(one),
    dependsOn: linked(one.id).map((id) => purl(/** @type {Package} */ (packageOf.get(id)))).sort(),
  })),
};
const text = `${JSON.stringify(bom, null, 1)}\n`;
const [file = "dist/sbom.cdx.json"] = process.argv.slice(2);
if (file === "-") process.stdout.write(text);
else writeFileSync(file, text);
