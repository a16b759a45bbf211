// Names that are markup, in the page and in what it saves: shown, never obeyed.
// @ts-check
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import * as made from "./made.mjs";
import { OUT, SAMPLE } from "./paths.mjs";

/** No host may be called so: its lines are there all the same. */
const HOST = "h102<svg\u00a0onload=hit()>\"'&";
const JOB = "<img src=x onerror=hit()><script>hit()</script>";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** What must not be in any document: elements that only the names could have made. */
const obeyed = () => ({
  images: [...document.querySelectorAll("img")].filter((one) => one.getAttribute("src") === "x").length,
  scripts: [...document.querySelectorAll("script:not([src])")].length,
  handlers: [...document.querySelectorAll("*")].filter((one) => one.getAttributeNames().some((name) => name.startsWith("on"))).length,
  hits: /** @type {any} */ (window).hits ?? 0,
});
const NOTHING = { images: 0, scripts: 0, handlers: 0, hits: 0 };

/** Turns what follows it, so that it reads from right to left. */
const TURN = "\u202e";

test("lines are quoted from a file whose name would turn the direction of writing", async (context) => {
  const folder = join(OUT, "turned");
  mkdirSync(folder, { recursive: true });
  context.after(() => rmSync(folder, { recursive: true }));
  const archive = join(folder, `a${TURN}b.tar.gz`);
  copyFileSync(SAMPLE, archive);
  const visit = await site.visit();
  await visit.choose("choose-files", archive);
  await visit.ready();
  await visit.page.waitForFunction(() => document.querySelector(".evidence .raw")?.textContent);
  await visit.close();
});

test("what would turn the direction of writing is shown as what it is", async () => {
  const visit = await site.visit(`#node=h102${TURN}`);
  const text = () => visit.page.evaluate(() => document.documentElement.outerHTML);
  assert.ok((await visit.at("awaited").innerText()).includes("h102\ufffd"));
  await visit.choose("choose-files", made.renamedSample("h102", `${TURN}tros`));
  await visit.ready();
  await visit.drawn();
  const shown = await text();
  assert.ok(shown.includes("\ufffdtros"), "the job's name");
  const at = shown.indexOf(TURN);
  assert.ok(at < 0, shown.slice(Math.max(0, at - 200), at + 20));
  await visit.close();
});

test("host and job names that are markup are text in every view and every saved file", async () => {
  const visit = await site.visit();
  await visit.page.addInitScript(() => {
    Object.assign(window, { hits: 0, hit: () => ((/** @type {any} */ (window)).hits += 1) });
  });
  await visit.page.reload({ waitUntil: "load" });
  await visit.page.waitForFunction(() => document.documentElement.dataset.state !== undefined);
  await visit.choose("choose-files", made.renamedSample(HOST, JOB));
  await visit.ready();
  assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
  // Every figure comes into sight, every table twin is opened.
  for (const link of await visit.page.locator("nav a").all()) if (await link.isVisible()) await link.click();
  await visit.page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
  await visit.drawn();
  assert.deepEqual(await visit.page.evaluate(obeyed), NOTHING);
  assert.ok((await visit.text()).includes("<script>hit()"), "shown as text");
  assert.ok((await visit.report()).includes("<script>hit()"), "the report keeps the job's name");

  // Under pseudonyms no name leaves at all.
  await visit.unfold();
  await visit.at("real-names").check();
  const path = await visit.save("download-html", "hostile.html");
  // Opened from disk, as by somebody else.
  const elsewhere = await site.browser.newContext();
  const html = await elsewhere.newPage();
  await html.addInitScript(() => {
    Object.assign(window, { hits: 0, hit: () => ((/** @type {any} */ (window)).hits += 1) });
  });
  await html.goto(`file://${path}`);
  assert.ok((await html.evaluate(() => document.body.textContent ?? "")).includes("<script>hit()"), "shown as text there too");
  assert.deepEqual(await html.evaluate(obeyed), NOTHING);
  await elsewhere.close();
  await visit.close();
});
