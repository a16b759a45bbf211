// What goes wrong ends in words, and the page stays usable.
// @ts-check
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertSameReport, diagnose, peakRendererMb, start, unpackedSample } from "./harness.mjs";
import * as made from "./made.mjs";
import { DIST, OUT, SAMPLE } from "./paths.mjs";

/** Size of the longest line tried; a machine short of disk may ask for less. */
const LINE_MB = Number(process.env.ODDNODE_LINE_MB ?? 1024);
/** A page may hold this much while it reads a line of any length: an idle one has some 130 MB. */
const PEAK_MB = 512;

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

describe("bad input", () => {
  /** Name, file, and what must be said of it, which no page says by itself. */
  const inputs = /** @type {const} */ ([
    ["an archive cut in the middle", made.truncatedArchive, /truncated\.tar\.gz ends too early/],
    ["an archive damaged in the middle", made.damagedGz, /damaged\.tar\.gz has a damaged archive header/],
    ["a gz of noise", made.noiseGz, /noise\.gz is not in a format that oddnode reads/],
    ["an archive without files", made.emptyArchive, /empty\.tar\.gz holds no file/],
    ["an empty file", made.emptyFile, /nothing\.log is empty/],
    ["an archive of pictures", made.pictures, /pictures\/80\.png is not in a format that oddnode reads/],
    ["an archive that grows without end", made.bomb, /bomb\.tar\.gz .*grows beyond the limit/],
  ]);
  for (const [what, make, words] of inputs) {
    test(`${what} is called what it is`, async () => {
      const visit = await site.visit();
      await visit.choose("choose-files", make());
      // What could be read of a cut archive may carry a verdict; then the loss is told beside it.
      const state = await visit.until("error", "ready");
      assert.match(state === "error" ? await visit.at("error").first().innerText() : await visit.text(), words);
      await visit.works();
      await visit.close();
    });
  }

  test("a folder without files is no file that cannot be read", async (context) => {
    const folder = join(OUT, "hollow");
    mkdirSync(join(folder, "inner"), { recursive: true });
    context.after(() => rmSync(folder, { recursive: true }));
    const visit = await site.visit();
    await visit.drop(folder);
    await visit.until("error");
    const says = await visit.at("error").first().innerText();
    assert.match(says, /No file was given\. Drop an archive, files or a folder with logs/);
    assert.doesNotMatch(says, /could not be/);
    await visit.close();
  });

  test(`a line of ${LINE_MB} MB is read in bounded memory`, async (context) => {
    const path = made.longLine(LINE_MB);
    context.after(() => rmSync(path, { force: true }));
    const visit = await site.visit();
    const began = Date.now();
    await visit.choose("choose-files", path);
    await visit.until("error", "ready");
    const peak = peakRendererMb();
    context.diagnostic(`${Date.now() - began} ms, renderer's peak ${peak?.toFixed(0) ?? "unknown"} MB`);
    if (peak !== undefined) assert.ok(peak < PEAK_MB, `the renderer held ${peak.toFixed(0)} MB`);
    assert.match(await visit.text(), /one-line\.log has a line beyond the limit/);
    await visit.works();
    await visit.close();
  });
});

test("numbers as large as 64 bits hold are taken as others are, in addresses, logs and reports", async () => {
  const visit = await site.visit(`#t=-9223372036854775808..${made.FAR}`);
  await visit.works();
  const report = await visit.report();
  await visit.drawn();
  assert.doesNotMatch(await visit.text(), /could not be drawn/);
  const path = made.endlessMap();
  await visit.choose("choose-files", path);
  await visit.page.waitForFunction(() => document.querySelector("#coverage")?.textContent?.includes("endless-map"));
  await visit.ready();
  assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
  assertSameReport(await visit.report(), await diagnose(path));
  await visit.page.getByTestId("choose-compare").setInputFiles(made.farReport(report, "read_bytes"));
  await visit.at("compare-sentence").waitFor();
  await visit.ready();
  await visit.drawn();
  assert.doesNotMatch(await visit.text(), /could not be drawn/, "whoever compared them still draws");
  await visit.choose("choose-files", made.farReport(report, "finish_ms"));
  await visit.page.locator("#banner", { hasText: "Shared report" }).waitFor();
  await visit.drawn();
  assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
  await visit.close();
});

test("work can be cancelled, and the page takes the next archive", async (context) => {
  const path = made.longLine(Math.min(LINE_MB, 512));
  context.after(() => rmSync(path, { force: true }));
  const visit = await site.visit();
  await visit.choose("choose-files", path);
  assert.ok(await visit.giveUp(), "it is still read");
  assert.equal(await visit.until("empty", "error", "ready"), "empty");
  assert.equal(await visit.page.evaluate(() => document.activeElement?.id), "choose-files", "keys go on from there");
  await visit.works();
  await visit.close();
});

test("a folder is not gone through any further once that is cancelled, and what ends meanwhile is shown", async () => {
  const visit = await site.sampled();
  const usual = await visit.hash();
  await visit.page.evaluate(() => {
    const files = { asked: 0, free: () => {} };
    Object.assign(window, { files });
    const free = new Promise((/** @type {(done: void) => void} */ done) => (files.free = done));
    // Chromium does not name the interfaces of entries.
    const take = DataTransferItem.prototype.webkitGetAsEntry;
    DataTransferItem.prototype.webkitGetAsEntry = function () {
      const entry = /** @type {any} */ (take.call(this));
      const make = entry.createReader.bind(entry);
      entry.createReader = () => {
        const reader = make();
        const read = reader.readEntries.bind(reader);
        reader.readEntries = (/** @type {any} */ done, /** @type {any} */ failed) =>
          read((/** @type {any[]} */ entries) => {
            for (const one of entries) {
              const ask = one.file.bind(one);
              one.file = (/** @type {any} */ given, /** @type {any} */ failed) => {
                files.asked += 1;
                void free.then(() => ask(given, failed));
              };
            }
            done(entries);
          }, failed);
        return reader;
      };
      return entry;
    };
  });
  const folder = join(OUT, "long");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < 300; i += 1) writeFileSync(join(folder, `${i}.log`), "nothing\n");
  const { heard, free } = await visit.hold("Analyse");
  await visit.at("fix-clocks").check();
  await visit.at("apply-clocks").click();
  await heard("Analyse");
  await visit.drop(folder);
  const asked = () => visit.page.evaluate(() => /** @type {any} */ (window).files.asked);
  await visit.page.waitForFunction(() => /** @type {any} */ (window).files.asked > 8);
  await free();
  assert.ok(await visit.at("cancel").isVisible(), "it is still gone through");
  const before = await asked();
  assert.ok(await visit.giveUp());
  await visit.ready();
  assert.equal(await visit.hash(), usual);
  await visit.drawn();
  await visit.page.evaluate(() => /** @type {any} */ (window).files.free());
  await visit.page.waitForTimeout(300);
  assert.equal(await asked(), before);
  assert.equal(JSON.parse(String(await visit.report())).parameters.fix_clocks, true, "the analysis had ended");
  await visit.close();
});

const picture = { name: "chart.png", mimeType: "image/png", buffer: Buffer.from("\x89PNG\r\n\x1a\n") };

test("what cannot be read, or is cancelled, gives the verdict before back", async (context) => {
  const path = made.longLine(Math.min(LINE_MB, 512));
  context.after(() => rmSync(path, { force: true }));
  const visit = await site.visit();
  await visit.works();
  const title = await visit.page.title();
  assert.match(title, /h103/);
  await visit.page.getByTestId("choose-files").setInputFiles(picture);
  await visit.until("error");
  assert.equal(await visit.page.title(), "oddnode", "no verdict of other logs");
  await visit.at("back").first().click();
  // The error may still stand.
  await visit.until("ready");
  assert.equal(await visit.page.title(), title);
  await visit.choose("choose-files", path);
  assert.ok(await visit.giveUp(), "it is still read");
  await visit.ready();
  assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
  await visit.drawn();
  assert.equal(await visit.page.title(), title);
  await visit.close();
});

test("a picture teaches nothing, and is called no log", async () => {
  const visit = await site.visit();
  await visit.works();
  await visit.page.getByTestId("choose-controls").setInputFiles(picture);
  await visit.page.locator("#baseline-says", { hasText: /No baseline: none of .*a log/ }).waitFor();
  assert.equal(await visit.state(), "ready");
  await visit.page.getByTestId("choose-controls").dispatchEvent("change");
  assert.match(await visit.page.locator("#baseline-says").innerText(), /No baseline: no file was given/);
  await visit.close();
});

test("a name that looks like markup is shown as text", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", made.named('<img src=x onerror="document.title=1">.log'));
  await visit.until("error");
  assert.ok((await visit.text()).includes("<img src=x onerror="), "what it is called is told");
  assert.notEqual(await visit.page.title(), "1");
  assert.equal(await visit.page.locator('img[src="x"]').count(), 0);
  await visit.close();
});

test("a sample that is long in coming is told of, and can be cancelled", async () => {
  const visit = await site.visit();
  let give = () => {};
  const asked = new Promise((/** @type {(done: void) => void} */ done) => (give = done));
  await visit.page.route("**/sample.tar.gz", async (route) => {
    await asked;
    await route.continue().catch(() => {});
  });
  await visit.at("sample").first().click();
  await visit.page.locator("#progress-words", { hasText: "Fetching the sample" }).waitFor();
  assert.ok(await visit.giveUp());
  assert.equal(await visit.until("empty"), "empty");
  await visit.at("sample").first().click();
  assert.equal(await visit.state(), "working");
  give();
  await visit.ready();
  assert.equal((await visit.culprits()).length, 1);
  await visit.close();
});

test("figures that are out of the page are not laid out", async () => {
  const visit = await site.visit();
  await visit.page.addInitScript(() => {
    const widths = /** @type {number[]} */ ([]);
    Object.assign(window, { widths });
    window.Worker = class extends window.Worker {
      /** @param {any} message @param {any} rest */
      postMessage(message, rest) {
        super.postMessage(message, rest);
        const asked = message[0]?.Ask?.[1].LayOut;
        if (asked) widths.push(asked.look.width_css_px);
      }
    };
  });
  await visit.page.reload({ waitUntil: "load" });
  await visit.until("empty");
  await visit.works();
  await visit.drawn();
  const widths = () => visit.page.evaluate(() => /** @type {number[]} */ (/** @type {any} */ (window).widths));
  assert.ok((await widths()).length > 0, "what is asked is seen here");
  await visit.page.route("**/sample.tar.gz", () => {});
  // In one go: figures that are near the screen go with the rest of the verdict, and are chosen in.
  await visit.page.evaluate(() => {
    document.getElementById("sample")?.click();
    location.hash = "#node=h101";
  });
  await visit.page.locator("#selection", { hasText: "h101" }).waitFor({ state: "attached" });
  assert.deepEqual((await widths()).filter((width) => width <= 0), []);
  assert.ok(await visit.giveUp());
  await visit.ready();
  await visit.drawn();
  await visit.page.unrouteAll({ behavior: "ignoreErrors" });
  await visit.close();
});

for (const late of ["app.js", "app_bg.wasm"]) {
  for (const [how, give] of /** @type {const} */ ([
    ["chosen", (/** @type {import("./harness.mjs").Visit} */ visit) => visit.choose("choose-files", SAMPLE)],
    ["dropped", (/** @type {import("./harness.mjs").Visit} */ visit) => visit.drop(SAMPLE)],
  ])) {
    test(`files ${how} before the page listens are read once it does (${late})`, async () => {
      const visit = await site.visit();
      let listen = () => {};
      const given = new Promise((/** @type {(done: void) => void} */ done) => (listen = done));
      await visit.page.route(`**/${late}`, async (route) => {
        await given;
        await route.continue();
      });
      await visit.page.goto(site.server.url, { waitUntil: "commit" });
      await visit.at("drop").first().waitFor();
      assert.equal(await visit.state(), undefined, "no state while nobody listens");
      await visit.page.waitForFunction(() => performance.getEntriesByName(`${location.href}boot.js`).length > 0);
      await give(visit);
      listen();
      await visit.ready();
      assert.equal((await visit.culprits()).length, 1);
      await visit.close();
    });
  }
}

test("a folder dropped before the page listens is asked for again", async () => {
  const visit = await site.visit();
  let listen = () => {};
  const given = new Promise((/** @type {(done: void) => void} */ done) => (listen = done));
  await visit.page.route("**/app_bg.wasm", async (route) => {
    await given;
    await route.continue();
  });
  await visit.page.goto(site.server.url, { waitUntil: "domcontentloaded" });
  await visit.drop(unpackedSample());
  await visit.page.getByTestId("opening").filter({ hasText: "Drop the folder again" }).waitFor();
  listen();
  await visit.until("empty");
  assert.equal(await visit.page.getByTestId("opening").isVisible(), false);
  await visit.close();
});

test("a page whose module has ended says so", async () => {
  const visit = await site.visit();
  await visit.works();
  // Of others' errors it says nothing.
  await visit.page.evaluate(() => dispatchEvent(new ErrorEvent("error", { error: new Error("an extension's") })));
  assert.equal(await visit.state(), "ready");
  await visit.page.evaluate(() => dispatchEvent(new ErrorEvent("error", { error: new WebAssembly.RuntimeError("unreachable") })));
  assert.equal(await visit.state(), "error");
  assert.match(await visit.at("error").innerText(), /This page broke down: unreachable\. Reload it/);
  await visit.page.reload();
  await visit.works();
  await visit.close();
});

test("the workers' code is fetched once, as soon as files are dragged over the page", async () => {
  const visit = await site.visit();
  let fetched = 0;
  visit.page.on("request", (request) => (fetched += Number(request.url().includes("/worker_bg.wasm"))));
  const drag = () =>
    visit.page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["some"], "some.log"));
      document.dispatchEvent(new DragEvent("dragenter", { bubbles: true, cancelable: true, dataTransfer }));
    });
  assert.equal(fetched, 0, "a visit alone fetches none");
  const begun = visit.page.waitForRequest("**/worker_bg.wasm*");
  await drag();
  await begun;
  await drag();
  await visit.works();
  await visit.works();
  assert.equal(fetched, 1);
  await visit.close();
});

test("the workers' code that is not there is told as that, and one of another type is fetched once", async () => {
  const visit = await site.visit();
  const code = "**/worker_bg.wasm*";
  await visit.page.route(code, (route) => route.fulfill({ status: 404, body: "not here" }));
  await visit.choose("choose-files", SAMPLE);
  await visit.until("error");
  assert.match(await visit.at("error").first().innerText(), /the server says 404/);
  await visit.page.unroute(code);
  let fetched = 0;
  const body = readFileSync(join(DIST, "worker_bg.wasm"));
  await visit.page.route(code, (route) => {
    fetched += 1;
    return route.fulfill({ body, contentType: "application/octet-stream" });
  });
  await visit.works();
  assert.equal(fetched, 1);
  await visit.close({ errors: [/404/] });
});

test("text that is dragged within the page is no matter of the page's", async () => {
  const visit = await site.visit();
  await visit.works();
  const prevented = await visit.page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData("text/plain", "h103");
    const on = document.querySelector("#verdict-card");
    const kinds = ["dragenter", "dragover", "drop"];
    return kinds.filter((kind) => !on?.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer })));
  });
  assert.deepEqual(prevented, [], "the browser does with it what it does");
  assert.equal(await visit.page.locator("[data-over]").count(), 0, "nothing asks to drop it");
  assert.equal(await visit.state(), "ready");
  // Files of the same look are taken.
  await visit.drop(made.named("notes.txt"));
  assert.equal(await visit.until("error"), "error");
  await visit.close();
});

test("where files are held is marked what takes them, and nothing else", async () => {
  const visit = await site.sampled();
  const over = (/** @type {string} */ on) =>
    visit.page.evaluate((on) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["some"], "some.log"));
      const event = (/** @type {string} */ kind) => new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer });
      document.querySelector(on)?.dispatchEvent(event("dragover"));
      const marked = [...document.querySelectorAll("[data-over]")].map((one) => one.id);
      document.dispatchEvent(event("dragleave"));
      return [...marked, document.querySelectorAll("[data-over]").length];
    }, on);
  assert.deepEqual(await over("#compare .note"), ["compare", 0]);
  assert.deepEqual(await over("#baseline-says"), ["controls", 0]);
  assert.deepEqual(await over("#verdict-card"), ["intake", 0]);
  await visit.close();
});

test("a page that is opened from disk says how it can start", async () => {
  const context = await site.browser.newContext();
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(DIST, "index.html")).href);
  await page.locator("#from-disk").waitFor({ state: "visible" });
  await context.close();
  const visit = await site.visit();
  assert.equal(await visit.page.locator("#from-disk").isVisible(), false, "not where it can start");
  await visit.close();
});
