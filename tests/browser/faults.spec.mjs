// The browser and the disk fail: a worker breaks, runs out of memory or is stopped, a file changes under
// our hands, there is no room to keep anything. Each time the page says so, keeps the rest and goes on.
// @ts-check
import assert from "node:assert/strict";
import { appendFileSync, copyFileSync, cpSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SUB_PATH, assertSameReport, diagnose, start, unpackedSample } from "./harness.mjs";
import * as made from "./made.mjs";
import { DIST, OUT, SAMPLE } from "./paths.mjs";

/** Long enough to be still read when something happens to it. */
const LONG_MB = 256;
/** The same of a file that is a hole but for its begin: that is read faster, and takes no room on the disk. */
const HOLE_BYTES = 16 * 2 ** 30;

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** @typedef {import("./harness.mjs").Visit} Visit */

/**
 * Does something to a worker once it was asked a question: `junk` makes its code panic, `terminate` is
 * what a browser does that wants memory back. `about` is to stand in the question.
 * @param {Visit} visit @param {string} question @param {"junk" | "terminate"} what @param {string} about
 */
async function hurt(visit, question, what, about = "") {
  await visit.page.evaluate(
    ([question, what, about]) => {
      Object.assign(window, { fault: { question, what, about, times: 1 } });
    },
    /** @type {const} */ ([question, what, about]),
  );
}

/** A visit whose workers can be hurt. @param {string} suffix */
async function visitWithFaults(suffix = "") {
  const visit = await site.visit(suffix);
  await visit.page.addInitScript(() => {
    const Whole = window.Worker;
    window.Worker = class extends Whole {
      /** @param {any} message @param {any} rest */
      postMessage(message, rest) {
        super.postMessage(message, rest);
        const fault = /** @type {any} */ (window).fault;
        // The first message is a worker's code.
        if (fault === undefined || fault.times === 0 || message instanceof WebAssembly.Module) return;
        const question = message[0].Ask?.[1] ?? {};
        if (fault.question !== (typeof question === "string" ? question : Object.keys(question)[0])) return;
        const said = JSON.stringify(message[0], (_, value) => (typeof value === "bigint" ? String(value) : value));
        if (!said.includes(fault.about)) return;
        fault.times -= 1;
        if (fault.what === "junk") super.postMessage("no message of ours");
        else Whole.prototype.terminate.call(this);
      }
    };
  });
  await visit.page.reload({ waitUntil: "load" });
  await visit.page.waitForFunction(() => document.documentElement.dataset.state !== undefined);
  return visit;
}

describe("a worker", () => {
  for (const [what, words] of /** @type {const} */ ([
    ["junk", /one-line\.log was left out: a part of this page broke down/],
    ["terminate", /one-line\.log was left out: the browser stopped a part of this page/],
  ])) {
    test(`that ends while it reads (${what}) costs its file, and the rest is read`, async (context) => {
      const path = made.longLine(LONG_MB);
      context.after(() => rmSync(path, { force: true }));
      const visit = await visitWithFaults("?workers=1");
      // The larger file comes first.
      await hurt(visit, "Read", what);
      await visit.choose("choose-files", [path, SAMPLE]);
      await visit.ready();
      assert.match(await visit.text(), words);
      assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
      await visit.works();
      assert.doesNotMatch(await visit.text(), /was left out/, "another try leaves nothing out");
      await visit.close();
    });
  }

  for (const [whose, question, about] of /** @type {const} */ ([
    ["that unpacks an archive for others", "Read", "large.tar.gz"],
    ["that helps to read an archive", "ReadMembers", ""],
    ["that helped to read an archive", "Finish", ""],
  ])) {
    test(`${whose} and ends costs a part of it, and the rest is read`, async () => {
      // Two for each archive.
      const visit = await visitWithFaults("?workers=4");
      await hurt(visit, question, "terminate", about);
      await visit.choose("choose-files", [made.largeArchive(), SAMPLE]);
      await visit.ready();
      assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
      assert.match(await visit.text(), /a part of large\.tar\.gz was left out: the browser stopped a part of this page/);
      await visit.works();
      assert.doesNotMatch(await visit.text(), /was left out/, "another try leaves nothing out");
      await visit.close();
    });
  }

  test("that ends while it gives away what it has read costs a part of it", async () => {
    const visit = await visitWithFaults("?workers=2");
    await hurt(visit, "GivePart", "terminate");
    await visit.choose("choose-files", made.simulatedCluster());
    await visit.ready();
    assert.match(await visit.text(), /a part of simulated\.tar\.gz was left out: the browser stopped a part of this page/);
    await visit.works();
    assert.doesNotMatch(await visit.text(), /was left out/, "another try leaves nothing out");
    await visit.close();
  });

  test("that ends over many small files costs none of them", async () => {
    const visit = await visitWithFaults("?workers=1");
    await hurt(visit, "Read", "terminate");
    await visit.choose("choose-folder", unpackedSample());
    await visit.ready();
    assert.equal(await visit.page.evaluate(() => /** @type {any} */ (window).fault.times), 0, "the worker ended");
    assert.doesNotMatch(await visit.text(), /was left out/);
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    await visit.close();
  });

  test("whose lock is given late is not taken for one that ended", async () => {
    const visit = await site.visit("?workers=1");
    await visit.page.addInitScript(() => {
      const make = URL.createObjectURL;
      const late = `{
        const request = navigator.locks.request.bind(navigator.locks);
        navigator.locks.request = async (...what) => {
          await new Promise((over) => setTimeout(over, 1000));
          return request(...what);
        };
      }`;
      URL.createObjectURL = (what) =>
        make(what instanceof Blob && what.type === "text/javascript" ? new Blob([late, what], { type: what.type }) : what);
    });
    await visit.page.reload({ waitUntil: "load" });
    await visit.choose("choose-files", SAMPLE);
    assert.equal(await visit.until("error", "ready"), "ready");
    assert.doesNotMatch(await visit.text(), /was left out|the browser stopped/);
    await visit.close();
  });

  test("that ends while it compares metrics costs nothing: the analyst compares them", async () => {
    const path = made.simulatedCluster();
    const visit = await visitWithFaults("?workers=2");
    await hurt(visit, "CompareMetrics", "terminate");
    await visit.choose("choose-files", path);
    await visit.ready();
    assert.equal(await visit.page.evaluate(() => /** @type {any} */ (window).fault.times), 0, "a worker was asked, and ended");
    assertSameReport(await visit.report(), await diagnose(path));
    await visit.close();
  });

  test("that is stopped before it speaks is told, and a click tries again", async () => {
    const visit = await site.visit();
    await visit.page.addInitScript(() => {
      const Whole = window.Worker;
      Object.assign(window, { stops: true });
      window.Worker = class extends Whole {
        /** @param {string | URL} url @param {WorkerOptions} [options] */
        constructor(url, options) {
          super(url, options);
          this.addEventListener("message", ({ data }) => {
            if (data === "held" && /** @type {any} */ (window).stops) Whole.prototype.terminate.call(this);
          });
        }
      };
    });
    await visit.page.reload({ waitUntil: "load" });
    await visit.until("empty");
    await visit.choose("choose-files", SAMPLE);
    assert.equal(await visit.until("error", "ready"), "error");
    assert.match(await visit.at("error").innerText(), /the browser stopped a part of this page/);
    await visit.page.evaluate(() => Object.assign(window, { stops: false }));
    await visit.at("retry").click();
    await visit.ready();
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    await visit.close();
  });

  test("that is stopped while it reaches the verdict is told, and a click tries again", async () => {
    const visit = await visitWithFaults();
    await hurt(visit, "Analyse", "terminate");
    await visit.choose("choose-files", SAMPLE);
    assert.equal(await visit.until("error", "ready"), "error");
    assert.match(await visit.at("error").innerText(), /the browser stopped a part of this page/);
    await visit.at("retry").click();
    await visit.ready();
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    await visit.close();
  });

  test("that is stopped while it reaches the verdict anew is told, a click tries again, and the verdict stays", async () => {
    const visit = await visitWithFaults();
    await visit.choose("choose-files", SAMPLE);
    await visit.ready();
    for (const way of ["back", "retry"]) {
      await hurt(visit, "Analyse", "terminate");
      await visit.at("fix-clocks").check();
      await visit.at("apply-clocks").click();
      await visit.until("error");
      assert.match(await visit.at("error").innerText(), /could not be analysed again[\s\S]*the browser stopped a part of this page/);
      await visit.at(way).click();
      await visit.until("ready");
      assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
      if (way === "retry") break;
      await visit.choose("choose-files", SAMPLE);
      await visit.until("working");
      await visit.ready();
    }
    await visit.drawn();
    await visit.close();
  });

  test("that is stopped and tried again is asked the same, and taught the same", async () => {
    const visit = await visitWithFaults();
    await visit.choose("choose-files", SAMPLE);
    await visit.ready();
    await visit.at("choose-controls").setInputFiles(join(DIST, "samples/no-fault.tar.gz"));
    await visit.at("baseline").filter({ hasText: /^Baseline: / }).waitFor();
    await visit.ready();
    const baseline = await visit.save("save-baseline", "retried.baseline");
    const command = await diagnose("--threshold", "0.3", "--baseline", baseline, SAMPLE);
    await visit.page.locator("#parameters-title").click();
    await visit.page.locator('#parameter-fields input[name="--threshold"]').fill("0.3");
    await hurt(visit, "Analyse", "terminate");
    await visit.at("apply-parameters").click();
    await visit.at("error").filter({ hasText: "could not be analysed again" }).waitFor();
    // The next try ends so, too.
    await hurt(visit, "Analyse", "terminate");
    await visit.at("retry").click();
    await visit.at("error").filter({ hasText: "could not be read" }).waitFor();
    await visit.at("retry").click();
    await visit.ready();
    assertSameReport(await visit.report(), command);
    assert.match(await visit.at("parameters-told").innerText(), /--threshold 0\.3\./);
    assert.equal(await visit.page.locator('#parameter-fields input[name="--threshold"]').inputValue(), "0.3");
    // What is given anew is read as usual.
    await visit.choose("choose-files", SAMPLE);
    await visit.until("working");
    await visit.ready();
    assertSameReport(await visit.report(), await diagnose(SAMPLE));
    await visit.close();
  });

  test("that is stopped and tried again does not forget what could not be opened", async () => {
    const visit = await visitWithFaults();
    // Chromium does not name the interfaces of entries.
    await visit.page.evaluate(() => {
      const take = DataTransferItem.prototype.webkitGetAsEntry;
      let isFirst = true;
      const locked = (/** @type {any} */ entry) => {
        if (entry.isFile && isFirst) {
          isFirst = false;
          entry.file = (/** @type {any} */ _, /** @type {any} */ failed) => failed(new DOMException("", "NotReadableError"));
        }
        if (entry.isFile) return;
        const make = entry.createReader.bind(entry);
        entry.createReader = () => {
          const reader = make();
          const read = reader.readEntries.bind(reader);
          reader.readEntries = (/** @type {any} */ done, /** @type {any} */ failed) =>
            read((/** @type {any[]} */ entries) => (entries.forEach(locked), done(entries)), failed);
          return reader;
        };
      };
      DataTransferItem.prototype.webkitGetAsEntry = function () {
        const entry = take.call(this);
        locked(entry);
        return entry;
      };
    });
    await hurt(visit, "Analyse", "terminate");
    await visit.drop(unpackedSample());
    await visit.until("error");
    await visit.at("retry").click();
    await visit.ready();
    assert.match(await visit.text(), /sample\/\S+ could not be opened/);
    await visit.close();
  });

  test("that is stopped after the verdict leaves the verdict, and figures say why they are not drawn", async () => {
    const visit = await visitWithFaults();
    await visit.choose("choose-files", SAMPLE);
    await visit.ready();
    await hurt(visit, "LayOut", "terminate");
    await visit.page.setViewportSize({ width: 900, height: 900 });
    await visit.page.waitForFunction(() => /could not be drawn: the browser stopped/.test(document.body.innerText));
    assert.match(await visit.text(), /Drop the logs again/);
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    assert.ok((await visit.report()).length > 1000, "the report can be saved");
    await visit.works();
    await visit.close();
  });

  test("whose answer cannot be handed over says so, and answers what it is asked next", async () => {
    const visit = await site.sampled();
    await visit.drawn();
    for (const worker of visit.page.workers()) {
      await worker.evaluate(() => {
        const { postMessage } = self;
        self.postMessage = () => {
          self.postMessage = postMessage;
          throw new Error("no room");
        };
      });
    }
    await visit.page.setViewportSize({ width: 900, height: 900 });
    await visit.page.getByText("The figure could not be drawn: the answer cannot be handed over (no room).").first().waitFor();
    await visit.page.setViewportSize({ width: 1000, height: 900 });
    await visit.resized();
    assert.doesNotMatch(await visit.text(), /could not be drawn/);
    await visit.close();
  });

  test("that gets no more memory is told as that, and the command is named", async () => {
    const visit = await site.visit();
    const wasm = capped(readFileSync(join(DIST, "worker_bg.wasm")), 16);
    await visit.page.route("**/worker_bg.wasm*", (route) => route.fulfill({ body: wasm, contentType: "application/wasm" }));
    await visit.choose("choose-files", SAMPLE);
    assert.equal(await visit.until("error", "ready"), "error");
    const says = await visit.at("error").innerText();
    assert.match(says, /memory/);
    assert.match(says, /oddnode diagnose/);
    await visit.page.unroute("**/worker_bg.wasm*");
    await visit.works();
    await visit.close();
  });
});

describe("a network that stalls", () => {
  for (const file of ["worker_bg.wasm", "worker.js"]) {
    test(`on the workers' code (${file}) is given up by Cancel, and asked anew for what is dropped next`, async () => {
      const visit = await site.visit();
      /** @type {string[]} */
      const ended = [];
      visit.page.on("requestfailed", (request) => ended.push(request.url().split("?")[0].split("/").at(-1) ?? ""));
      const path = SUB_PATH + file;
      const times = () => site.server.asked.filter((asked) => asked === path).length;
      const before = times();
      site.server.stalled.add(path);
      await visit.choose("choose-files", SAMPLE);
      while (times() === before) await visit.page.waitForTimeout(20);
      assert.ok(await visit.giveUp(), "it waits");
      await visit.until("empty");
      site.server.stalled.clear();
      await visit.works();
      assert.ok(ended.includes(file), `${file} was not waited for any more: ${ended}`);
      await visit.close();
    });
  }

  test("after something else went wrong is given up with the control runs or the run that wait for it", async () => {
    const visit = await visitWithFaults();
    await visit.choose("choose-files", SAMPLE);
    await visit.ready();
    const path = `${SUB_PATH}worker_bg.wasm`;
    const says = visit.page.locator("#baseline-says");
    for (const [field, cancel] of /** @type {const} */ ([["choose-controls", "cancel-lesson"], ["choose-compare", "cancel-other"]])) {
      // Its code is forgotten.
      await visit.page.evaluate(() => (location.hash = "#r=1.AAAA"));
      await visit.until("error");
      await visit.at("back").click();
      await visit.ready();
      site.server.stalled.add(path);
      await visit.at(field).setInputFiles(SAMPLE);
      await visit.at(cancel).click();
      await visit.ready();
      await visit.at(cancel).waitFor({ state: "hidden" });
      site.server.stalled.clear();
    }
    assert.match(await says.innerText(), /^No baseline: these logs are compared with themselves/);
    await visit.at("choose-controls").setInputFiles(SAMPLE);
    await says.filter({ hasText: /^Baseline: / }).waitFor();
    await visit.ready();
    await visit.close();
  });
});

/**
 * A module whose memory cannot grow by more than so many pages of 64 KiB: the third part of its memory's
 * limits is there, and small.
 * @param {Buffer} wasm @param {number} pages
 */
function capped(wasm, pages) {
  /** @param {number} at @returns {[number, number]} value and where it ends */
  const number = (at) => {
    for (let value = 0, shift = 0; ; shift += 7, at += 1) {
      value += (wasm[at] & 0x7f) * 2 ** shift;
      if ((wasm[at] & 0x80) === 0) return [value, at + 1];
    }
  };
  /** @param {number} value */
  const written = (value) => {
    const bytes = [];
    for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value & 0x7f) | 0x80);
    return Buffer.from([...bytes, value]);
  };
  const MEMORY = 5;
  for (let at = 8; at < wasm.length; ) {
    const section = wasm[at];
    const [length, body] = number(at + 1);
    if (section === MEMORY) {
      const [least] = number(body + 2);
      const limits = Buffer.concat([Buffer.from([1, 1]), written(least), written(least + pages)]);
      return Buffer.concat([wasm.subarray(0, at), Buffer.from([MEMORY]), written(limits.length), limits, wasm.subarray(body + length)]);
    }
    at = body + length;
  }
  throw new Error("the module has no memory of its own");
}

describe("a file", () => {
  /** Chooses the sample and a file, and changes that before any worker is there. @param {(path: string) => void} change */
  async function changed(change) {
    const path = join(OUT, "fleeting.tar.gz");
    copyFileSync(SAMPLE, path);
    const visit = await site.visit();
    let changes = 0;
    await visit.page.route("**/worker_bg.wasm*", async (route) => {
      if (changes === 0) change(path);
      changes += 1;
      await route.continue();
    });
    await visit.choose("choose-files", [path, SAMPLE]);
    await visit.ready();
    const text = await visit.text();
    assert.ok(changes > 0);
    assert.match(text, /fleeting\.tar\.gz could not be read/);
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"], "the other was read");
    // Chosen anew it is read as it is now.
    copyFileSync(SAMPLE, path);
    await visit.choose("choose-files", path);
    await visit.page.waitForFunction(() => !document.body.innerText.includes("could not be read"));
    await visit.ready();
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    rmSync(path, { force: true });
    await visit.close();
  }

  test("that vanished after it was chosen is named", () => changed((path) => rmSync(path)));
  test("that was written to after it was chosen is named", () => changed((path) => appendFileSync(path, "more")));
  test("that was cut after it was chosen is named", () => changed((path) => truncateSync(path, 100)));

  test("that vanished with all others is named among the first, and a click tries again", async (context) => {
    const folder = join(OUT, "fleeting");
    const away = join(OUT, "away");
    for (const one of [folder, away]) rmSync(one, { recursive: true, force: true });
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(unpackedSample(), folder, { recursive: true, preserveTimestamps: true });
    const visit = await site.visit();
    let isFirst = true;
    await visit.page.route("**/worker_bg.wasm*", async (route) => {
      if (isFirst) renameSync(folder, away);
      isFirst = false;
      await route.continue();
    });
    await visit.choose("choose-folder", folder);
    await visit.until("error");
    const error = await visit.at("error").innerText();
    assert.match(error, /\d more files could not be read/);
    assert.ok((await visit.page.locator("#error-lines p").count()) < 40, error);
    renameSync(away, folder);
    await visit.at("retry").click();
    await visit.ready();
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    assert.doesNotMatch(await visit.text(), /could not be read/);
    await visit.close();
  });

  test("that is cut while it is read is named with what came of it", async (context) => {
    const path = made.longLine(1);
    context.after(() => rmSync(path, { force: true }));
    // A hole takes no room, and so long a one is read for seconds: much is left when the page first tells how much it has.
    truncateSync(path, HOLE_BYTES);
    const visit = await site.visit("?workers=1");
    await visit.choose("choose-files", [path, SAMPLE]);
    // How much there is to read is told, too.
    await visit.page.waitForFunction(() => /^[1-9]/.test(document.getElementById("progress-words")?.innerText ?? ""));
    truncateSync(path, 1000);
    await visit.ready();
    assert.match(await visit.text(), /one-line\.log could not be read to its end/);
    assert.match(await visit.text(), /one-line\.log has a line beyond the limit; its beginning was read/);
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    await visit.works();
    await visit.close();
  });
});

describe("storage", () => {
  test("without room keeps nothing, says so, and keeps once there is room", async () => {
    const visit = await site.visit();
    await visit.choose("choose-files", SAMPLE);
    await visit.ready();
    const cdp = await visit.context.newCDPSession(visit.page);
    const { origin } = new URL(site.server.url);
    await cdp.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1000 });
    await visit.at("keep").first().click();
    await visit.page.waitForFunction(() => /could not be changed/.test(document.body.innerText));
    assert.match(await visit.text(), /no more room/);
    assert.equal(await visit.at("kept-run").count(), 0, "no empty run is listed");
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    await cdp.send("Storage.overrideQuotaForOrigin", { origin });
    await visit.at("keep").first().click();
    await visit.at("kept-run").first().waitFor();
    // Full again: what is kept stays listed.
    await cdp.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1000 });
    await visit.at("keep").first().click();
    await visit.page.waitForFunction(() => /could not be changed/.test(document.body.innerText));
    assert.equal(await visit.at("kept-run").count(), 1);
    await cdp.send("Storage.overrideQuotaForOrigin", { origin });
    await visit.at("forget-all").click();
    await visit.close();
  });

  test("that is forbidden or full changes nothing but what is remembered", async () => {
    const visit = await site.visit();
    await visit.page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
      Object.assign(Storage.prototype, { setItem: refuse, getItem: refuse });
      Object.defineProperty(navigator, "storage", { value: { getDirectory: () => Promise.reject(new DOMException("no", "SecurityError")) } });
    });
    await visit.page.reload({ waitUntil: "load" });
    await visit.page.waitForFunction(() => document.documentElement.dataset.state !== undefined);
    await visit.works();
    const theme = () => visit.page.evaluate(() => document.documentElement.dataset.theme);
    const old = await theme();
    await visit.page.locator("#theme").click();
    assert.notEqual(await theme(), old, "the theme changes all the same");
    await visit.at("keep").first().click();
    await visit.page.waitForFunction(() => /could not be changed/.test(document.body.innerText));
    await visit.close();
  });
});
