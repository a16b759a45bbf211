// Coverage: the map, the zone and clocks, unknown lines, and a folder of thousands of files.
// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { BIN, OUT, SAMPLE } from "./paths.mjs";
import { assertSameReport, diagnose, peakRendererMb, start } from "./harness.mjs";

/** Files in the folder; a machine short of time may ask for fewer. */
const FILES = Number(process.env.ODDNODE_FILES ?? 5000);
/** The page's elements, whatever the number of files: the tables of 50 nodes and their pairs are most of them. */
const ELEMENTS = 10_000;
/** A renderer may hold this much for such a folder: an idle one has some 130 MB. */
const PEAK_MB = 700;

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** A DataNode's log of so many blocks, with a hole in the middle. @param {string} host @param {number} at @param {number} blocks */
function datanode(host, at, blocks) {
  const line = (/** @type {number} */ s, /** @type {string} */ text) =>
    `2026-11-21 ${String(2 + Math.floor(s / 3600)).padStart(2, "0")}:${String(Math.floor(s / 60) % 60).padStart(2, "0")}:${String(s % 60).padStart(2, "0")},000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: ${text}\n`;
  let log = line(at, "STARTUP_MSG: ") + `STARTUP_MSG: Starting DataNode\nSTARTUP_MSG:   host = ${host}/10.0.${Math.floor(at / 200) % 250}.${1 + (at % 200)}\n`;
  for (let i = 0; i < blocks; i += 1) {
    const s = at + i * 3 + (i > blocks / 2 ? 120 : 0);
    log += line(s, `Receiving block blk_${at * 1000 + i}_1 src: /10.9.9.9:${4000 + i} dest: /10.0.0.1:50010`);
    log += line(s, `Something that nobody knows yet number ${i} of /data/${i}/x`);
  }
  return `${log}\n`.replace("\n\n", "\n");
}

/** @param {number} width @param {"light" | "dark"} colorScheme */
async function looks(width, colorScheme) {
  const visit = await site.visit("", { colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.page.waitForFunction(() => (document.querySelector('[data-figure="coverage-map"] canvas')?.clientHeight ?? 0) > 100);
  await visit.at("unknown").locator("summary").first().click();
  await visit.at("view-coverage").screenshot({ path: join(OUT, `coverage-${colorScheme}-${width}.png`) });
  const wide = await visit.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} px too wide`);
  await visit.close();
}

for (const scheme of /** @type {const} */ (["light", "dark"])) {
  for (const width of [1440, 390]) {
    test(`the coverage view, ${scheme}, ${width} px wide`, () => looks(width, scheme));
  }
}

test("the map has a row a node and log, and answers to keys", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  const rows = visit.at("table-coverage-map").locator("tbody tr");
  await rows.first().waitFor({ state: "attached" });
  const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].slice(0, 2).map((c) => c.textContent).join(" ")));
  assert.match(await visit.page.locator("#coverage").innerText(), /^\d+ files, \d+ read, \d+ not read, \d+ empty; /m);
  assert.ok(cells.includes("h101 datanode") && cells.includes("h103 tasktracker"), cells.join(", "));
  const canvas = visit.page.locator('[data-figure="coverage-map"] canvas');
  assert.match((await canvas.getAttribute("aria-label")) ?? "", /which node has which log/i);
  await canvas.focus();
  await visit.page.keyboard.press("ArrowDown");
  assert.match(await visit.page.locator('[data-figure="coverage-map"] [aria-live]').innerText(), /h10\d · \w+/);
  await visit.close();
});

test("the table of files says how it is sorted, and turns round", async () => {
  const visit = await site.sampled();
  const head = visit.at("table-coverage").locator("th", { hasText: "Lines" });
  const sorted = async () => {
    const cells = await visit.at("table-coverage").locator("tbody td:nth-child(4)").allTextContents();
    const lines = cells.map((cell) => Number(cell.replace(/\D/g, "")));
    assert.ok(lines.length > 5);
    return [await head.getAttribute("aria-sort"), lines[0] > lines[lines.length - 1]];
  };
  assert.equal(await head.getAttribute("aria-sort"), "none");
  await head.locator("button").click();
  assert.deepEqual(await sorted(), ["descending", true]);
  await head.locator("button").click();
  assert.deepEqual(await sorted(), ["ascending", false]);
  await visit.close();
});

test("whoever analyses again finds the form where it was", async () => {
  const visit = await site.sampled();
  await visit.drawn();
  await visit.page.locator('nav a[href="#v=peers"]').click();
  const form = visit.at("fix-clocks");
  await form.evaluate((one) => one.scrollIntoView({ block: "center" }));
  const top = () => visit.at("fix-clocks").evaluate((one) => one.getBoundingClientRect().top);
  const before = await top();
  await form.evaluate((one) => one.closest("form")?.setAttribute("data-mark", ""));
  await form.focus();
  await visit.page.keyboard.press("Enter");
  await visit.page.waitForFunction(() => document.querySelector('form:not([data-mark]) [data-testid="fix-clocks"]:focus'));
  await visit.drawn();
  assert.ok(Math.abs((await top()) - before) < 2, `${before} px, then ${await top()} px`);
  await visit.close();
});

test("a zone that is given counts without reading again, and agrees with the command", async () => {
  const visit = await site.visit();
  const folder = join(OUT, "zoneless");
  rmSync(folder, { recursive: true, force: true });
  for (const [i, host] of ["n1", "n2", "n3"].entries()) {
    mkdirSync(join(folder, host), { recursive: true });
    writeFileSync(join(folder, host, "datanode.log"), datanode(host, i, 60));
  }
  await visit.choose("choose-folder", folder);
  await visit.ready();
  assert.match(await visit.at("clocks").innerText(), /read as UTC\. Set the time zone/);
  assert.match(await visit.at("coverage").innerText(), /n1/);
  const first = JSON.parse(String(await visit.report())).clock;
  assert.deepEqual([first.source, first.offset_ms], ["assumed", 0]);

  await visit.at("zone").fill("noon");
  await visit.at("apply-clocks").click();
  assert.match(await visit.at("clocks").innerText(), /offset from UTC/);

  // A minute that is chosen by one clock is not the same by another.
  await visit.page.evaluate(() => (location.hash = "#t=1795226400000..1795226460000"));
  await visit.at("selection").first().filter({ hasText: "Time: 2026-11-21 02:00" }).waitFor();
  const workers = visit.workers;
  await visit.at("zone").fill("+05:30");
  await visit.at("apply-clocks").click();
  await visit.ready();
  assert.equal(await visit.at("selection").first().isVisible(), false);
  assert.doesNotMatch(await visit.hash(), /t=\d/);
  assert.match(await visit.at("clocks").innerText(), /as you set it/);
  assert.equal(visit.workers, workers, "no worker was started");
  const page = await visit.report();
  const given = JSON.parse(String(page)).clock;
  assert.deepEqual([given.source, given.offset_ms, first.first_ms - given.first_ms], ["given", -19_800_000, 19_800_000]);
  const command = execFileSync(BIN, ["diagnose", "--format", "json", "--tz", "+05:30", folder], { maxBuffer: 1 << 28 });
  assertSameReport(page, command);
  assert.equal(await visit.at("zone").inputValue(), "+05:30");

  // Emptied, it is looked for again.
  await visit.at("zone").fill("");
  await visit.at("fix-clocks").check();
  // One analysis at a time: what is asked for meanwhile is refused.
  const says = await visit.page.evaluate(() => {
    const form = /** @type {HTMLFormElement} */ (document.querySelector("form.clock-form"));
    form.requestSubmit();
    const begun = document.getElementById("zone-says")?.textContent;
    form.requestSubmit();
    document.getElementById("forget-controls")?.click();
    return [begun, ...["zone-says", "baseline-says"].map((id) => document.getElementById(id)?.textContent)];
  });
  assert.deepEqual(says, ["Analysing again …", "Another analysis is under way.", "No baseline: another analysis is under way."]);
  await visit.ready();
  assert.match(await visit.at("clocks").innerText(), /Set the time zone/);
  assert.equal(JSON.parse(String(await visit.report())).parameters.fix_clocks, true);

  await visit.at("unknown").locator("summary").first().click();
  const shapes = visit.at("table-unknown").locator("tbody tr");
  await visit.at("search-unknown").fill("nobody knows");
  assert.equal(await shapes.count(), 1);
  assert.match(await shapes.first().innerText(), /180[\s\S]*datanode[\s\S]*Something that nobody knows yet number # of <path>/);
  await visit.at("search-unknown").fill("no such words");
  assert.equal(await shapes.count(), 0);
  await visit.close();
});

test("a reason that names a long path keeps within its table", async () => {
  const folder = join(OUT, "twice");
  rmSync(folder, { recursive: true, force: true });
  for (const place of ["first", "second"]) {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, `${"a_log_whose_name_has_no_blanks_".repeat(5)}.log`), datanode("n1", 0, 30));
  }
  const visit = await site.visit("", { viewport: { width: 1440, height: 900 } });
  await visit.choose("choose-folder", folder);
  await visit.ready();
  assert.match(await visit.at("coverage").innerText(), /is there twice; counted once, as twice\/first/);
  const wide = await visit.at("coverage").evaluate((table) => table.scrollWidth - table.clientWidth);
  assert.ok(wide <= 0, `${wide} px are out of sight`);
  await visit.close();
});

test(`a folder of ${FILES} files stays usable`, async (context) => {
  const folder = join(OUT, "many");
  rmSync(folder, { recursive: true, force: true });
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (let i = 0; i < FILES; i += 1) {
    const sub = join(folder, `n${i % 50}`, `${i % 7}`);
    mkdirSync(sub, { recursive: true });
    writeFileSync(join(sub, `datanode.log.${i}`), datanode(`n${i % 50}`, i % 50, 20));
  }
  const visit = await site.visit();
  const began = Date.now();
  await visit.choose("choose-folder", folder);
  await visit.ready();
  const ready = Date.now() - began;
  const rows = visit.at("table-coverage").locator("tbody tr");
  assert.ok((await rows.count()) <= 200, `${await rows.count()} rows at once`);
  const first = await rows.first().innerText();
  const turned = Date.now();
  await visit.at("coverage-next").click();
  assert.notEqual(await rows.first().innerText(), first);
  const turn = Date.now() - turned;
  await visit.page.waitForFunction(() => (document.querySelector('[data-figure="coverage-map"] canvas')?.clientHeight ?? 0) > 100);
  const elements = await visit.page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(elements < ELEMENTS, `${elements} elements`);
  const heap = await visit.page.evaluate(() => {
    const memory = /** @type {any} */ (performance).memory;
    return memory === undefined ? 0 : memory.usedJSHeapSize / 2 ** 20;
  });
  const peak = peakRendererMb();
  context.diagnostic(
    `ready after ${ready} ms, page turned in ${turn} ms, ${elements} elements, ` +
      `JS heap of the page ${heap.toFixed(0)} MB, renderer's peak with workers ${peak?.toFixed(0) ?? "unknown"} MB`,
  );
  if (peak !== undefined) assert.ok(peak < PEAK_MB, `the renderer held ${peak.toFixed(0)} MB`);
  assertSameReport(await visit.report(), /** @type {Buffer} */ (await diagnose(folder)));
  await visit.close();
});
