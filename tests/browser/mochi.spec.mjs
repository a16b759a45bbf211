// Swimlanes and data flows: drawn, told in tables, zoomed, chosen from, saved.
// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { OUT, SAMPLE } from "./paths.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

test("swimlanes and flows of the sample are drawn and told in tables", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.drawn();
  for (const name of ["swimlanes", "swimlanes-nodes", "swimlanes-detailed", "flows-matrix", "flows-diagram", "flows-paths", "flows-path"]) {
    const table = visit.page.getByTestId(`table-${name}`);
    await table.waitFor({ state: "attached" });
    assert.ok(((await table.textContent()) ?? "").length > 40, name);
  }
  const paths = (await visit.page.getByTestId("table-flows-paths").textContent()) ?? "";
  assert.ok(paths.includes("group 1"), paths.slice(0, 200));
  await visit.page.getByTestId("view-swimlanes").screenshot({ path: join(OUT, "swimlanes.png") });
  await visit.page.getByTestId("view-flows").screenshot({ path: join(OUT, "flows.png") });
  await visit.close();
});

test("rows are sorted another way on request", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  const view = visit.page.getByTestId("view-swimlanes");
  await visit.drawn();
  const pixels = () => view.locator('figure[data-figure="swimlanes"] canvas').evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());
  const before = await pixels();
  await view.getByRole("button", { name: "duration", exact: true }).click();
  await view.getByText("by duration").first().waitFor();
  await visit.drawn();
  assert.notEqual(await pixels(), before, "the lanes lie in another order");
  await visit.close();
});

test("the intervals are saved as trace events", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  const download = await visit.download("save-trace-events");
  const file = JSON.parse(readFileSync(await download.path(), "utf8"));
  const slices = file.traceEvents.filter((/** @type {any} */ e) => e.ph === "X");
  assert.ok(slices.length > 10 && slices.every((/** @type {any} */ e) => e.dur >= 0 && Number.isInteger(e.ts)));
  await visit.close();
});
