// What the built page is made of: its bill of materials names every crate in its modules.
// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIST, ROOT } from "./paths.mjs";

/** Crates of the standard library, which is named as a whole. */
const OF_STD = ["dlmalloc", "hashbrown", "rustc-demangle", "addr2line", "gimli", "memchr"];

test("the bill of materials beside the page is that of its modules", () => {
  const text = readFileSync(join(DIST, "sbom.cdx.json"), "utf8");
  assert.equal(text, execFileSync("node", [join(ROOT, ".ci/sbom.mjs"), "-"], { cwd: ROOT, encoding: "utf8" }));
  const named = new Set(JSON.parse(text).components.map((/** @type {any} */ one) => `${one.name} ${one.version}`));
  assert.ok(named.size > 20, `${named.size} crates`);
  for (const module of ["app_bg.wasm", "worker_bg.wasm"]) {
    // The place of a panic holds its crate's folder.
    const wasm = readFileSync(join(DIST, module), "latin1");
    const inside = new Set([...wasm.matchAll(/\/([\w-]+)-(\d+\.\d+\.\d+[\w.+-]*)\/src\//g)].map(([, name, version]) => `${name} ${version}`));
    assert.ok(inside.size > 3, `${module}: ${inside.size} crates by their panics`);
    for (const one of inside) assert.ok(named.has(one) || OF_STD.includes(one.split(" ")[0]), `${one} in ${module}`);
  }
});
