// Where the tests find what they test. Each can be set from outside to look at another build.
// @ts-check
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(fileURLToPath(new URL("../..", import.meta.url)));
/** The built page. */
export const DIST = resolve(process.env.ODDNODE_DIST ?? join(ROOT, "dist"));
/** The built command. */
export const BIN = resolve(process.env.ODDNODE_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "release/oddnode"));
/** Labelled runs; not part of the repository. */
export const DATA = resolve(process.env.ODDNODE_SHARED ?? join(ROOT, "../shared"), "data");
/** The file of tests that runs, `look` of `look.spec.mjs`; nothing for what measures or writes. */
const spec = /^(.+)\.spec\.mjs$/.exec(basename(process.argv[1] ?? ""))?.[1] ?? "";
/** Screenshots and made files, those of each file of tests in a folder of their own; ignored by git. */
export const OUT = join(ROOT, "tests/browser/out", spec);
/** The sample that the page offers. */
export const SAMPLE = join(ROOT, "www/sample.tar.gz");
