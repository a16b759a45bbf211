// Heatmap, job stream and job detail: drawn, told in tables, chosen from; figures that zoom.
// @ts-check
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { labelled, start } from "./harness.mjs";
import * as made from "./made.mjs";
import { OUT, SAMPLE } from "./paths.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

test("the sample's cluster and jobs are drawn and told in tables", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.drawn();
  for (const name of ["cluster", "jobs-stream", "jobs-detail"]) {
    const table = visit.page.getByTestId(`table-${name}`);
    await table.waitFor({ state: "attached" });
    await visit.page.waitForFunction(
      (id) => (document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "").length > 40,
      `table-${name}`,
    );
  }
  for (const name of ["Earlier", "Later"]) {
    const step = visit.page.getByTestId("view-jobs").getByRole("button", { name, exact: true });
    assert.ok(await step.isDisabled(), `the sample has one job, and ${name} would lead nowhere`);
  }
  await visit.page.getByTestId("view-cluster").screenshot({ path: join(OUT, "cluster.png") });
  await visit.page.getByTestId("view-jobs").screenshot({ path: join(OUT, "jobs.png") });
  await visit.close();
});

test("the stream of jobs is not stepped through beyond its end, however fast", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", made.manyJobs(30));
  await visit.ready();
  await visit.drawn();
  const button = (/** @type {string} */ name) => visit.at("view-jobs").getByRole("button", { name, exact: true });
  const jobs = async () => {
    const text = await visit.at("table-jobs-stream").evaluate((table) => table.textContent ?? "");
    const numbers = [...text.matchAll(/job_\d+_(\d{4})/g)].map(([, number]) => Number(number));
    return [Math.min(...numbers), Math.max(...numbers)];
  };
  const shows = (/** @type {number} */ first) =>
    visit.page.waitForFunction(
      (first) => document.querySelector('[data-testid="table-jobs-stream"]')?.textContent?.includes(`_${String(first).padStart(4, "0")}`),
      first,
    );
  assert.deepEqual(await jobs(), [1, 12]);
  // In one go: the analyst has no time to answer.
  await button("Later").evaluate((later) => [1, 2, 3, 4, 5].forEach(() => /** @type {HTMLElement} */ (later).click()));
  await shows(30);
  await visit.drawn();
  assert.deepEqual(await jobs(), [21, 30]);
  assert.ok(await button("Later").isDisabled());
  await button("Earlier").click();
  await shows(11);
  assert.deepEqual(await jobs(), [11, 22]);
  await visit.close();
});

test("what is chosen in one figure stands in the address and in the bar, until it is taken back", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  const canvas = visit.page.locator('figure[data-figure="peers"] canvas');
  await visit.page.waitForFunction(() => document.querySelector('figure[data-figure="peers"] canvas[data-frames]'));
  await canvas.focus();
  await visit.page.keyboard.press("ArrowDown");
  await visit.page.keyboard.press("Enter");
  const bar = visit.page.getByTestId("selection");
  await bar.getByRole("button").first().waitFor();
  assert.match(await bar.innerText(), /Node: h\d+/);
  assert.match(await visit.hash(), /node=h\d+/);
  await bar.getByRole("button").first().click();
  await bar.waitFor({ state: "hidden" });
  assert.doesNotMatch(await visit.hash(), /node=/);
  await visit.close();
});

test("a job's id in the verdict's table leads to the job", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  const link = visit.page.getByTestId("table-jobs").getByRole("link").first();
  const job = await link.innerText();
  await link.click();
  await visit.page.getByTestId("selection").getByRole("button", { name: job }).waitFor();
  await visit.page.waitForFunction(
    () => Math.abs(document.querySelector('[data-testid="view-jobs"]')?.getBoundingClientRect().top ?? 9e9) < innerHeight,
  );
  await visit.close();
});

test("Back leads through what was chosen, and leaves the report where it is", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.page.waitForFunction(() => document.querySelector('figure[data-figure="peers"] canvas[data-frames]'));
  const bar = visit.page.getByTestId("selection");
  const canvas = visit.page.locator('figure[data-figure="peers"] canvas');
  await canvas.focus();
  await visit.page.keyboard.press("ArrowDown");
  await visit.page.keyboard.press("Enter");
  await bar.getByRole("button").first().waitFor();
  const chosen = await visit.hash();
  await bar.getByRole("button").first().click();
  await bar.waitFor({ state: "hidden" });
  await visit.page.goBack();
  await bar.getByRole("button").first().waitFor();
  assert.equal(await visit.hash(), chosen);
  await visit.page.goBack();
  await bar.waitFor({ state: "hidden" });
  await visit.page.goForward();
  await bar.getByRole("button").first().waitFor();
  assert.deepEqual(await visit.state(), "ready");
  assert.equal((await visit.culprits()).length, 1);
  await visit.close();
});

test("what is chosen is chosen where the reader is, and Back stays there", async () => {
  const visit = await site.sampled();
  await visit.drawn();
  await visit.page.locator('nav a[href="#v=peers"]').click();
  // The reader scrolls on.
  await visit.page.mouse.wheel(0, 40);
  const canvas = visit.page.locator('figure[data-figure="swimlanes"] canvas');
  await visit.page.waitForFunction(() => {
    if (document.querySelector("nav [aria-current]")?.id === "nav-swimlanes") return true;
    document.getElementById("view-swimlanes")?.scrollIntoView();
    window.scrollBy(0, 60);
    return false;
  });
  await canvas.focus();
  await visit.page.keyboard.press("ArrowDown");
  await visit.page.keyboard.press("Enter");
  const chip = visit.at("selection").getByRole("button").first();
  await chip.waitFor();
  assert.match(await visit.hash(), /^#v=swimlanes&/);
  const place = () => canvas.evaluate((one) => one.getBoundingClientRect().top);
  const before = await place();
  while (await chip.isVisible()) await chip.click();
  await visit.page.goBack();
  await chip.waitFor();
  // The bar may have three lines less: what is chosen, and what is known of a node and a job.
  assert.ok(Math.abs((await place()) - before) < 72, `${before} px, then ${await place()} px`);
  await visit.close();
});

test("a table's line opens the raw text of the log below it, and closes it again", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.drawn();
  for (const name of ["jobs-detail", "swimlanes"]) {
    const table = visit.page.getByTestId(`table-${name}`);
    await visit.page.locator(`figure[data-figure="${name}"] summary`, { hasText: "Table" }).click();
    const row = table.locator("tbody tr").filter({ hasText: /attempt_|task_/ }).first();
    const attempt = /(attempt|task)_\d+_\d+_[mr]_\d+(_\d+)?/.exec((await row.textContent()) ?? "")?.[0];
    assert.ok(attempt, name);
    const line = row.locator("button.line");
    const number = Number(await line.textContent());
    assert.ok(number > 0 && /./.test((await line.getAttribute("data-file")) ?? ""), name);
    await line.click();
    const quoted = table.locator("tr.quoted");
    await quoted.filter({ hasText: attempt }).waitFor();
    await line.click();
    await quoted.waitFor({ state: "detached" });
  }
  await visit.close();
});

const run = labelled("hadoop1", "r18");
const skip = run === undefined && "the labelled data set is not beside the repository";

test("metrics zoom and move by keys and show all again", { skip }, async () => {
  assert.ok(run);
  const visit = await site.visit();
  await visit.choose("choose-files", run.archive);
  await visit.ready();
  const canvas = visit.page.locator('figure[data-figure="system"] canvas[data-shown]');
  await canvas.waitFor();
  const shown = async () => (await canvas.getAttribute("data-shown")) ?? "";
  assert.equal(await shown(), "0..1");
  await canvas.focus();
  await visit.page.keyboard.press("+");
  await visit.page.waitForFunction(
    () => document.querySelector('figure[data-figure="system"] canvas')?.getAttribute("data-shown") !== "0..1",
  );
  const [from, to] = (await shown()).split("..").map(Number);
  assert.ok(from > 0.15 && to < 0.85 && from < to, `${from}..${to}`);
  // The letters of other viewers do the same: A and D move, W and S zoom; with Ctrl they are the browser's.
  const moved = async (/** @type {string} */ key) => {
    const before = await shown();
    await visit.page.keyboard.press(key);
    await visit.page.waitForFunction(
      (before) => document.querySelector('figure[data-figure="system"] canvas')?.getAttribute("data-shown") !== before,
      before,
    );
    return (await shown()).split("..").map(Number);
  };
  await visit.page.keyboard.press("Control+a");
  const [right] = await moved("d");
  assert.ok(right > from, `${right} after ${from}`);
  const [left] = await moved("a");
  assert.ok(Math.abs(left - from) < 1e-6, `${left}, not ${from}`);
  const [nearFrom, nearTo] = await moved("w");
  assert.ok(nearTo - nearFrom < (to - from) * 0.8, `${nearFrom}..${nearTo}`);
  const [farFrom, farTo] = await moved("s");
  assert.ok(Math.abs(farTo - farFrom - (to - from)) < 1e-3, `${farFrom}..${farTo}`);
  await visit.page.keyboard.press("0");
  await visit.page.waitForFunction(
    () => document.querySelector('figure[data-figure="system"] canvas')?.getAttribute("data-shown") === "0..1",
  );
  await visit.close();
});
