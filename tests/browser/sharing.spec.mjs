// What is shared: each rung made in one page and opened in a fresh profile, under pseudonyms and
// with the key; forged links; tickets; pages from disk; comparing; keeping; without a network.
// @ts-check
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { INNER_PATH, PATIENCE_MS, alike, start } from "./harness.mjs";
import { BIN, DATA, DIST, OUT, SAMPLE } from "./paths.mjs";

/** @typedef {import("./harness.mjs").Visit} Visit */

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
/** Names of the sample's nodes: none may leave under pseudonyms. */
const REAL = /\bh10[0-6]\b/;

before(async () => {
  site = await start();
});
after(() => site.close());

/** Chooses a rung and names, and gives the link once it is there. @param {Visit} visit @param {string} rung @param {boolean} real */
async function link(visit, rung, real) {
  // Each choice takes the link away until there is the one of what is chosen last.
  await visit.unfold();
  await visit.at("real-names").setChecked(real);
  await visit.at("share-rung").selectOption(rung);
  await linked(visit);
  const whole = await visit.link();
  return whole.slice(whole.indexOf("#"));
}

/** Waits until there is a link. @param {Visit} visit */
async function linked(visit) {
  await visit.page.waitForFunction(
    () => /** @type {HTMLInputElement} */ (document.querySelector('[data-testid="share-link"]')).value !== "",
  );
}

/** Text of a table twin, whitespace evened out. @param {Visit} visit @param {string} id */
async function table(visit, id) {
  const text = await visit.at(id).first().textContent({ timeout: PATIENCE_MS });
  return (text ?? "").replace(/\s+/g, " ").trim();
}

/** Takes a link apart, changes its JSON, and puts it together whole. @param {string} fragment @param {(json: string) => string} change */
function forged(fragment, change) {
  const bytes = Buffer.from(fragment.slice("#r=2.".length), "base64url");
  const body = deflateRawSync(Buffer.from(change(inflateRawSync(bytes.subarray(8)).toString())));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length, 0);
  head.writeUInt32BE(crc32(body), 4);
  return `#r=2.${Buffer.concat([head, body]).toString("base64url")}`;
}

describe("the ladder", () => {
  for (const [rung, most] of /** @type {const} */ ([
    ["verdict", 2000],
    ["report", 8000],
    ["full", 80_000],
  ])) {
    test(`the ${rung} link says the same in a fresh profile, under pseudonyms`, async () => {
      const visit = await site.sampled();
      const fragment = await link(visit, rung, false);
      assert.ok(fragment.length <= most, `${fragment.length} characters`);
      const says = await visit.at("share-size").first().innerText();
      assert.match(says, /survives/);
      assert.match(says, /It carries the verdict.*; all other figures need the logs/);
      if (rung === "full") {
        assert.match(says, /the scores of nodes \(\d+\), the figures of peers \(\d+\), the attempts for heatmap, jobs and swimlanes \(\d+\), /);
        assert.match(says, /the flows of a job \(\d+\), the sums that runs are compared by \(\d+\)/);
      }
      const causes = (await visit.culprits()).map((one) => one.split(" ")[1]);
      const leftOut = await visit.at("share-left-out").locator("li").allTextContents();
      await visit.close();
      const other = await site.visit(fragment);
      await other.ready();
      const culprits = await other.culprits();
      assert.deepEqual(culprits.map((one) => one.split(" ")[1]), causes);
      for (const one of culprits) assert.match(one, /^node-\d+ /);
      const text = await other.page.evaluate(() => document.body.textContent ?? "");
      assert.doesNotMatch(text, REAL);
      assert.match(text, /Recomputed here: \d+ statements follow/);
      const told = other.at("left-out");
      assert.deepEqual(await told.locator("li").allTextContents(), leftOut);
      assert.equal(await told.isVisible(), leftOut.length > 0);
      assert.equal(await told.locator("li").first().isVisible(), false, "folded");
      await other.close();
    });
  }

  test("the full link with real names draws the same figures with the same numbers", async () => {
    const visit = await site.sampled();
    await visit.drawn();
    const culprits = await visit.culprits();
    const peers = await table(visit, "table-peers");
    const distances = await table(visit, "table-peers-distance");
    const ofTasks = ["table-cluster", "table-jobs-stream", "table-peers-stripes", "table-peers-correlation", "table-flows-matrix"];
    const told = await Promise.all(ofTasks.map((id) => table(visit, id)));
    const fragment = await link(visit, "full", true);
    await visit.close();
    const other = await site.visit(fragment);
    await other.ready();
    await other.drawn();
    assert.deepEqual(await other.culprits(), culprits);
    assert.equal(await table(other, "table-peers"), peers);
    assert.equal(await table(other, "table-peers-distance"), distances);
    for (const [at, id] of ofTasks.entries()) {
      assert.ok((told[at] ?? "").length > 0, id);
      assert.equal(await table(other, id), told[at], id);
    }
    for (const view of ["jobs-detail", "swimlanes-nodes", "swimlanes", "flows-paths", "flows-diagram"]) {
      assert.ok((await table(other, `table-${view}`)).length > 0, view);
    }
    // What it does not carry is not there.
    for (const id of ["table-swimlanes-detailed", "table-flows-path", "table-peers-transfers"]) {
      assert.equal(await other.at(id).count(), 0, id);
    }
    for (const id of ["view-system", "view-syscalls", "save-trace-events"]) {
      assert.equal(await other.at(id).first().isVisible(), false, id);
    }
    await other.page.screenshot({ path: join(OUT, "shared-full.png"), fullPage: true });
    await other.close();
  });

  test("a job is chosen by its pseudonym", async () => {
    const visit = await site.sampled();
    const fragment = await link(visit, "full", false);
    await visit.close();
    const other = await site.visit(`${fragment}&job=job-01`);
    await other.ready();
    await other.drawn();
    assert.match(await other.page.locator("#selection").innerText(), /Job: job-01/);
    assert.match(await table(other, "table-jobs-detail"), /attempt-01_m_\d+_0node-\d+success/);
    const text = await other.page.evaluate(() => document.body.textContent ?? "");
    assert.doesNotMatch(text, REAL);
    await other.close();
  });

  test("the saved report opens as what it is", async () => {
    const visit = await site.sampled();
    const culprits = await visit.culprits();
    const path = join(OUT, "shared-report.json");
    writeFileSync(path, await visit.report());
    await visit.close();
    const other = await site.visit();
    await other.choose("choose-files", path);
    await other.ready();
    assert.deepEqual(await other.culprits(), culprits);
    assert.deepEqual(await other.report(), readFileSync(path), "and saves the same bytes");
    await other.close();
  });

  test("numbered files stand in the order in which one counts", async () => {
    const visit = await site.sampled();
    const report = JSON.parse(String(await visit.report()));
    await visit.close();
    report.coverage.forEach((/** @type {{ file: string }} */ row, /** @type {number} */ i) => (row.file = `file-${i + 1}`));
    const path = join(OUT, "numbered-report.json");
    writeFileSync(path, JSON.stringify(report));
    const other = await site.visit();
    await other.choose("choose-files", path);
    await other.ready();
    const files = await other.at("table-coverage").locator("tbody th").allTextContents();
    const numbers = files.map((name) => Number(name.slice("file-".length)));
    assert.ok(numbers.length > 10);
    assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
    await other.close();
  });

  test("the page from disk needs nothing, and opens again", async () => {
    const visit = await site.sampled();
    const causes = (await visit.culprits()).map((one) => one.split(" ")[1]);
    const path = await visit.save("download-html", "shared-report.html");
    // It holds more than the link does: all of its texts are told, too.
    const told = visit.at("page-preview");
    await told.getByText(/^Every text in the saved page/).waitFor();
    await visit.unfold();
    assert.ok(await visit.at("share-preview").isVisible(), "the link's stay");
    assert.ok((await told.locator("li").allTextContents()).some((text) => /^(archive|file)-\d+/.test(text)));
    await visit.close();
    assert.doesNotMatch(readFileSync(path, "utf8"), REAL);

    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      const context = await site.browser.newContext({ colorScheme });
      const page = await context.newPage();
      /** @type {string[]} */
      const asked = [];
      /** @type {string[]} */
      const errors = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      await page.goto(pathToFileURL(path).href);
      assert.deepEqual(asked, [pathToFileURL(path).href], "no request but for itself");
      assert.deepEqual(errors, [], "its policy fits it");
      const shown = await page.locator('[data-testid="culprit"]').evaluateAll((all) => all.map((one) => one.getAttribute("data-cause")));
      assert.deepEqual(shown, causes);
      assert.ok((await page.locator("svg").count()) >= 4, "figures");
      assert.ok((await page.locator('[data-testid^="table-peers"]').count()) >= 4, "their tables");
      const ink = await page.locator("svg text").first().evaluate((text) => getComputedStyle(text).fill);
      assert.notEqual(ink, "none");
      const ids = await page.locator("[data-testid^=view-], [data-testid^=table-]").evaluateAll((all) => all.map((one) => one.getAttribute("data-testid")));
      assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted(), "each has a name of its own");
      await page.screenshot({ path: join(OUT, `shared-page-${colorScheme}.png`), fullPage: true });
      await context.close();
    }

    const other = await site.visit();
    await other.choose("choose-files", path);
    await other.ready();
    assert.deepEqual((await other.culprits()).map((one) => one.split(" ")[1]), causes);
    await other.close();
  });

  test("the page from disk opens in Firefox", async (context) => {
    const candidates = [process.env.ODDNODE_FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"];
    const firefox = candidates.find((one) => one !== undefined && existsSync(one));
    if (firefox === undefined) return context.skip("no Firefox here (ODDNODE_FIREFOX names one)");
    const visit = await site.sampled();
    const path = await visit.save("download-html", "shared-report-firefox.html");
    await visit.close();
    const shot = join(OUT, "shared-page-firefox.png");
    // Of an earlier run.
    rmSync(shot, { force: true });
    execFileSync(firefox, ["--headless", "--screenshot", shot, pathToFileURL(path).href], { timeout: PATIENCE_MS });
    // A blank page of this size is a few kB.
    assert.ok(readFileSync(shot).length > 20_000, "something was drawn");
  });
});

test("the key turns the same link back into real names", async () => {
  const visit = await site.sampled();
  const culprits = await visit.culprits();
  const fragment = await link(visit, "verdict", false);
  const path = await visit.save("download-key", "shared-key.json");
  await visit.close();
  const other = await site.visit(fragment);
  await other.ready();
  assert.match((await other.culprits()).join(), /node-\d+/);
  // Another report's key, and one that was changed, say so and change nothing.
  const another = await site.sampled();
  const strange = await another.save("download-key", "strange-key.json");
  await another.close();
  const changed = join(OUT, "changed-key.json");
  writeFileSync(changed, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), key: "0".repeat(32) }, null, 2));
  for (const [bad, why] of /** @type {const} */ ([
    [strange, /The names stay pseudonyms: this key \(\w+\) is not the one of this report/],
    [changed, /The names stay pseudonyms: the key file is damaged/],
  ])) {
    await other.choose("choose-files", bad);
    await other.page.locator("#banner", { hasText: why }).waitFor();
    assert.match((await other.culprits()).join(), /node-\d+/);
    assert.match(await other.page.locator("#banner").innerText(), /Shared report: no logs here/);
    assert.equal(await other.page.locator("#banner [role=alert]").count(), 1);
  }
  await other.choose("choose-files", path);
  await other.page.waitForFunction(() => document.querySelector('[data-testid="culprit"]')?.getAttribute("data-node")?.startsWith("h"));
  assert.deepEqual(await other.culprits(), culprits);
  await other.close();
});

test("names that a key turns back do not stand beside their pseudonyms in the address", async () => {
  const visit = await site.sampled();
  const fragment = await link(visit, "full", false);
  const path = await visit.save("download-key", "turned-key.json");
  await visit.close();
  const other = await site.visit(`${fragment}&job=job-01`);
  await other.ready();
  const chosen = other.at("selection").first();
  await chosen.filter({ hasText: "job-01" }).waitFor();
  await other.choose("choose-files", path);
  await other.at("culprit").filter({ hasText: "h103" }).first().waitFor();
  await other.ready();
  assert.equal(await chosen.isVisible(), false, "it has another name now");
  assert.equal(await other.hash(), fragment);
  await other.drawn();
  await other.page.locator('figure[data-figure="peers"] canvas').focus();
  await other.page.keyboard.press("ArrowDown");
  await other.page.keyboard.press("Enter");
  await chosen.filter({ hasText: /Node: h\d+/ }).waitFor();
  assert.doesNotMatch(await other.hash(), REAL);
  // It stays chosen wherever one goes, and comes back after something else.
  await other.page.locator('nav a[href="#v=cluster"]').click();
  await other.page.locator('nav a[href="#v=coverage"]').click();
  await other.page.goBack();
  await other.page.evaluate(() => (location.hash = "#r=2.AAAA"));
  await other.until("error");
  await other.at("back").click();
  await other.ready();
  assert.match(await chosen.innerText(), /Node: h\d+/);
  assert.equal(await other.hash(), fragment);
  await other.close();
});

test("a saved report and its key are opened together", async () => {
  const visit = await site.sampled();
  const culprits = await visit.culprits();
  const paths = [await visit.save("download-html", "together.html"), await visit.save("download-key", "together-key.json")];
  await visit.close();
  for (const order of [paths, paths.toReversed()]) {
    const other = await site.visit();
    await other.choose("choose-files", order);
    await other.page.waitForFunction(() => document.querySelector('[data-node="h103"]') !== null);
    assert.deepEqual(await other.culprits(), culprits);
    await other.close();
  }
});

test("a key without its report is called what it is", async () => {
  const path = join(OUT, "lone-key.json");
  writeFileSync(path, '{\n  "format": "oddnode-key", "version": 1 }');
  const visit = await site.visit();
  await visit.choose("choose-files", path);
  assert.equal(await visit.until("ready", "error"), "error");
  assert.match(await visit.at("error").first().innerText(), /key/);
  await visit.close();
});

describe("forged links", () => {
  /** Name, and what is changed in the JSON. @type {[string, (json: string) => string][]} */
  const lies = [
    ["another node", (json) => json.replace(/"node":"node-\d+"/, '"node":"node-99"')],
    ["a sentence of one's own", (json) => json.replace(/"sentence":"[^"]*"/, '"sentence":"node-02 is at fault: fire its operator."')],
    ["surer than its grounds", (json) => json.replace(/"sureness":[0-9.]+/, '"sureness":0.4')],
    ["clean for all", (json) => json.replace('"outcome":"indicted"', '"outcome":"clean"')],
  ];
  for (const [name, lie] of lies) {
    test(`${name}: refused, and nothing of it is shown`, async () => {
      const visit = await site.sampled();
      const fragment = await link(visit, "verdict", false);
      await visit.close();
      const bad = forged(fragment, lie);
      assert.notEqual(bad, fragment);
      const other = await site.visit(bad);
      await other.until("ready", "error");
      assert.deepEqual(await other.culprits(), []);
      assert.match(await other.text(), /Refused/);
      assert.equal(await other.at("verdict").first().isVisible(), false, "no card");
      assert.equal(await other.at("share-link").count(), 0, "nothing of it is passed on");
      await other.close();
    });
  }

  test("the same link put together anew opens", async () => {
    const visit = await site.sampled();
    const fragment = await link(visit, "verdict", false);
    await visit.close();
    const other = await site.visit(forged(fragment, (json) => json));
    await other.ready();
    assert.ok((await other.culprits()).length > 0);
    await other.close();
  });
});

test("every text that leaves is shown before", async () => {
  const visit = await site.sampled();
  assert.match(await visit.at("download-report").innerText(), /real names/);
  const fragment = await link(visit, "report", false);
  const preview = (await visit.at("share-preview").first().textContent()) ?? "";
  const json = inflateRawSync(Buffer.from(fragment.slice(5), "base64url").subarray(8)).toString();
  const sentence = /"sentence":"([^"]*)"/.exec(json)?.[1] ?? "nothing";
  assert.ok(preview.includes(sentence.replaceAll("\\u2019", "\u2019")), sentence);
  assert.doesNotMatch(preview, REAL);
  await visit.close();
});

test("the link of another choice is gone until the new one is there", async () => {
  const visit = await site.sampled();
  const pseudonyms = await visit.link();
  /** Turns the names so often in one go, before any answer can come. @param {number} times */
  const turn = (times) =>
    visit.page.evaluate((times) => {
      const at = (/** @type {string} */ id) => document.querySelector(`[data-testid="${id}"]`);
      for (let i = 0; i < times; i += 1) /** @type {HTMLElement} */ (at("real-names")).click();
      const off = ["ticket-markdown", "ticket-text"].map((id) => /** @type {HTMLButtonElement} */ (at(id)).disabled);
      return [/** @type {HTMLInputElement} */ (at("share-link")).value, ...off];
    }, times);
  const copy = visit.page.getByRole("button", { name: "Copy link" });
  assert.deepEqual(await turn(1), ["", true, true]);
  await linked(visit);
  const real = await visit.link();
  assert.notEqual(real, pseudonyms);
  assert.equal(await copy.isEnabled(), true);
  // To and fro and to: the link is that of what is chosen last, whichever answer comes first.
  assert.deepEqual(await turn(3), ["", true, true]);
  await linked(visit);
  assert.equal(await visit.link(), pseudonyms);
  await visit.close();
});

test("without a clipboard, as over plain http, a text is to be copied by hand", async () => {
  const visit = await site.sampled();
  await visit.page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  // What it says passes: all of it is kept, and the second click comes while it says what came of the first.
  const told = await visit.page.getByRole("button", { name: "Copy link" }).evaluate((button) => {
    const told = /** @type {(string | null)[]} */ ([]);
    return new Promise((/** @type {(told: (string | null)[]) => void} */ done) => {
      new MutationObserver(() => {
        told.push(button.textContent);
        if (told.length === 1) setTimeout(() => /** @type {HTMLElement} */ (button).click());
        if (button.textContent === "Copy link") done(told);
      }).observe(button, { childList: true });
      /** @type {HTMLElement} */ (button).click();
    });
  });
  const byHand = "Select the text and copy it";
  assert.deepEqual(told, [byHand, byHand, "Copy link"]);
  await visit.close();
});

test("a ticket's text has the evidence and the command", async () => {
  const visit = await site.sampled();
  await visit.page.waitForFunction(() => document.querySelector(".evidence .raw")?.textContent);
  await visit.unfold();
  const ticket = async () => {
    await visit.at("ticket-markdown").first().click();
    await visit.at("ticket").first().waitFor();
    return (await visit.at("ticket").first().textContent()) ?? "";
  };
  const hidden = await ticket();
  assert.match(hidden, /^## node-\S+ is at fault/);
  assert.doesNotMatch(hidden, REAL);
  assert.ok(hidden.includes("[Verdict link; its names are pseudonyms]("), hidden.slice(-200));
  await visit.at("real-names").first().check();
  await linked(visit);
  const markdown = await ticket();
  assert.match(markdown, /^## h103 is at fault/);
  assert.match(markdown, /```sh\noddnode diagnose sample\.tar\.gz\n```/);
  const raw = (await visit.page.locator(".evidence .raw").first().textContent()) ?? "nothing";
  assert.ok(markdown.includes(raw.slice(0, 60)), "with the logs' own lines");
  const link = await visit.at("share-link").first().inputValue();
  assert.ok(link.length <= 2000 && markdown.endsWith(`(${link})\n`), "with the link, the address counted");
  await visit.at("ticket-text").first().click();
  await visit.page.waitForFunction(() => !document.querySelector('[data-testid="ticket"]')?.textContent?.includes("##"));
  const text = (await visit.at("ticket").first().textContent()) ?? "";
  // The command ends with 3 where there is a culprit. It quotes the logs' lines too; the sentence is the same.
  const command = spawnSync(BIN, ["diagnose", "--format", "ticket", "--workers", "1", SAMPLE], { encoding: "utf8" });
  assert.equal(command.status, 3);
  assert.equal(text.split("\n").slice(0, 3).join("\n"), command.stdout.split("\n").slice(0, 3).join("\n"));
  await visit.close();
});

describe("a report at an address", () => {
  test("on the page's own host it opens", async () => {
    const visit = await site.sampled();
    const culprits = await visit.culprits();
    const body = await visit.report();
    await visit.close();
    const other = await site.visit();
    await other.page.route("**/beside.json", (route) => route.fulfill({ body, contentType: "application/json" }));
    await other.page.evaluate(() => (location.hash = "#url=./beside.json"));
    await other.until("ready", "error");
    assert.deepEqual(await other.culprits(), culprits);
    await other.close();
  });

  test("on another host nothing is asked, and the reason is told", async () => {
    const visit = await site.visit(`#url=${encodeURIComponent("https://example.org/report.json")}`);
    assert.equal(await visit.until("ready", "error"), "error");
    assert.match(await visit.at("error").first().innerText(), /another host[\s\S]*example\.org/);
    await visit.close();
  });
});

describe("two runs compared", { skip: existsSync(join(DATA, "hadoop1/r22.tar.gz")) ? false : "no labelled runs beside the repository" }, () => {
  const [control, faulty] = ["r22", "r06"].map((run) => join(DATA, "hadoop1", `${run}.tar.gz`));

  test("the faulty one after the control names node and change", async () => {
    const visit = await site.visit();
    await visit.choose("choose-files", faulty);
    await visit.ready();
    await visit.page.getByTestId("choose-compare").setInputFiles(control);
    const says = visit.at("compare-sentence");
    await visit.ready();
    assert.equal(await says.count(), 1, "ready once they are compared");
    assert.match(await says.innerText(), /^Now: h103 \(CPU\) at fault; before: no node stands out; .* on h103 takes /);
    assert.ok((await visit.at("table-compare-jobs").locator("tbody tr").count()) > 0);
    // Both runs' tasks on one axis, the one before above.
    const lanes = visit.page.locator('figure[data-figure="swimlanes-compared"]');
    await lanes.scrollIntoViewIfNeeded();
    await lanes.locator("canvas[data-frames]").waitFor();
    const told = (await visit.at("table-swimlanes-compared").textContent()) ?? "";
    assert.ok(/before(Map|Reduce)/.test(told) && /now(Map|Reduce)/.test(told), told.slice(0, 200));
    await lanes.screenshot({ path: join(OUT, "swimlanes-compared.png") });
    await visit.at("table-differences").first().waitFor({ state: "attached" });
    await visit.page.screenshot({ path: join(OUT, "compared.png"), fullPage: true });
    await visit.close();
  });

  test("both dropped together compare, too", async () => {
    const visit = await site.visit();
    // By name r06 comes first: it is the run before.
    await visit.page.getByTestId("choose-compare").setInputFiles([control, faulty]);
    const says = visit.at("compare-sentence").first();
    await says.waitFor({ timeout: PATIENCE_MS });
    assert.match(await says.innerText(), /^Now: no node stands out; before: h103 \(CPU\) at fault/);
    await visit.close();
  });
});

test("two runs of one name are two", async () => {
  const visit = await site.visit();
  await visit.page.getByTestId("choose-compare").setInputFiles(alike("logs.tar.gz", SAMPLE, join(DIST, "samples/slow-disk.tar.gz")));
  await visit.at("compare-sentence").first().waitFor();
  const table = await visit.at("table-compare-verdicts").innerText();
  assert.match(table, /before: logs \(2\)\.tar\.gz[\s\S]*now: logs\.tar\.gz/);
  await visit.close();
});

test("of two runs that are chosen one right behind the other, the last is compared", async () => {
  const visit = await site.sampled();
  const chooser = visit.page.getByTestId("choose-compare");
  const [first, last] = ["slow-disk", "lost-packets"].map((name) => join(DIST, "samples", `${name}.tar.gz`));
  // Of two calls at once nobody knows which comes first.
  await chooser.setInputFiles(first);
  await chooser.setInputFiles(last);
  await visit.ready();
  assert.match(await visit.at("table-compare-verdicts").innerText(), /before: lost-packets/);
  assert.equal(await visit.at("compare-sentence").count(), 1);
  assert.equal(await visit.page.locator("#offer-compare").isVisible(), true);
  // And a third one is taken after them.
  await chooser.setInputFiles(first);
  await visit.page.waitForFunction(() => document.querySelector('[data-testid="table-compare-verdicts"]')?.textContent?.includes("before: slow-disk"));
  await visit.ready();
  await visit.close();
});

test("a comparison that ends with the verdict that it was made for is told to be gone", async () => {
  const visit = await site.sampled();
  await visit.page.getByTestId("choose-compare").setInputFiles(join(DIST, "samples/slow-disk.tar.gz"));
  await visit.at("compare-sentence").waitFor();
  await visit.ready();
  await visit.at("fix-clocks").check();
  await visit.at("apply-clocks").click();
  await visit.page.locator("#compare-says", { hasText: "compare again" }).waitFor();
  assert.equal(await visit.at("compare-sentence").count(), 0);
  await visit.ready();
  await visit.page.getByTestId("choose-compare").setInputFiles(join(DIST, "samples/slow-disk.tar.gz"));
  await visit.at("compare-sentence").waitFor();
  await visit.page.locator("#compare-says:empty").waitFor({ state: "attached" });
  await visit.close();
});

test("a comparison that meets another analysis is made with the verdict of that", async () => {
  const visit = await site.sampled();
  const { heard, free } = await visit.hold("Analyse");
  await visit.at("fix-clocks").check();
  await visit.at("apply-clocks").click();
  await heard("Analyse");
  await visit.page.getByTestId("choose-compare").setInputFiles(join(DIST, "samples/slow-disk.tar.gz"));
  await heard("Compare");
  await free();
  await visit.at("compare-sentence").waitFor();
  await visit.ready();
  await visit.drawn();
  assert.ok(await visit.at("compare-sentence").isVisible());
  assert.equal(JSON.parse(String(await visit.report())).parameters.fix_clocks, true);
  assert.match(await table(visit, "table-differences"), /\w/);
  await visit.close();
});

test("a kept run survives a reload until it is forgotten", async () => {
  const visit = await site.sampled();
  const culprits = await visit.culprits();
  await visit.at("keep").first().click();
  await visit.at("kept-run").first().waitFor();
  await visit.page.reload();
  await visit.until("empty");
  const kept = visit.at("kept-run").first();
  await kept.waitFor();
  assert.match(await kept.innerText(), /kept \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [A-Z]/, "with its zone");
  assert.match(await kept.innerText(), /sample\.tar\.gz \(\d/);
  await kept.getByRole("button", { name: "Open" }).click();
  await visit.ready();
  assert.deepEqual(await visit.culprits(), culprits);
  await visit.at("forget-all").first().click();
  await visit.page.waitForFunction(() => document.querySelector('[data-testid="kept-run"]') === null);
  await visit.page.reload();
  await visit.until("empty");
  const stored = await visit.page.evaluate(async () => {
    const names = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
    return names;
  });
  assert.deepEqual(stored, [], "there is nothing that could be listed");
  await visit.close();
});

test("runs of one name are kept side by side, one run once, and the button's neighbour says so", async () => {
  const visit = await site.visit();
  const says = visit.at("keep-says").first();
  const rows = visit.at("kept-run");
  for (const [i, path] of alike("logs.tar.gz", SAMPLE, join(DIST, "samples/job-bug.tar.gz")).entries()) {
    await visit.choose("choose-files", path);
    if (i > 0) await visit.until("working");
    await visit.ready();
    await visit.at("keep").first().click();
    // The button's word passes.
    await visit.page.waitForFunction(() => {
      const [word, sentence] = ["keep", "keep-says"].map((id) => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "");
      return word === "Kept" && sentence.startsWith("Kept in this browser");
    });
    assert.equal(await rows.count(), i + 1);
    await visit.at("keep").first().click();
    await says.filter({ hasText: "The same run was kept already" }).waitFor();
    assert.equal(await rows.count(), i + 1);
  }
  const names = await rows.allInnerTexts();
  assert.ok(names.every((name) => name.startsWith("logs.tar.gz (")) && names[0] !== names[1], names.join());
  await rows.last().getByRole("button", { name: "Open" }).click();
  await visit.page.locator('[data-node="h103"]').first().waitFor();
  assert.match(await visit.at("table-coverage").innerText(), /logs\.tar\.gz\/sample\/h103/);
  // Whoever steers by keys goes on from the row that takes the place of the one that is gone.
  await rows.first().getByRole("button", { name: "Forget" }).press("Enter");
  await rows.nth(1).waitFor({ state: "detached" });
  await visit.page.waitForFunction(() => document.activeElement?.closest('[data-testid="kept-run"]') !== null);
  await visit.at("forget-all").first().click();
  await visit.close();
});

test("all tabs list the runs that are kept", async () => {
  const visit = await site.sampled();
  const other = await visit.context.newPage();
  await other.goto(site.server.url);
  const list = other.getByTestId("kept-run");
  // The first may stand in the list that the other tab begins with; all that follows it was told of.
  for (let turn = 0; turn < 2; turn += 1) {
    await visit.at("keep").first().click();
    await list.first().waitFor();
    await visit.at("forget-all").first().click();
    await list.first().waitFor({ state: "detached" });
  }
  await visit.close();
});

test("on a later visit the workers' module comes from the cache of its build", async () => {
  const own = await start();
  const visit = await own.visit("", { serviceWorkers: "allow" });
  const asked = () => own.server.asked.filter((path) => path.endsWith("/worker_bg.wasm")).length;
  await visit.kept();
  const once = asked();
  assert.ok(once >= 1, "it is fetched to be kept");
  await visit.page.reload();
  await visit.until("empty");
  await visit.works();
  assert.equal(asked(), once, "nobody is asked again");
  await visit.close();
  await own.close();
});

test("after one visit the page and a link work without a network", async () => {
  const own = await start();
  const visit = await own.visit("", { serviceWorkers: "allow" });
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  const whole = await visit.link();
  await visit.kept();
  await own.server.close();
  await visit.page.goto(whole);
  await visit.page.reload();
  await visit.ready();
  assert.equal((await visit.culprits()).length, 1);
  await visit.context.close();
  await own.browser.close();
});

test("no page gets a part of its code from the cache and another from the network", async () => {
  const own = await start();
  const visit = await own.visit("", { serviceWorkers: "allow" });
  await visit.kept();
  const { asked, broken, url } = own.server;
  const at = (/** @type {string} */ file) => new URL(file, url).pathname;
  // What is kept may be of another build than the page that the network gives.
  broken.add(at("app_bg.wasm"));
  await visit.page.reload();
  assert.equal(await visit.until("empty", "error"), "error");
  // And what the network gives of another than the page that is kept.
  broken.add(at("./"));
  const before = asked.length;
  await visit.page.reload();
  await visit.until("empty");
  await visit.works();
  const code = asked.slice(before).filter((path) => /\.(js|wasm|css)$/.test(path) && path !== at("sw.js"));
  assert.deepEqual(code, []);
  await visit.close({ errors: [/Failed to load resource/] });
  await own.close();
});

/**
 * This build under other names, for what knows a build by its module.
 * @param {string} folder @param {string[]} names
 */
function buildOf(folder, ...names) {
  const root = join(OUT, folder);
  rmSync(root, { recursive: true, force: true });
  cpSync(DIST, root, { recursive: true });
  // Sections that nobody reads.
  const sections = names.map((name) => Buffer.from([0, name.length + 1, name.length, ...Buffer.from(name)]));
  for (const file of ["app_bg.wasm", "worker_bg.wasm"]) appendFileSync(join(root, file), Buffer.concat(sections));
  return root;
}

test("a page that comes anew has all its code anew, whatever the browser need not ask for", async () => {
  const own = await start();
  own.server.seconds = 3600;
  const visit = await own.visit("", { serviceWorkers: "allow" });
  await visit.kept();
  const root = buildOf("anew");
  const page = join(root, "index.html");
  writeFileSync(page, readFileSync(page, "utf8").replace("<html ", '<html data-page="anew" '));
  appendFileSync(join(root, "app.js"), ';document.documentElement.dataset.code = "anew";');
  own.server.root = root;
  const has = () => visit.page.evaluate(() => [document.documentElement.dataset.page, document.documentElement.dataset.code]);
  for (const come of [() => visit.page.reload(), () => visit.page.goto(own.server.url)]) {
    await come();
    await visit.until("empty");
    assert.deepEqual(await has(), ["anew", "anew"]);
  }
  await visit.works();
  await visit.close();
  await own.close();
});

test("what is kept under a build's name is that build, or nothing", async () => {
  const own = await start();
  const visit = await own.visit("", { serviceWorkers: "allow" });
  await visit.kept();
  const names = () => visit.page.evaluate(() => caches.keys());
  const before = await names();
  const end = (/** @type {string} */ build) =>
    visit.page.evaluate(async (build) => {
      const worker = (await navigator.serviceWorker.register(`./sw.js?build=${build}`)).installing;
      while (worker?.state !== "redundant" && worker?.state !== "activated") await new Promise((over) => setTimeout(over, 10));
      return worker.state;
    }, build);
  assert.equal(await end("newer"), "redundant");
  assert.deepEqual(await names(), before);
  own.server.root = buildOf("newer", "newer");
  assert.equal(await end("newer"), "activated");
  assert.deepEqual(await names(), [before[0].replace(/ \S*$/, " newer")]);
  await visit.close();
  await own.close();
});

test("a page goes on with the workers' code that it has, whatever lies on the server by then", async () => {
  const own = await start();
  const visit = await own.visit();
  await visit.works();
  own.server.root = buildOf("other");
  for (const file of ["worker.js", "worker_bg.wasm"]) writeFileSync(join(own.server.root, file), "of another build");
  await visit.works();
  await visit.at("choose-controls").setInputFiles(SAMPLE);
  await visit.at("baseline").filter({ hasText: /^Baseline: / }).waitFor();
  await visit.ready();
  await visit.close();
  await own.close();
});

test("pages of one origin leave each other's files alone", async () => {
  const own = await start();
  const visit = await own.visit("", { serviceWorkers: "allow" });
  await visit.kept();
  const inner = await visit.context.newPage();
  await inner.goto(new URL(INNER_PATH, own.server.url).href);
  const names = () => inner.evaluate(() => caches.keys());
  await inner.waitForFunction(async () => (await caches.keys()).length === 2);
  // Of the times when the build alone made the name: this page's, and the other's.
  await inner.evaluate(async (outer) => {
    await (await caches.open("oddnode-files-old")).put("./", new Response("old"));
    await (await caches.open("oddnode-files-older")).put(outer, new Response("older"));
  }, own.server.url);
  const [kept] = (await names()).filter((name) => name.startsWith(`oddnode-files-${own.server.url} `));
  assert.ok(kept, String(await names()));
  own.server.root = buildOf("newest", "newer", "newest");
  await inner.evaluate(() => navigator.serviceWorker.register("./sw.js?build=newer"));
  await inner.locator("#update").waitFor();
  const newer = `oddnode-files-${new URL(INNER_PATH, own.server.url).href} newer`;
  await inner.waitForFunction(async () => (await caches.keys()).length === 3);
  assert.deepEqual(new Set(await names()), new Set([kept, newer, "oddnode-files-older"]));
  // A newer one of the outer page, in whose folder the inner one lies, is not for the inner one.
  await inner.reload();
  await inner.waitForFunction(() => document.documentElement.dataset.state === "empty");
  await visit.page.evaluate(() => navigator.serviceWorker.register("./sw.js?build=newest"));
  await visit.page.locator("#update").waitFor();
  await visit.page.waitForFunction(async () => (await caches.keys()).length === 2);
  assert.equal(await inner.locator("#update").isVisible(), false);
  await own.server.close();
  for (const page of [inner, visit.page]) {
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.state === "empty");
  }
  await visit.context.close();
  await own.browser.close();
});
