// Labels dropped with the logs: each labelled run is diagnosed alone and counted.
// @ts-check
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
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

/** Two copies of the sample as runs of their own, with labels; the second one's is wrong on purpose. @param {string} node */
function labelled(node) {
  const folder = join(OUT, "labelled");
  mkdirSync(folder, { recursive: true });
  const truth = join(folder, "truth.json");
  const runs = ["e1", "e2"].map((run) => join(folder, `${run}.tar.gz`));
  runs.forEach((run) => copyFileSync(SAMPLE, run));
  const label = { workload: "sort", fault: "CPUHog", begin_ms: 0, end_ms: 100000 };
  const labels = [
    { run: "e1", ...label, node },
    { run: "e2", ...label, fault: "none", node: null },
    { run: "absent", ...label, node },
  ];
  writeFileSync(truth, JSON.stringify(labels, null, 1));
  return [...runs, truth];
}

test("labelled runs are counted against their labels", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  assert.ok(await visit.page.getByTestId("view-evaluation").isHidden(), "without labels there is no evaluation");
  const named = (await visit.at("culprit").first().getAttribute("data-node")) ?? "";
  await visit.close();

  const again = await site.visit();
  await again.choose("choose-files", labelled(named));
  await again.ready();
  await again.drawn();
  for (const name of ["", "-runs", "-workloads", "-states", "-slowdown", "-roc"]) {
    const table = again.page.getByTestId(`table-evaluation${name}`);
    await table.waitFor({ state: "attached" });
    assert.ok(((await table.textContent()) ?? "").length > 20, name);
  }
  const rows = await again.page.getByTestId("table-evaluation-runs").locator("tbody tr").allTextContents();
  const [right, wrong] = ["e1", "e2"].map((run) => rows.filter((row) => row.includes(run)).join());
  assert.ok(/hit/.test(right) && !/false/.test(right), right);
  assert.ok(/false/.test(wrong) && !/hit/.test(wrong), wrong);
  const view = again.page.getByTestId("view-evaluation");
  assert.ok(((await view.textContent()) ?? "").includes("1 label without logs"));
  await view.screenshot({ path: join(OUT, "evaluation.png") });
  await again.close();
});
