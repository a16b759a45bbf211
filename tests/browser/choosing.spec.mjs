// Choosing by the pointer: stretches of time, and what counts as a click.
// @ts-check
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import * as made from "./made.mjs";
import { OUT } from "./paths.mjs";

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

test("what is known of the node and the job that are chosen is told below the choice", async () => {
  const visit = await site.visit("#node=h103");
  await visit.works();
  const told = visit.at("chosen").first();
  assert.match(await told.innerText(), /^h103 is at fault \(.+\); indicted by \d+ of \d+ witnesses$/);
  assert.equal(await told.locator("li").first().isVisible(), false, "one line, until more is asked for");
  await told.locator("summary").click();
  assert.match(await told.innerText(), /Indicted by kahuna-wb Map \(score \d\.\d\d, threshold \d\.\d\d\)/);
  assert.match(await told.innerText(), /Its logs: \d+ files; .* lines understood/);
  // What is open stays so, and a job is told of beside the node.
  const job = visit.page.locator("#grounds a[href*='job=']").first();
  await job.evaluate((link) => link.closest("details")?.setAttribute("open", ""));
  const id = await job.innerText();
  await job.click();
  assert.match(await visit.hash(), new RegExp(`v=jobs&node=h103&job=${id}`), "what a link names is added to what is chosen");
  assert.match(await visit.at("selection").first().innerText(), /h103/);
  await told.getByText(`${id}: `).waitFor();
  assert.match(await told.innerText(), /h103 is at fault/);
  assert.ok(await told.locator("li").first().isVisible());
  await visit.page.screenshot({ path: join(OUT, "chosen.png") });
  const chips = visit.at("selection").locator("button");
  while ((await chips.count()) > 0) await chips.first().click();
  assert.equal(await told.isVisible(), false);
  await visit.close();
});

test("figures of peers that need no kind of state are drawn of two nodes, too", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", made.partOfSample(["h101", "h102"]));
  await visit.ready();
  assert.match(await visit.page.locator("#peers").innerText(), /No kind of state has two or more on each of three nodes/);
  await visit.page.locator('figure[data-figure="peers-stripes"] canvas[data-frames]').waitFor();
  assert.equal(await visit.page.locator('figure[data-figure="peers-time"]').count(), 0);
  assert.equal(await visit.page.locator("#threshold").isVisible(), false);
  await visit.close();
});

test("a stretch of time alone is told, and marked where figures of peers have time", async () => {
  const visit = await site.visit("#v=peers&t=1795227884000..1795227944000");
  await visit.works();
  await visit.drawn();
  assert.equal(await visit.at("chosen").innerText(), "60 s: 1 job, 1 node at fault");
  const title = (/** @type {string} */ name) => visit.page.locator(`figure[data-figure="${name}"] h3`).innerText();
  assert.match(await title("peers"), /, whatever time is chosen/);
  assert.doesNotMatch(await title("peers-time"), /whatever time/);
  await visit.page.locator('figure[data-figure="peers-stripes"]').screenshot({ path: join(OUT, "stripes-chosen.png") });
  await visit.close();
});

test("Escape ends the choice, after a tooltip and not in a field", async () => {
  const visit = await site.visit("#node=h103&t=1795227884000..1795227944000");
  await visit.works();
  await visit.drawn();
  const selection = visit.at("selection");
  await visit.at("search").locator("input").focus();
  await visit.page.keyboard.press("Escape");
  assert.equal(await selection.isVisible(), true, "in a field");
  const figure = visit.page.locator('figure[data-figure="peers"]');
  await figure.locator("canvas").focus();
  await visit.page.keyboard.press("ArrowDown");
  await figure.locator(".tip").waitFor();
  await visit.page.keyboard.down("Escape");
  await figure.locator(".tip").waitFor({ state: "hidden" });
  assert.equal(await selection.isVisible(), true, "it ended the tooltip");
  await visit.page.keyboard.down("Escape");
  assert.equal(await selection.isVisible(), true, "held down it ends no more");
  await visit.page.keyboard.up("Escape");
  await visit.page.keyboard.press("Escape");
  await selection.waitFor({ state: "hidden" });
  assert.doesNotMatch(await visit.hash(), /node=|t=/);
  // A slider has no words that it would take back.
  await visit.page.goBack();
  await selection.waitFor();
  await visit.page.locator("#threshold").focus();
  await visit.page.keyboard.press("Escape");
  await selection.waitFor({ state: "hidden" });
  // Back leads to it, and the focus does not go with what had it.
  await visit.page.goBack();
  await selection.waitFor();
  await selection.getByRole("button").first().focus();
  await visit.page.keyboard.press("Escape");
  await selection.waitFor({ state: "hidden" });
  assert.ok(await visit.page.evaluate(() => document.activeElement?.closest("nav") !== null));
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

test("the wheel zooms a figure with Ctrl or after keys, and else scrolls the page", async () => {
  const visit = await sampled();
  const canvas = visit.page.locator('figure[data-figure="swimlanes"] canvas');
  /** Turns the wheel over the figure: whether the browser is kept from what it would do, and what the figure shows then. @param {{ deltaY: number, ctrlKey?: boolean }} init */
  const turn = async (init) => {
    const kept = await canvas.evaluate((canvas, init) => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const place = { clientX: left + width / 2, clientY: top + height / 2 };
      return !canvas.dispatchEvent(new WheelEvent("wheel", { ...init, ...place, bubbles: true, cancelable: true }));
    }, init);
    await visit.drawn();
    await visit.page.waitForTimeout(200);
    return [kept, await canvas.getAttribute("data-shown")];
  };
  const { x, y, width } = await place(visit, "swimlanes");
  const whole = await canvas.getAttribute("data-shown");
  await visit.page.mouse.click(x + width / 2, y + 60);
  assert.deepEqual(await turn({ deltaY: -240 }), [false, whole], "clicked into, not led to");
  assert.deepEqual(await turn({ deltaY: 240, ctrlKey: true }), [true, whole], "nor is the page made smaller at the end");
  const [kept, near] = await turn({ deltaY: -240, ctrlKey: true });
  assert.ok(kept && near !== whole, `${near}`);
  await visit.page.keyboard.press("0");
  await visit.page.waitForFunction((whole) => document.querySelector('figure[data-figure="swimlanes"] canvas')?.getAttribute("data-shown") === whole, whole);
  await visit.page.keyboard.press("Tab");
  await visit.page.keyboard.press("Shift+Tab");
  assert.ok(await canvas.evaluate((one) => one === document.activeElement));
  const [led, nearer] = await turn({ deltaY: -240 });
  assert.ok(led && nearer !== whole, `${nearer}`);
  await visit.close();
});

test("a pointer that came up where nobody told drags nothing, and is one when it comes down again", async () => {
  const visit = await sampled();
  const canvas = visit.page.locator('figure[data-figure="swimlanes"] canvas');
  await canvas.focus();
  for (let times = 0; times < 3; times += 1) await visit.page.keyboard.press("+");
  const shown = async () => {
    await visit.page.waitForTimeout(300);
    const [from, until] = ((await canvas.getAttribute("data-shown")) ?? "").split("..").map(Number);
    return { from, span: until - from };
  };
  /** @param {string} type @param {number} x share of the width @param {number} buttons */
  const point = (type, x, buttons) =>
    canvas.evaluate(
      (canvas, [type, x, buttons]) => {
        const { left, top, width, height } = canvas.getBoundingClientRect();
        const place = { clientX: left + width * x, clientY: top + height / 2 };
        canvas.dispatchEvent(new PointerEvent(type, { ...place, pointerId: 1, button: type === "pointermove" ? -1 : 0, buttons, bubbles: true }));
      },
      /** @type {const} */ ([type, x, buttons]),
    );
  const before = await shown();
  await point("pointerdown", 0.5, 1);
  await point("pointermove", 0.7, 0);
  assert.deepEqual(await shown(), before, "no button is held");
  await point("pointerdown", 0.5, 1);
  await point("pointerdown", 0.5, 1);
  await point("pointermove", 0.6, 1);
  await point("pointerup", 0.6, 0);
  const after = await shown();
  assert.ok(after.from < before.from, "what was dragged to the right shows earlier times");
  assert.ok(Math.abs(after.span - before.span) < 1e-9, "one pointer is no pinch");
  await visit.close();
});

test("a figure is drawn again where the browser has lost its picture", async () => {
  const visit = await sampled();
  const frames = await visit.frames();
  await visit.page.evaluate(() => document.querySelectorAll("figure canvas").forEach((one) => one.dispatchEvent(new Event("contextrestored"))));
  await visit.redrawn(frames);
  await visit.close();
});

test("the time that a figure shows is chosen by a key or a button, without a mouse", async () => {
  const visit = await sampled();
  const figure = visit.page.locator('figure[data-figure="swimlanes"]');
  const canvas = figure.locator("canvas");
  const tool = figure.getByRole("button", { name: /^Choose this time/ });
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
