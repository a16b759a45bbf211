// Control runs dropped beside the verdict change what the logs are compared with.
// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PATIENCE_MS, alike, assertSameReport, diagnose, start } from "./harness.mjs";
import * as made from "./made.mjs";
import { BIN, DATA, DIST, OUT, SAMPLE } from "./paths.mjs";

const run = (/** @type {string} */ name) => join(DATA, "hadoop1", `${name}.tar.gz`);
/** What the command learns. @param {string} name @param {string[]} from */
function trained(name, ...from) {
  const path = join(OUT, name);
  execFileSync(BIN, ["train", ...from, "-o", path], { stdio: "ignore" });
  return path;
}
const skip = existsSync(run("r33")) ? false : "no labelled runs beside the repository";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

describe("control runs", { skip }, () => {
  test("they become a baseline, and can be removed", async () => {
    const visit = await site.visit();
    await visit.page.getByTestId("choose-files").setInputFiles(run("r33"));
    await visit.ready();
    const says = visit.page.getByTestId("baseline");
    assert.match(await says.innerText(), /No baseline/);
    const agreement = visit.page.getByTestId("table-agreement");
    assert.match(await agreement.innerText(), /kahuna-wb[\s\S]*kahuna-bb/);
    const before = await visit.report();

    // Two of one name are two.
    await visit.page.getByTestId("choose-controls").setInputFiles(alike("control.tar.gz", run("r34"), run("r38")));
    // While it is learned from them the verdict stays in sight. In one go: that passes.
    const meanwhile = await visit.page.evaluate(() => {
      const parts = ['[data-testid="culprit"]', '[data-testid="lesson"]', "#progress"].map((one) => document.querySelector(one));
      const shown = parts.map((one) => one?.checkVisibility({ visibilityProperty: true }));
      return { state: document.documentElement.dataset.state, shown };
    });
    assert.deepEqual(meanwhile, { state: "working", shown: [true, true, false] });
    await visit.ready();
    assert.match(await says.innerText(), /2 control runs/);
    const report = JSON.parse(String(await visit.report()));
    assert.match(report.parameters.baseline, /2 control runs/);
    const signals = report.witnesses.filter((/** @type {any} */ w) => w.method === "kahuna-bb").map((/** @type {any} */ w) => w.signal);
    assert.deepEqual(signals, ["profiles of these logs", "profiles of control runs", "levels"]);
    await visit.page.screenshot({ path: join(OUT, "controls.png"), fullPage: true });

    // Nothing that is given is not the wish to forget.
    await visit.page.getByTestId("choose-controls").dispatchEvent("change");
    assert.match(await visit.page.locator("#baseline-says").innerText(), /baseline stays as it was: no file was given/);
    assert.equal(await visit.state(), "ready");

    await visit.page.getByTestId("forget-controls").click();
    await visit.ready();
    assert.match(await says.innerText(), /No baseline/);
    assert.equal(String(await visit.report()), String(before), "as if there had been none");
    await visit.close();
  });

  test("what was set in the views stays", async () => {
    const visit = await site.visit();
    await visit.page.getByTestId("choose-files").setInputFiles(run("r33"));
    await visit.ready();
    await visit.drawn();
    const order = visit.page.locator("#swimlanes .chips button").nth(1);
    const canvas = visit.page.locator('figure[data-figure="swimlanes"] canvas');
    const shown = () => canvas.getAttribute("data-shown");
    await order.click();
    const nodes = visit.page.locator("#cluster .chips button").nth(1);
    await nodes.click();
    const files = visit.page.locator('[aria-label="Files shown"] button').first();
    await files.click();
    await visit.page.getByLabel("Filter files, formats, nodes").fill("h10");
    await visit.at("jobs-words").fill("sort");
    await canvas.focus();
    await visit.page.keyboard.press("+");
    await visit.page.waitForFunction(() => document.querySelector('figure[data-figure="swimlanes"] canvas')?.getAttribute("data-shown") !== "0..1");
    await visit.drawn();
    const part = await shown();

    await visit.page.getByTestId("choose-controls").setInputFiles([run("r34")]);
    await visit.ready();
    await visit.drawn();
    assert.match(await visit.page.getByTestId("baseline").innerText(), /1 control run/);
    assert.equal(await order.getAttribute("aria-pressed"), "true");
    assert.equal(await nodes.getAttribute("aria-pressed"), "true");
    assert.equal(await files.getAttribute("aria-pressed"), "true");
    assert.equal(await visit.page.getByLabel("Filter files, formats, nodes").inputValue(), "h10");
    assert.equal(await visit.at("jobs-words").inputValue(), "sort");
    await canvas.scrollIntoViewIfNeeded();
    await visit.drawn();
    assert.equal(await shown(), part);
    await visit.close();
  });

  test("peers open at a kind of state that the culprit was compared by", async () => {
    const visit = await site.visit();
    // Its verdict rests on transfers; of its one Reduce nothing can be said.
    await visit.page.getByTestId("choose-files").setInputFiles(run("s05"));
    await visit.ready();
    await visit.drawn();
    assert.equal((await visit.culprits())[0].split(" ")[0], "h102");
    assert.match((await visit.page.getByTestId("table-peers").textContent()) ?? "", /h102/);
    assert.match((await visit.page.getByTestId("table-peers-transfers").textContent()) ?? "", /Map outputs fetchedh102/, "the slowest first");
    await visit.close();
  });

  test("a control run that is not healthy itself is told", async () => {
    const visit = await site.visit();
    await visit.page.getByTestId("choose-files").setInputFiles(run("s05"));
    await visit.ready();
    await visit.page.getByTestId("choose-controls").setInputFiles([run("s03")]);
    await visit.ready();
    assert.match(await visit.page.getByTestId("baseline").innerText(), /1 control run[\s\S]*s03\.tar\.gz does not look healthy[\s\S]*h103/);
    await visit.page.getByTestId("choose-controls").setInputFiles([run("s01")]);
    await visit.ready();
    assert.doesNotMatch(await visit.page.getByTestId("baseline").innerText(), /healthy/);
    await visit.close();
  });

  test("a baseline is saved as the command writes it, and taken again wherever files are", async () => {
    const first = await site.visit();
    await first.choose("choose-files", run("r33"));
    await first.ready();
    const saver = first.at("save-baseline");
    assert.equal(await saver.isVisible(), false, "there is none yet");
    await first.at("choose-controls").setInputFiles([run("r34"), run("r38")]);
    await first.ready();
    const saved = await first.save("save-baseline", "saved.baseline");
    await first.at("control-drop").screenshot({ path: join(OUT, "baseline.png") });
    await first.at("forget-controls").click();
    await first.ready();
    assert.equal(await saver.isVisible(), false);
    await first.close();
    assert.deepEqual(readFileSync(saved), readFileSync(trained("trained.baseline", run("r34"), run("r38"))));

    const command = await diagnose("--baseline", saved, run("r33"));
    const says = (/** @type {typeof first} */ visit) => visit.at("baseline").innerText();
    // With the logs.
    const visit = await site.visit();
    await visit.drop(run("r33"), saved);
    await visit.ready();
    assert.match(await says(visit), /Baseline: 2 control runs/);
    assertSameReport(await visit.report(), command);
    // Its bytes come through it, too.
    assert.deepEqual(readFileSync(await visit.save("save-baseline", "again.baseline")), readFileSync(saved));
    await visit.at("forget-controls").click();
    await visit.at("baseline").filter({ hasText: "No baseline" }).waitFor();
    await visit.ready();
    // Beside the verdict, on each field in turn.
    for (const give of [
      () => visit.drop(saved),
      () => visit.choose("choose-files", saved),
      () => visit.at("choose-controls").setInputFiles(saved),
      () => visit.dropOn("control-drop", saved),
      () => visit.dropOn("compare-drop", saved),
    ]) {
      await give();
      await visit.at("baseline").filter({ hasText: "2 control runs" }).waitFor();
      await visit.ready();
      assertSameReport(await visit.report(), command);
      await visit.at("forget-controls").click();
      await visit.at("baseline").filter({ hasText: "No baseline" }).waitFor();
      await visit.ready();
    }
    // Together with a control run it is extended.
    await visit.at("choose-controls").setInputFiles([saved, run("r43")]);
    await visit.at("baseline").filter({ hasText: "3 control runs" }).waitFor();
    await visit.ready();
    const extended = trained("extended.baseline", saved, run("r43"));
    assert.deepEqual(readFileSync(await visit.save("save-baseline", "page-extended.baseline")), readFileSync(extended));
    await visit.close();
  });

  test("a baseline that cannot be used is told in the command's words, and what was there stays", async () => {
    const good = trained("good.baseline", run("r34"));
    const bytes = readFileSync(good);
    const made = (/** @type {string} */ name, /** @type {Buffer} */ content) => {
      writeFileSync(join(OUT, name), content);
      return join(OUT, name);
    };
    const newer = Buffer.from(bytes);
    newer["ODDNODE-BASELINE\n".length] = 200;
    /** @type {Record<string, [Buffer, RegExp]>} */
    const bad = {
      "cut.baseline": [bytes.subarray(0, 90), /cut\.baseline: the baseline is cut: \d+ of \d+ bytes are there/],
      "changed.baseline": [Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes[bytes.length - 1] ^ 1])]), /changed\.baseline: the baseline is damaged/],
      "newer.baseline": [newer, /newer\.baseline: a baseline of version 200, newer than the \d+ known here: update oddnode/],
    };
    const visit = await site.visit();
    await visit.choose("choose-files", run("r33"));
    await visit.ready();
    await visit.drop(good);
    await visit.at("baseline").filter({ hasText: "1 control run" }).waitFor();
    await visit.ready();
    const before = await visit.report();
    const says = visit.page.locator("#baseline-says");
    for (const [name, [content, words]] of Object.entries(bad)) {
      await visit.drop(made(name, content));
      await says.filter({ hasText: "The baseline stays as it was" }).filter({ hasText: words }).waitFor();
      await visit.ready();
      assert.deepEqual(await visit.report(), before, name);
      assert.ok(await visit.at("save-baseline").isVisible(), "it can still be saved");
    }
    await visit.at("choose-controls").setInputFiles([good, made("copy.baseline", bytes)]);
    await says.filter({ hasText: /profiles of two baselines cannot be joined.*(copy|good)\.baseline/ }).waitFor();
    await visit.ready();
    // With logs: these are read, and compared with themselves.
    await visit.choose("choose-files", [run("r33"), join(OUT, "cut.baseline")]);
    await says.filter({ hasText: /No baseline: cut\.baseline: the baseline is cut/ }).waitFor();
    await visit.ready();
    assertSameReport(await visit.report(), await diagnose(run("r33")));
    await visit.close();
  });

  test("a baseline of another cluster is told, and without logs there is nothing to compare with it", async () => {
    const visit = await site.visit();
    const other = join(OUT, "other-cluster.tar.gz");
    execFileSync(BIN, ["simulate", "--nodes", "5", "--size", "0.5", "-o", other]);
    const mixed = trained("mixed.baseline", run("r34"), other);
    await visit.choose("choose-files", mixed);
    await visit.until("error");
    assert.match(await visit.at("error").innerText(), /This is a baseline[\s\S]*together with the logs/);
    await visit.choose("choose-files", [run("r33"), mixed]);
    await visit.ready();
    const doubts = (await visit.at("doubt").allInnerTexts()).join(" ");
    assert.match(doubts, /The control runs are of different clusters/);
    const path = await visit.save("download-report", "with-baseline.json");
    // A report is no logs.
    await visit.choose("choose-files", path);
    await visit.page.locator("#banner", { hasText: "Shared report" }).waitFor();
    await visit.ready();
    await visit.choose("choose-files", mixed);
    await visit.page.locator("#banner [role=alert]", { hasText: "cannot be diagnosed again" }).waitFor();
    assert.equal(await visit.state(), "ready");
    await visit.close();
  });

  test("a lesson says how far it is and can be cancelled at any time", async () => {
    const visit = await site.visit();
    await visit.page.getByTestId("choose-files").setInputFiles(run("r33"));
    await visit.ready();
    const before = await visit.report();
    const says = visit.page.getByTestId("baseline");
    const lesson = visit.page.getByTestId("lesson");
    assert.equal(await lesson.isVisible(), false);
    // What it says is kept, since it may be over before anybody looks.
    await visit.page.evaluate(() => {
      const words = /** @type {HTMLElement} */ (document.getElementById("lesson-words"));
      const said = /** @type {string[]} */ ([]);
      Object.assign(window, { said });
      new MutationObserver(() => said.push(words.innerText)).observe(words, { childList: true });
    });
    const all = [run("r34"), run("r38"), run("r43"), run("r22")];
    await visit.page.getByTestId("choose-controls").setInputFiles(all);
    await lesson.waitFor();
    // In one go, with a lesson under way: another is not begun.
    await visit.page.evaluate(() => document.getElementById("choose-controls")?.dispatchEvent(new Event("change")));
    assert.equal(await lesson.isVisible(), true);
    assert.equal(await visit.page.locator("#baseline-says").innerText(), "No baseline: others are being learned from.");
    await visit.page.getByTestId("cancel-lesson").click();
    await lesson.waitFor({ state: "hidden" });
    await visit.ready();
    assert.match(await says.innerText(), /No baseline: these logs are compared with themselves/);
    assert.equal(String(await visit.report()), String(before), "nothing was learned");

    // While the nodes are compared again it goes back to what was compared with before.
    // It is too short for a hand.
    await visit.page.evaluate(() => {
      const words = /** @type {HTMLElement} */ (document.getElementById("lesson-words"));
      const observer = new MutationObserver(() => {
        if (!/comparing|states|verdict/.test(words.innerText)) return;
        observer.disconnect();
        document.getElementById("cancel-lesson")?.click();
      });
      observer.observe(words, { childList: true });
    });
    await visit.page.getByTestId("choose-controls").setInputFiles(all);
    await visit.page.waitForFunction(() => /** @type {any} */ (window).said.some((/** @type {string} */ one) => /taking/.test(one)));
    await lesson.waitFor({ state: "hidden" });
    await visit.ready();
    assert.match(await says.innerText(), /No baseline/);
    assert.equal(String(await visit.report()), String(before), "as if there had been none");

    await visit.page.getByTestId("choose-controls").setInputFiles(all);
    await says.filter({ hasText: "4 control runs" }).waitFor({ timeout: PATIENCE_MS });
    const said = /** @type {string[]} */ (await visit.page.evaluate(() => /** @type {any} */ (window).said));
    for (const words of [/\d files · .*\d lines/, /learning/, /comparing the metrics/]) {
      assert.ok(said.some((one) => words.test(one)), `${words} in ${said.join(" | ")}`);
    }
    await visit.close();
  });
});

describe("what is given while something is under way", () => {
  const healthy = join(DIST, "samples/no-fault.tar.gz");
  const other = join(DIST, "samples/slow-disk.tar.gz");

  test("a baseline that comes while logs are read is compared with once their verdict is shown", async () => {
    const baseline = trained("late.baseline", SAMPLE);
    const visit = await site.visit();
    const { heard, free } = await visit.hold("Analyse");
    await visit.choose("choose-files", SAMPLE);
    await heard("Analyse");
    await visit.choose("choose-files", baseline);
    await visit.at("progress").filter({ hasText: "Once the verdict is shown, this is used too: late.baseline." }).waitFor();
    assert.ok(await visit.at("cancel").isVisible());
    await free();
    await visit.at("baseline").filter({ hasText: /^Baseline: how long the work of a job takes/ }).waitFor();
    await visit.ready();
    assertSameReport(await visit.report(), await diagnose("--baseline", baseline, SAMPLE));
    assert.doesNotMatch((await visit.at("progress").textContent()) ?? "", /Once/);
    await visit.close();
  });

  test("a key that comes while logs are read, or beside their verdict, takes neither away", async () => {
    const key = join(OUT, "lone-key.json");
    writeFileSync(key, '{\n  "format": "oddnode-key", "version": 1 }');
    const visit = await site.visit();
    const { heard, free } = await visit.hold("Analyse");
    await visit.choose("choose-files", SAMPLE);
    await heard("Analyse");
    await visit.choose("choose-files", key);
    await visit.at("progress").filter({ hasText: "lone-key.json" }).waitFor();
    await free();
    await visit.page.locator("#banner [role=alert]", { hasText: /the key of a shared report\. Open the link/ }).waitFor();
    await visit.ready();
    assert.deepEqual((await visit.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
    await visit.close();
  });

  test("a baseline that comes while control runs are learned from does not end that", async () => {
    const baseline = trained("other.baseline", SAMPLE);
    const visit = await site.sampled();
    const { heard, free } = await visit.hold("Learn");
    await visit.at("choose-controls").setInputFiles(healthy);
    await heard("Learn");
    await visit.choose("choose-files", baseline);
    await visit.page.locator("#baseline-says", { hasText: "No baseline: others are being learned from." }).waitFor();
    assert.ok(await visit.at("lesson").isVisible());
    await free();
    await visit.at("baseline").filter({ hasText: /^Baseline: / }).waitFor();
    await visit.ready();
    await visit.close();
  });

  test("figures that were laid out by control runs which were given up are laid out anew", async (context) => {
    const path = made.longLine(256);
    context.after(() => rmSync(path, { force: true }));
    const visit = await site.sampled();
    await visit.drawn();
    const before = await visit.report();
    const { heard, free, asked } = await visit.hold("Analyse");
    await visit.at("choose-controls").setInputFiles(healthy);
    await heard("Analyse");
    // Other logs, which are given up.
    await visit.choose("choose-files", path);
    await visit.at("lesson").waitFor({ state: "hidden" });
    await visit.page.waitForFunction(() => /^\d/.test(document.getElementById("progress-words")?.innerText ?? ""));
    assert.ok(await visit.giveUp(), "they are still read");
    await heard("LayOut Witnesses");
    await free();
    await visit.ready();
    await visit.drawn();
    const last = (await asked()).lastIndexOf("Analyse");
    assert.ok(last > 0, "the analyst went back");
    assert.ok((await asked()).lastIndexOf("LayOut Witnesses") > last, (await asked()).join(", "));
    assert.match(await visit.at("baseline").innerText(), /No baseline/);
    assert.deepEqual(await visit.report(), before);
    await visit.close();
  });
});

test("no link, ticket or page is made of a verdict that is given up", async () => {
  const visit = await site.sampled();
  await visit.unfold();
  const verdict = await visit.link();
  const { heard, free } = await visit.hold("Analyse");
  await visit.at("choose-controls").setInputFiles(join(DIST, "samples/no-fault.tar.gz"));
  await heard("Analyse");
  await visit.at("cancel-lesson").click();
  // All that the field holds until the verdict from before is there again.
  await visit.page.evaluate(() => {
    const links = /** @type {Set<string>} */ (new Set());
    const look = setInterval(() => {
      if (document.documentElement.dataset.state === "ready") clearInterval(look);
      else links.add(/** @type {HTMLInputElement} */ (document.querySelector('[data-testid="share-link"]')).value);
    }, 0);
    Object.assign(window, { links });
  });
  const size = visit.at("share-size");
  await visit.at("share-rung").selectOption("report");
  await size.filter({ hasText: "another analysis is under way" }).waitFor();
  await visit.at("ticket-text").click({ force: true });
  await visit.at("download-html").click();
  await free();
  await visit.ready();
  await visit.at("baseline").filter({ hasText: "No baseline" }).waitFor();
  assert.equal(await visit.at("ticket").isVisible(), false);
  const links = /** @type {string[]} */ (await visit.page.evaluate(() => [.../** @type {any} */ (window).links]));
  assert.deepEqual(links.filter((link) => link !== "" && link !== verdict), []);
  // Of the verdict that is shown they are made as ever.
  assert.equal(await visit.link(), verdict);
  await visit.unfold();
  await visit.at("share-rung").selectOption("report");
  await size.filter({ hasText: "The link itself" }).waitFor();
  assert.notEqual(await visit.link(), verdict);
  await visit.close();
});

describe("a baseline in a folder", () => {
  /** A folder of these files. @param {string} name @param {string[]} paths */
  function folder(name, ...paths) {
    const path = join(OUT, name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    for (const one of paths) copyFileSync(one, join(path, basename(one)));
    return path;
  }

  test("is compared with as one beside it is, and the coverage says what it is", async () => {
    const baseline = trained("healthy.baseline", SAMPLE);
    const logs = folder("with-baseline", SAMPLE, baseline);
    const command = await diagnose("--baseline", baseline, logs);
    const visit = await site.visit();
    const says = visit.at("baseline");
    for (const give of [() => visit.drop(logs), () => visit.choose("choose-folder", logs)]) {
      await give();
      await says.filter({ hasText: /^Baseline: how long the work of a job takes/ }).waitFor();
      await visit.ready();
      assertSameReport(await visit.report(), command);
      await visit.page.getByRole("button", { name: "Not read 1" }).click();
      const row = visit.at("table-coverage").locator("tbody tr").filter({ hasText: "with-baseline/healthy.baseline" });
      assert.match(await row.innerText(), /is a baseline that `oddnode train` wrote, and no log/);
      assert.deepEqual(readFileSync(await visit.save("save-baseline", "of-folder.baseline")), readFileSync(baseline));
      await visit.at("forget-controls").click();
      await says.filter({ hasText: "No baseline" }).waitFor();
      await visit.ready();
    }
    // Beside the verdict: alone in its folder, and with a run, by which it is extended.
    await visit.drop(folder("baseline-alone", baseline));
    await says.filter({ hasText: /^Baseline: how long the work of a job takes/ }).waitFor();
    await visit.ready();
    await visit.dropOn("control-drop", folder("baseline-and-run", join(DIST, "samples/no-fault.tar.gz"), baseline));
    await says.filter({ hasText: /^Baseline: how long the work of 2 jobs takes/ }).waitFor();
    await visit.ready();
    await visit.close();
  });

  test("where there are two, neither is taken, and the logs are read", async () => {
    const [one, two] = [trained("one.baseline", SAMPLE), trained("two.baseline", SAMPLE)];
    const logs = folder("two-baselines", SAMPLE, one, two);
    const visit = await site.visit();
    await visit.drop(logs);
    await visit.page.locator("#baseline-says", { hasText: /No baseline: profiles of two baselines cannot be joined/ }).waitFor();
    await visit.ready();
    assertSameReport(await visit.report(), await diagnose(logs));
    await visit.close();
  });
});
