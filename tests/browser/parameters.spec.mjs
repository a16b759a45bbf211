// What the command's options set of the methods is set on the page too, and gives the same report.
// @ts-check
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertSameReport, diagnose, start } from "./harness.mjs";
import { OUT, SAMPLE } from "./paths.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** @typedef {Awaited<ReturnType<typeof site.visit>>} Visit */

/** Unfolds the form and waits for its fields. @param {Visit} visit */
async function unfold(visit) {
  await visit.page.locator("#parameters-title").click();
  await field(visit, "--threshold").waitFor();
}

/** @param {Visit} visit @param {string} name */
function field(visit, name) {
  return visit.page.locator(`#parameter-fields input[name="${name}"]`);
}

/** Presses a button and waits for the verdict that comes of it. @param {Visit} visit @param {string} id */
async function press(visit, id) {
  // What is said there goes with the verdict that was.
  await visit.page.locator("#parameters-say").evaluate((says) => (says.textContent = "asked"));
  await visit.at(id).click();
  await visit.page.locator("#parameters-say").filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  await visit.ready();
}

describe("parameters", () => {
  test("what is set gives the command's report, is told, and goes back", async () => {
    const visit = await site.sampled();
    const usual = await visit.report();
    const told = visit.at("parameters-told");
    assert.equal(await told.count(), 0, "all is as usual");
    await unfold(visit);
    assert.equal(await field(visit, "wb_alpha").getAttribute("placeholder"), "0.02");
    // All that the report names; clocks and control runs are asked for elsewhere.
    const elsewhere = ["tz_offset_ms", "fix_clocks", "baseline"];
    const named = Object.keys(JSON.parse(usual.toString()).parameters).filter((name) => !elsewhere.includes(name));
    assert.equal(await visit.page.locator("#parameter-fields input").count(), named.length);
    await field(visit, "--threshold").fill("0.3");
    await field(visit, "wb_bins").fill(" 4 ");
    await field(visit, "--theia-literal").check();
    await press(visit, "apply-parameters");
    assert.ok(await visit.at("apply-parameters").evaluate((button) => button === document.activeElement), "keys go on there");
    const set = ["--threshold", "0.3", "--set", "wb_bins=4", "--theia-literal"];
    assertSameReport(await visit.report(), await diagnose(...set, SAMPLE));
    const words = /Reached with other values than the usual: --threshold 0\.3 --theia-literal --set wb_bins=4\./;
    assert.match(await told.innerText(), words);
    assert.equal(await visit.page.locator("#parameters-title").innerText(), "Parameters (3 set)");
    assert.equal(await field(visit, "--threshold").inputValue(), "0.3");
    // Clocks are asked for beside them.
    await visit.page.locator("#fix-clocks").check();
    await visit.at("apply-clocks").click();
    await visit.ready();
    assertSameReport(await visit.report(), await diagnose(...set, "--fix-clocks", SAMPLE));
    assert.match(await told.innerText(), words);
    const link = await visit.link();

    await press(visit, "usual-parameters");
    await visit.page.locator("#fix-clocks").uncheck();
    await visit.at("apply-clocks").click();
    await visit.ready();
    assert.equal(await told.count(), 0);
    assert.equal(await field(visit, "--threshold").inputValue(), "");
    assert.deepEqual(await visit.report(), usual);

    // The shortest link leaves much out, and this not.
    const other = await site.visit(link.slice(link.indexOf("#")));
    await other.ready();
    assert.match(await other.at("parameters-told").innerText(), words);
    assert.equal(await other.at("parameters").isVisible(), false, "a report is not diagnosed again");
    await other.close();
    // Other logs are read as usual.
    await field(visit, "--threshold").fill("0.3");
    await press(visit, "apply-parameters");
    await visit.choose("choose-files", SAMPLE);
    await visit.page.waitForFunction(() => document.documentElement.dataset.state === "ready" && !document.querySelector('[data-testid="parameters-told"]'));
    assert.deepEqual(await visit.report(), usual);
    assert.equal(await field(visit, "--threshold").inputValue(), "");
    await visit.close();
  });

  test("what is typed and not applied stays as it was typed, as long as the logs are the same", async () => {
    const visit = await site.sampled();
    await unfold(visit);
    await field(visit, "--threshold").fill(" 0.3");
    await field(visit, "wb_gap").fill("wide");
    await field(visit, "--theia-literal").check();
    const stays = async (/** @type {string} */ after) => {
      assert.equal(await field(visit, "--threshold").inputValue(), " 0.3", after);
      assert.equal(await field(visit, "wb_gap").inputValue(), "wide", after);
      assert.ok(await field(visit, "--theia-literal").isChecked(), after);
      assert.equal(await visit.page.locator("#parameters-title").innerText(), "Parameters", `nothing is set: ${after}`);
    };
    await visit.page.locator("#fix-clocks").check();
    await visit.at("apply-clocks").click();
    await visit.ready();
    await stays("other clocks");
    assertSameReport(await visit.report(), await diagnose("--fix-clocks", SAMPLE));
    await visit.at("choose-controls").setInputFiles(SAMPLE);
    await visit.at("baseline").filter({ hasText: "how long the work of a job takes" }).waitFor();
    await visit.ready();
    await stays("a control run");
    await visit.page.evaluate(() => (location.hash = "#r=1.AAAA"));
    await visit.until("error");
    await visit.at("back").click();
    await visit.ready();
    await stays("a link that is none");
    // What is given is what is in the fields by now.
    await field(visit, "wb_gap").fill("");
    await press(visit, "apply-parameters");
    assert.match(await visit.at("parameters-told").innerText(), /--threshold 0\.3 --theia-literal\./);
    // Other logs have fields of their own.
    await field(visit, "wb_gap").fill("wide");
    await visit.choose("choose-files", SAMPLE);
    await visit.until("working");
    await visit.ready();
    assert.equal(await field(visit, "wb_gap").inputValue(), "");
    assert.equal(await field(visit, "--theia-literal").isChecked(), false);
    await visit.close();
  });

  test("what is typed of clocks meanwhile stays too, and is typed on", async () => {
    const visit = await site.sampled();
    const [zone, fix] = ["zone", "fix-clocks"].map((id) => visit.at(id));
    const { heard, free } = await visit.hold("Analyse");
    await visit.at("choose-controls").setInputFiles(SAMPLE);
    await heard("Analyse");
    await fix.check();
    await zone.pressSequentially("+05");
    await free();
    await visit.at("baseline").filter({ hasText: "how long the work of a job takes" }).waitFor();
    await visit.ready();
    await visit.page.keyboard.type(":30");
    assert.equal(await zone.inputValue(), "+05:30");
    assert.ok(await fix.isChecked());
    await unfold(visit);
    await field(visit, "--threshold").fill("0.3");
    await press(visit, "apply-parameters");
    assert.equal(await zone.inputValue(), "+05:30");
    assert.match(await visit.at("clocks").innerText(), /read as UTC|in UTC/, "it was not asked for yet");
    await visit.at("apply-clocks").click();
    await visit.at("clocks").filter({ hasText: "as you set it" }).waitFor();
    await visit.ready();
    assert.equal(await zone.inputValue(), "+05:30");
    // Other logs have a form of their own.
    await visit.choose("choose-files", SAMPLE);
    await visit.until("working");
    await visit.ready();
    assert.equal(await zone.inputValue(), "");
    assert.equal(await fix.isChecked(), false);
    await visit.close();
  });

  test("what is asked for while another analysis is under way is refused at once, and stays as it was typed", async () => {
    const visit = await site.sampled();
    await unfold(visit);
    await field(visit, "--threshold").fill("0.3");
    const { heard, free } = await visit.hold("Analyse");
    await visit.at("apply-parameters").click();
    await heard("Analyse");
    await field(visit, "wb_gap").fill("2");
    for (const id of ["apply-parameters", "usual-parameters"]) {
      await visit.page.locator("#parameters-say").evaluate((says) => (says.textContent = "asked"));
      await visit.at(id).click();
      assert.equal(await visit.page.locator("#parameters-say").innerText(), "Another analysis is under way.");
    }
    await free();
    await visit.ready();
    assert.match(await visit.at("parameters-told").innerText(), /--threshold 0\.3\./);
    assert.equal(await field(visit, "--threshold").inputValue(), "0.3");
    assert.equal(await field(visit, "wb_gap").inputValue(), "2");
    await visit.close();
  });

  test("what cannot be is told at its field in the command's words, and nothing is analysed", async () => {
    const visit = await site.sampled();
    const usual = await visit.report();
    await unfold(visit);
    const bad = {
      "--threshold": ["2", "it takes auto or a number from 0 to 1"],
      "--window": ["0", "not a number of seconds above 0"],
      wb_bins: ["2.5", "wb_bins is a whole number from 2 to 100"],
      wb_slow: ["1,5", "1,5 is not a number"],
    };
    for (const [name, [text]] of Object.entries(bad)) await field(visit, name).fill(text);
    await field(visit, "wb_gap").fill("2");
    await field(visit, "wb_gap").press("Enter");
    const says = (/** @type {string} */ name) => visit.page.locator(`#parameter-fields > div:has([name="${name}"]) output`);
    for (const [name, [, why]] of Object.entries(bad)) {
      await says(name).filter({ hasText: why }).waitFor();
      assert.equal(await field(visit, name).getAttribute("aria-invalid"), "true");
    }
    assert.equal(await says("wb_gap").innerText(), "");
    assert.ok(await field(visit, "--threshold").evaluate((input) => input === document.activeElement), "the first has the focus");
    assert.equal(await visit.state(), "ready");
    assert.deepEqual(await visit.report(), usual);
    await visit.at("parameters").screenshot({ path: join(OUT, "parameters-refused.png") });
    for (const name of Object.keys(bad)) await field(visit, name).fill("");
    await press(visit, "apply-parameters");
    assert.match(await visit.at("parameters-told").innerText(), /--set wb_gap=2\./);
    assert.equal(await visit.page.locator("#parameter-fields [aria-invalid]").count(), 0);
    await visit.close();
  });

  for (const width of [1440, 390]) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      test(`the form fits into ${width} pixels, ${colorScheme}`, async () => {
        const visit = await site.visit("", { viewport: { width, height: 900 }, colorScheme });
        await visit.choose("choose-files", SAMPLE);
        await visit.ready();
        await unfold(visit);
        await field(visit, "--kahuna-literal").check();
        await press(visit, "apply-parameters");
        await visit.page.locator("#verdict").screenshot({ path: join(OUT, `parameters-${width}-${colorScheme}.png`) });
        const wide = await visit.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(wide, 0, "nothing stands out sideways");
        await visit.close();
      });
    }
  }
});
