// Where the tests find what they test. Each can be set from outside to look at another build.
// @ts-check
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(fileURLToPath(new URL("../..", import.meta.url)));
/** The built page. */
export const DIST = resolve(process.env.ODDNODE_DIST ?? join(ROOT, "dist"));
/** The built command. */
export const BIN = resolve(process.env.ODDNODE_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "release/oddnode"));
/** Labelled runs; not part of the repository. */
export const DATA = resolve(process.env.ODDNODE_SHARED ?? join(ROOT, "../shared"), "data");
/** Screenshots and made files; ignored by git. */
export const OUT = join(ROOT, "tests/browser/out");
/** The sample that the page offers. */
export const SAMPLE = join(ROOT, "www/sample.tar.gz");
