// Reports what the page weighs, brotli'd as hosts send it, and fails above the ceilings.
//
//   node .ci/size.mjs DIST
// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

// The same code becomes some hundred bytes more or less on another machine: names of symbols, which order the
// functions, hold hashes of where the crates lie. The ceilings are half a percent above what was reached.

/**
 * What a visit fetches at once: with it the page can be used and files be chosen. It must
 * come quickly over a slow line.
 */
const PAGE_BYTES = 266_100;
/** The largest part of it. */
const PAGE_MODULE_BYTES = 240_600;
/**
 * Fetched when there is something to read: logs or a shared link. The goal for page and
 * worker together is GOAL_BYTES, of which the worker alone is three times
 * (docs/speed.md). This ceiling holds what is reached.
 */
const WORKER_BYTES = 1_183_000;
/** Of both together; told, not enforced. */
const GOAL_BYTES = 350_000;
/** Fetched by a click only, or by nobody's page: the bill of materials. */
const ON_DEMAND = /\.tar\.gz$|^sbom\./;
/** The worker's files. */
const WORKER = /^worker[-_.]/;
/** The page's module; trunk may put a hash between. */
const PAGE_MODULE = /^app(-.*)?_bg\.wasm$/;

const [dist = "dist"] = process.argv.slice(2);
const names = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(join(dist, "/").length))
  .sort();

let page = 0;
let pageModule = 0;
let worker = 0;
console.log("     bytes    brotli");
for (const name of names) {
  const bytes = readFileSync(join(dist, name));
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const packed = brotliCompressSync(bytes, quality).length;
  if (WORKER.test(name)) worker += packed;
  else if (!ON_DEMAND.test(name)) page += packed;
  if (PAGE_MODULE.test(name)) pageModule += packed;
  console.log(`${String(bytes.length).padStart(10)}${String(packed).padStart(10)}  ${name}${ON_DEMAND.test(name) ? "  (on demand)" : ""}`);
}

let over = false;
for (const [what, size, ceiling] of /** @type {const} */ ([
  ["page", page, PAGE_BYTES],
  ["its module", pageModule, PAGE_MODULE_BYTES],
  ["worker", worker, WORKER_BYTES],
])) {
  const verdict = size === 0 ? "MISSING" : size > ceiling ? "TOO LARGE" : "ok";
  over ||= verdict !== "ok";
  console.log(`${what}: ${size} of ${ceiling} bytes brotli: ${verdict}`);
}
console.log(`page and worker: ${page + worker} bytes brotli, the goal is ${GOAL_BYTES}`);
process.exit(over ? 1 : 0);
