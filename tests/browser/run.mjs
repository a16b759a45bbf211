// Runs the browser tests, two files at a time, and ends with `N passed, N failed`.
//
//   node tests/browser/run.mjs [NAME]...     only the files whose names hold one of these
// @ts-check
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { BIN, DIST, OUT } from "./paths.mjs";

for (const [what, path] of [["page", join(DIST, "index.html")], ["command", BIN]]) {
  if (!existsSync(path)) {
    console.error(`the ${what} is not built: run .ci/test`);
    process.exit(1);
  }
}
mkdirSync(OUT, { recursive: true });

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".spec.mjs"))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort()
  .map((name) => join(here, name));

let passed = 0;
let failed = 0;
let skipped = 0;
/** Tests without tests inside: a group's own line would be counted twice. */
const isLeaf = (/** @type {any} */ data) => data.details?.type !== "suite" && !files.includes(data.name);

// Two at a time: alone a page leaves a third of two cores idle. None of them measures time.
const events = run({ files, concurrency: 2, timeout: 15 * 60_000 });
events.on("test:pass", (data) => {
  // Of a group that is skipped its own line is all there is.
  if (data.details?.type === "suite" && data.skip !== undefined) skipped += 1;
  if (!isLeaf(data)) return;
  if (data.skip !== undefined) skipped += 1;
  else passed += 1;
});
events.on("test:fail", (data) => {
  // A file that breaks outside its tests counts too.
  if (data.details?.type !== "suite") failed += 1;
});
events.compose(new spec()).pipe(process.stdout);
events.on("end", () => {
  // After the reporter's own closing lines.
  setImmediate(() => {
    if (skipped > 0) console.log(`${skipped} skipped`);
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  });
});
