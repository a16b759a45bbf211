// Reports what the page weighs, brotli'd as hosts send it, and fails above the ceilings.
//
//   node .ci/size.mjs DIST
// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** Everything that a first visit fetches. */
const FIRST_LOAD_BYTES = 350_000;
/** The module without which the page does nothing; the workers' comes after it. */
const PAGE_MODULE_BYTES = 120_000;
/** Fetched on demand, not on a first visit. */
const ON_DEMAND = /\.tar\.gz$/;
/** The page's module; trunk may put a hash between. */
const PAGE_MODULE = /^app(-.*)?_bg\.wasm$/;

const [dist = "dist"] = process.argv.slice(2);
const names = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(join(dist, "/").length))
  .sort();

let firstLoad = 0;
let pageModule = 0;
console.log("     bytes    brotli");
for (const name of names) {
  const bytes = readFileSync(join(dist, name));
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const packed = brotliCompressSync(bytes, quality).length;
  if (!ON_DEMAND.test(name)) firstLoad += packed;
  if (PAGE_MODULE.test(name)) pageModule += packed;
  console.log(`${String(bytes.length).padStart(10)}${String(packed).padStart(10)}  ${name}${ON_DEMAND.test(name) ? "  (on demand)" : ""}`);
}

let over = false;
for (const [what, size, ceiling] of /** @type {const} */ ([
  ["first load", firstLoad, FIRST_LOAD_BYTES],
  ["page module", pageModule, PAGE_MODULE_BYTES],
])) {
  const verdict = size === 0 ? "MISSING" : size > ceiling ? "TOO LARGE" : "ok";
  over ||= verdict !== "ok";
  console.log(`${what}: ${size} of ${ceiling} bytes brotli: ${verdict}`);
}
process.exit(over ? 1 : 0);
