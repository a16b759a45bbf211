// Choosing by the pointer: stretches of time, and what counts as a click.
// @ts-check
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** A page with the sample's figures. */
async function sampled() {
  const visit = await site.sampled();
  await visit.drawn();
  return visit;
}

/** Where a figure's canvas is in the window. @param {import("./harness.mjs").Visit} visit @param {string} name */
async function place(visit, name) {
  const canvas = visit.page.locator(`figure[data-figure="${name}"] canvas`);
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  assert.ok(box !== null);
  return box;
}

/** Presses the pointer at one place and lets it go at another. @param {import("./harness.mjs").Visit} visit @param {[number, number]} from @param {[number, number]} to */
async function drag(visit, from, to) {
  await visit.page.mouse.move(...from);
  await visit.page.mouse.down();
  await visit.page.mouse.move(...to, { steps: 5 });
  await visit.page.mouse.up();
}

test("a stretch of time is as long as it is marked, where a figure does not zoom too", async () => {
  const visit = await sampled();
  /** Marks from the middle to a share of the width, and gives the milliseconds chosen. @param {number} to @param {number} down */
  const chosen = async (to, down = 0) => {
    const { x, y, width, height } = await place(visit, "coverage-map");
    const middle = y + height / 2;
    await visit.page.keyboard.down("Shift");
    await drag(visit, [x + width * 0.5, middle], [x + width * to, middle + down]);
    await visit.page.keyboard.up("Shift");
    const [, from, until] = /t=(\d+)\.\.(\d+)/.exec(await visit.hash()) ?? [];
    return Number(until) - Number(from);
  };
  const short = await chosen(0.6);
  assert.match(await visit.at("selection").innerText(), /Time:/);
  const long = await chosen(0.7);
  assert.ok(Math.abs(long / short - 2) < 0.1, `${long} ms are twice ${short} ms`);
  // No width is no stretch: what is chosen stays.
  assert.equal(await chosen(0.5, 10), long);
  await visit.close();
});

test("a click comes down and up at one place of a figure", async () => {
  const visit = await sampled();
  const { x, y, width } = await place(visit, "peers");
  const selection = visit.at("selection").first();
  // The first row is the highest score's: the node at fault.
  const bar = /** @type {[number, number]} */ ([x + width / 2, y + 33]);
  await drag(visit, [x + width / 2, y - 20], bar);
  assert.equal(await selection.isVisible(), false, "pressed elsewhere");
  await drag(visit, [bar[0] - 100, bar[1]], bar);
  assert.equal(await selection.isVisible(), false, "drawn over it");
  await visit.page.mouse.click(...bar);
  assert.match(await selection.innerText(), /h103/);
  await visit.close();
});

test("the time that a figure shows is chosen by a key or a button, without a mouse", async () => {
  const visit = await sampled();
  const figure = visit.page.locator('figure[data-figure="swimlanes"]');
  const canvas = figure.locator("canvas");
  const tool = figure.getByRole("button", { name: /^Choose the time shown/ });
  /** Milliseconds of the address' time. */
  const chosen = async () => {
    const [, from, until] = /t=(\d+)\.\.(\d+)/.exec(await visit.hash()) ?? [];
    return [Number(from), Number(until)];
  };
  await canvas.focus();
  // All of it is no stretch.
  assert.equal(await tool.isVisible(), false);
  await visit.page.keyboard.press("t");
  assert.equal(await visit.at("selection").isVisible(), false);
  await visit.page.keyboard.press("+");
  await visit.page.keyboard.press("+");
  await tool.waitFor();
  await visit.page.keyboard.press("t");
  await visit.at("selection").waitFor();
  const [from, until] = await chosen();
  // Under Caps Lock a letter is the other one.
  const wide = await canvas.getAttribute("data-shown");
  await visit.page.keyboard.press("W");
  await visit.page.waitForFunction((shown) => document.querySelector('figure[data-figure="swimlanes"] canvas')?.getAttribute("data-shown") !== shown, wide);
  const before = await canvas.getAttribute("data-shown");
  await visit.page.keyboard.press("+");
  await visit.page.waitForFunction((shown) => document.querySelector('figure[data-figure="swimlanes"] canvas')?.getAttribute("data-shown") !== shown, before);
  await tool.click();
  const [later, earlier] = await chosen();
  assert.ok(from < later && later < earlier && earlier < until, `${later}..${earlier} lies within ${from}..${until}`);
  await visit.close();
});
