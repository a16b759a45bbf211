// Traces of system calls and metrics: their views, with and without control runs.
// @ts-check
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PATIENCE_MS, start } from "./harness.mjs";
import { DATA, OUT } from "./paths.mjs";

const run = (/** @type {string} */ name) => join(DATA, "hadoop1", `${name}.tar.gz`);
const skip = existsSync(run("s05")) ? false : "no labelled runs beside the repository";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

describe("system calls and metrics", { skip }, () => {
  test("control runs let the calls name node and cause, step by step", async () => {
    const visit = await site.visit();
    await visit.page.getByTestId("choose-files").setInputFiles(run("s05"));
    await visit.ready();
    const alone = JSON.parse(String(await visit.report()));
    const calls = (/** @type {any} */ report) => {
      const witnesses = report.witnesses.filter((/** @type {any} */ w) => w.method.startsWith("syscall-"));
      assert.ok(witnesses.length > 0, "the calls are heard");
      return witnesses;
    };
    assert.ok(calls(alone).every((/** @type {any} */ w) => w.abstained === "no-baseline"), "nothing to compare with");

    await visit.page.getByTestId("choose-controls").setInputFiles([run("s01"), run("s07")]);
    await visit.page.getByTestId("baseline").filter({ hasText: "bands of system calls" }).waitFor({ timeout: PATIENCE_MS });
    await visit.ready();
    const report = JSON.parse(String(await visit.report()));
    for (const witness of calls(report)) assert.deepEqual(witness.indicted, ["h102"], witness.method);
    assert.deepEqual(report.verdict.culprits.map((/** @type {any} */ c) => [c.node, c.cause]), [["h102", "network"]]);

    const view = visit.page.getByTestId("view-syscalls");
    await view.scrollIntoViewIfNeeded();
    await visit.drawn();
    const table = (await visit.page.getByTestId("table-syscalls").textContent()) ?? "";
    for (const word of ["connect", "h102"]) assert.ok(table.includes(word), word);
    for (const scheme of /** @type {const} */ (["light", "dark"])) {
      await visit.page.emulateMedia({ colorScheme: scheme });
      await visit.page.screenshot({ path: join(OUT, `calls-${scheme}.png`), fullPage: true });
    }
    await visit.page.setViewportSize({ width: 390, height: 844 });
    await visit.resized();
    await visit.page.screenshot({ path: join(OUT, "calls-390.png"), fullPage: true });
    const wider = await visit.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wider <= 0, `the page is ${wider} px wider than the window`);
    await visit.close();
  });

  test("metrics of every node are drawn and told in a table", async () => {
    const visit = await site.visit();
    await visit.page.getByTestId("choose-files").setInputFiles(run("r33"));
    await visit.ready();
    await visit.page.waitForFunction(() => document.querySelector('[data-testid="table-system"]')?.textContent?.includes("iowait"));
    const table = (await visit.page.getByTestId("table-system").textContent()) ?? "";
    for (const word of ["h101", "h106", "iowait"]) assert.ok(table.includes(word), word);
    await visit.page.getByTestId("view-system").screenshot({ path: join(OUT, "system.png") });
    await visit.close();
  });

  test("metrics are drawn of a saved report, as means", async () => {
    const visit = await site.visit();
    await visit.choose("choose-files", run("r33"));
    await visit.ready();
    const path = join(OUT, "metrics-report.json");
    writeFileSync(path, await visit.report());
    await visit.close();
    const other = await site.visit();
    await other.choose("choose-files", path);
    await other.ready();
    await other.page.waitForFunction(() => document.querySelector('[data-testid="table-system"]')?.textContent?.includes("iowait"));
    const table = (await other.at("table-system").textContent()) ?? "";
    // A hundred and five seconds, two to a mean.
    for (const node of ["h101", "h104", "h106"]) assert.match(table, new RegExp(`${node}iowait%53`));
    assert.equal(await other.at("view-syscalls").first().isVisible(), false);
    await other.at("view-system").screenshot({ path: join(OUT, "system-of-report.png") });
    await other.close();
  });

  test("without metrics or calls their views stay away", async () => {
    const visit = await site.visit();
    await visit.page.getByTestId("choose-files").setInputFiles(join(DATA, "hadoop3", "y04.tar.gz"));
    await visit.ready();
    for (const id of ["view-system", "view-syscalls"]) assert.equal(await visit.page.getByTestId(id).isVisible(), false, id);
    await visit.close();
  });
});
