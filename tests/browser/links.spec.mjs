// Shared links: whole, cut, damaged, hostile.
// @ts-check
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import * as made from "./made.mjs";
import { OUT, ROOT, SAMPLE } from "./paths.mjs";

/** Logs of another cluster. */
const OTHER = join(ROOT, "www/samples/slow-disk.tar.gz");

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
/** Fragment of the sample's link. */
let fragment = "";
/** The culprits that it holds. @type {string[]} */
let culprits = [];
/** Their causes: names of nodes leave as pseudonyms. @type {string[]} */
let causes = [];
/** Saved reports: the sample's, and one of another cluster. @type {[string, string]} */
const saved = [join(OUT, "sample-report.json"), join(OUT, "other-report.json")];

before(async () => {
  site = await start();
  const visit = await site.visit();
  await visit.at("sample").first().click();
  await visit.ready();
  const link = await visit.link();
  fragment = link.slice(link.indexOf("#"));
  culprits = await visit.culprits();
  causes = culprits.map((one) => one.split(" ")[1]);
  writeFileSync(saved[0], await visit.report());
  await visit.choose("choose-files", OTHER);
  await visit.until("working");
  await visit.ready();
  writeFileSync(saved[1], await visit.report());
  await visit.close();
});
after(() => site.close());

/** Opens a bad link, expects an error that fits and nothing of a verdict; then the page must work. */
async function refused(/** @type {string} */ bad, /** @type {RegExp} */ words) {
  const visit = await site.visit(bad);
  await visit.until("error");
  const card = visit.at("error").first();
  assert.ok(await card.isVisible());
  assert.match(await card.innerText(), words);
  assert.deepEqual(await visit.culprits(), [], "nothing is shown in its place");
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  assert.deepEqual(await visit.culprits(), culprits);
  await visit.close();
}

test("a link opens to the same culprits and asks for no log", async () => {
  const visit = await site.visit(fragment);
  await visit.ready();
  assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[1]), causes);
  // Who indicts whom is drawn from the link too.
  await visit.page.locator('figure[data-figure="verdict"] summary', { hasText: "Table" }).click();
  const [node] = (await visit.culprits())[0]?.split(" ") ?? [];
  await visit.at("table-verdict").locator("tbody tr").filter({ hasText: node }).filter({ hasText: "indicts it" }).first().waitFor();
  await visit.close();
});

test("Back within an opened link does not open it anew", async () => {
  const visit = await site.visit(fragment);
  await visit.ready();
  await visit.page.evaluate(() => document.querySelector('[data-testid="culprit"]')?.setAttribute("data-mark", ""));
  await visit.page.locator("nav a:visible").last().click();
  assert.notEqual(await visit.hash(), fragment);
  // The page has listened for longer, so it hears of this first, and would begin at once.
  const back = await visit.page.evaluate(
    () =>
      new Promise((/** @type {(told: (string | undefined)[]) => void} */ done) => {
        addEventListener("hashchange", () => done([location.hash, document.documentElement.dataset.state]), { once: true });
        history.back();
      }),
  );
  assert.deepEqual(back, [fragment, "ready"]);
  assert.equal(await visit.page.locator("[data-mark]").count(), 1);
  await visit.close();
});

test("the link is short enough for any chat, and its size is told", async () => {
  assert.ok(fragment.length <= 2000, `${fragment.length} characters`);
  const visit = await site.visit();
  await visit.at("sample").first().click();
  await visit.ready();
  assert.match(await visit.at("share-size").first().innerText(), /\d/);
  await visit.close();
});

for (const share of [0.25, 0.5, 0.99]) {
  test(`a link cut to ${share * 100} % is called truncated`, async () => {
    await refused(fragment.slice(0, Math.floor(fragment.length * share)), /truncated/i);
  });
}

test("a link with a changed letter is refused", async () => {
  const at = Math.floor(fragment.length * 0.6);
  const changed = fragment[at] === "A" ? "B" : "A";
  await refused(fragment.slice(0, at) + changed + fragment.slice(at + 1), /damaged/i);
});

test("a link of a later version says so", async () => {
  await refused(fragment.replace("#r=2.", "#r=999."), /newer/i);
});

test("a link that is no link is refused", async () => {
  await refused("#r=2.<img src=x onerror=alert(1)>", /damaged/i);
});

test("an address without its logs says what it waits for", async () => {
  const visit = await site.visit("#v=swimlanes&node=h103&t=1795227884000..1795227890000");
  const awaited = visit.at("awaited").first();
  assert.ok(await awaited.isVisible());
  const says = await awaited.innerText();
  for (const part of ["Swimlanes", "Node: h103", "Time: 2026-11-21 02:24:44 to 02:24:50 (zone unknown)", "drop the same logs again to see this"]) {
    assert.ok(says.includes(part), `${part} in ${says}`);
  }
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  assert.equal(await awaited.isVisible(), false);
  assert.match(await visit.at("selection").first().innerText(), /h103/);
  // The same once more, as after a reload.
  await visit.page.reload();
  await visit.until("empty");
  assert.ok(await awaited.isVisible());
  await visit.close();
  const bare = await site.visit();
  assert.equal(await bare.at("awaited").first().isVisible(), false, "nothing is asked for");
  await bare.close();
});

test("other logs begin with their own verdict, and what went before comes back as it was left", async (context) => {
  const long = made.longLine(512);
  context.after(() => rmSync(long, { force: true }));
  const visit = await site.visit("#v=flows&node=h103");
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  assert.match(await visit.at("selection").first().innerText(), /h103/);
  // Given up, they change nothing.
  await visit.choose("choose-files", long);
  assert.ok(await visit.giveUp(), "it is still read");
  await visit.ready();
  assert.match(await visit.hash(), /node=h103/);
  await visit.choose("choose-files", OTHER);
  await visit.until("working");
  await visit.ready();
  assert.equal(await visit.hash(), "");
  assert.equal(await visit.at("selection").first().isVisible(), false, "a node of other logs is not chosen");
  assert.ok(await visit.page.locator("#verdict-card h1").evaluate((title) => title.getBoundingClientRect().top < window.innerHeight));
  await visit.close();
});

/** Waits until this is the node that the verdict names. @param {import("./harness.mjs").Visit} visit @param {RegExp} node */
async function names(visit, node) {
  await visit.at("culprit").filter({ hasText: node }).first().waitFor();
}

test("the address names no report any more once another is dropped", async () => {
  const visit = await site.visit(fragment);
  await visit.ready();
  await visit.choose("choose-files", saved[1]);
  await names(visit, /h104/);
  assert.equal(await visit.hash(), "");
  // The link once more opens its report.
  await visit.page.evaluate((hash) => (location.hash = hash), fragment);
  await names(visit, /node-/);
  await visit.close();
});

test("the address names no report any more once two runs are compared", async () => {
  const visit = await site.visit(`${fragment}&v=peers`);
  await visit.ready();
  await visit.page.getByTestId("choose-compare").setInputFiles(saved);
  await visit.at("compare-sentence").first().waitFor();
  assert.equal(await visit.hash(), "");
  await visit.close();
});

test("what holds no log is not compared with, and what is shown stays", async () => {
  const visit = await site.visit(fragment);
  await visit.ready();
  const title = await visit.page.title();
  const pdf = { name: "doc.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n") };
  await visit.page.getByTestId("choose-compare").setInputFiles(pdf);
  await visit.page.getByText("doc.pdf holds no log that oddnode reads").first().waitFor();
  assert.equal(await visit.at("compare-sentence").count(), 0);
  assert.equal(await visit.page.title(), title);
  await visit.close();
});

test("a node that was chosen in logs is not chosen in another cluster's report", async () => {
  const visit = await site.visit("#node=h101");
  await visit.works();
  assert.match(await visit.at("selection").first().innerText(), /h101/);
  await visit.choose("choose-files", saved[1]);
  await names(visit, /h104/);
  assert.equal(await visit.at("selection").first().isVisible(), false);
  assert.equal(await visit.hash(), "");
  await visit.close();
});

test("a pseudonym that was chosen is not chosen once the names are real", async () => {
  const visit = await site.visit(`${fragment}&node=node-02&job=job-01&attempt=attempt-01_m_000001_0`);
  await visit.ready();
  await visit.at("selection").first().filter({ hasText: /node-02[\s\S]*job-01[\s\S]*attempt-01/ }).waitFor();
  await visit.choose("choose-files", SAMPLE);
  await names(visit, /h103/);
  await visit.ready();
  assert.equal(await visit.at("selection").first().isVisible(), false);
  assert.doesNotMatch(await visit.hash(), /node=|job=|attempt=/);
  await visit.close();
});

for (const [over, link, back] of /** @type {const} */ ([
  ["a link", undefined, (/** @type {import("./harness.mjs").Visit} */ visit) => visit.page.goBack()],
  ["a bad link", "#r=2.AAAA", (/** @type {import("./harness.mjs").Visit} */ visit) => visit.at("back").click()],
])) {
  test(`an analysis that ends while ${over} is shown is what one comes back to`, async () => {
    const visit = await site.sampled();
    const clocks = async () => JSON.parse(String(await visit.report())).parameters.fix_clocks;
    assert.equal(await clocks(), false);
    const { heard, free } = await visit.hold("Analyse");
    await visit.at("fix-clocks").check();
    await visit.at("apply-clocks").click();
    await heard("Analyse");
    await visit.page.evaluate((hash) => (location.hash = hash), link ?? fragment);
    if (link === undefined) await names(visit, /node-/);
    else await visit.until("error");
    await free();
    await back(visit);
    await names(visit, /h103/);
    await visit.ready();
    assert.ok(await visit.at("fix-clocks").isChecked());
    assert.equal(await clocks(), true, "as the figures have it");
    await visit.close();
  });
}

for (const [what, own] of /** @type {const} */ ([
  ["a link's", true],
  ["logs'", false],
])) {
  test(`${what} verdict comes back under its own address after a bad link`, async () => {
    const visit = await site.visit(own ? `${fragment}&node=node-02` : "#node=h101");
    if (own) await visit.ready();
    else await visit.works();
    const before = await visit.hash();
    await visit.page.evaluate(() => (location.hash = "#r=2.AAAA"));
    await visit.until("error");
    await visit.at("back").first().click();
    // The error may still stand.
    await visit.until("ready");
    await visit.page.locator("#verdict-card h1:focus").waitFor();
    assert.equal(await visit.hash(), before);
    assert.equal((await visit.culprits()).length, 1);
    await visit.close();
  });
}

test("Back from a link that was opened over logs leads to their verdict, and without logs to none", async () => {
  const visit = await site.visit();
  const open = (/** @type {string} */ link) => visit.page.evaluate((link) => (location.hash = link), link);
  await open(fragment);
  await visit.ready();
  await visit.page.goBack();
  await visit.until("empty");
  assert.deepEqual(await visit.culprits(), []);

  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.page.evaluate(() => (location.hash = "#node=h101"));
  await visit.at("selection").first().filter({ hasText: "h101" }).waitFor();
  for (const [link, state] of /** @type {const} */ ([[fragment, "ready"], ["#r=2.AAAA", "error"]])) {
    await open(link);
    if (state === "ready") await names(visit, /node-/);
    await visit.until(state);
    await visit.page.goBack();
    await names(visit, /h103/);
    assert.equal(await visit.hash(), "#node=h101");
    assert.match(await visit.at("selection").first().innerText(), /h101/);
    await visit.page.locator("#banner:empty").waitFor({ state: "attached" });
    await visit.drawn();
  }
  assert.deepEqual(await visit.culprits(), culprits);
  await visit.close();
});

test("the kind of state follows the address", async () => {
  const visit = await site.visit("#v=peers&kind=Reduce");
  await visit.works();
  const pressed = () => visit.page.locator('#peers .chips [aria-pressed="true"]').allInnerTexts();
  assert.deepEqual(await pressed(), ["Reduce"]);
  const title = visit.page.locator('figure[data-figure="peers"] h3');
  await title.filter({ hasText: "Reduce" }).waitFor();
  await visit.page.evaluate(() => (location.hash = "#v=peers&kind=Map"));
  await title.filter({ hasText: "Map" }).waitFor();
  assert.deepEqual(await pressed(), ["Map"]);
  await visit.close();
});

test("a threshold that is tried stays when a node is chosen and when the window has another width", async () => {
  const visit = await site.visit();
  await visit.works();
  await visit.drawn();
  const says = visit.page.locator('output[for="threshold"]');
  await says.filter({ hasText: "as found" }).waitFor();
  const slider = visit.page.locator("#threshold");
  await slider.focus();
  await slider.press("End");
  const tried = await says.innerText();
  assert.match(tried, /found: /);
  const table = () => visit.at("table-peers").first().textContent();
  const judged = await table();
  const frames = await visit.frames();
  await visit.page.evaluate(() => (location.hash = "#node=h101"));
  await visit.at("selection").first().filter({ hasText: "h101" }).waitFor();
  await visit.redrawn(frames);
  assert.equal(await says.innerText(), tried);
  await visit.page.setViewportSize({ width: 900, height: 900 });
  await visit.resized();
  assert.equal(await says.innerText(), tried);
  assert.equal(await table(), judged, "what it judges too");
  // Another kind of state has a threshold of its own.
  await visit.page.locator('#peers .chips [aria-pressed="false"]').first().click();
  await says.filter({ hasText: "as found" }).waitFor();
  await visit.close();
});

test("a section that is linked to stays in sight while figures above it come", async () => {
  const visit = await site.visit("#v=coverage", { viewport: { width: 390, height: 844 } });
  await visit.works();
  await visit.drawn();
  await visit.page.waitForFunction(() => {
    const [bar, section] = ["#bar", "#view-coverage"].map((one) => document.querySelector(one)?.getBoundingClientRect());
    return Math.abs((section?.top ?? NaN) - (bar?.bottom ?? NaN)) < 30;
  });
  // Whoever moves is not moved.
  await visit.page.mouse.wheel(0, -2000);
  await visit.page.waitForFunction(() => (document.querySelector("#view-coverage")?.getBoundingClientRect().top ?? 0) > 1000);
  await visit.page.setViewportSize({ width: 380, height: 844 });
  await visit.resized();
  const top = await visit.page.evaluate(() => document.querySelector("#view-coverage")?.getBoundingClientRect().top ?? NaN);
  assert.ok(top > 1000, `${top} px below the window's top`);
  await visit.close();
});
