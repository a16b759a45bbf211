// A finger instead of a pointer: a tap shows the numbers and chooses, as a click does.
// @ts-check
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { SAMPLE } from "./paths.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

test("a tap on a node's bar shows its numbers and chooses it", async () => {
  const visit = await site.visit("", { hasTouch: true, viewport: { width: 390, height: 800 } });
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.drawn();
  const figure = visit.page.locator('figure[data-figure="peers"]').first();
  await figure.locator("canvas").scrollIntoViewIfNeeded();
  const box = await figure.locator("canvas").boundingBox();
  assert.ok(box !== null);
  assert.equal(await figure.locator(".tip").isVisible(), false);
  const frames = await visit.frames();
  // The first row is the highest score's: the node at fault.
  await visit.page.touchscreen.tap(box.x + box.width / 2, box.y + 33);
  const tip = figure.locator(".tip");
  await tip.waitFor({ state: "visible" });
  assert.match(await tip.innerText(), /h103/);
  assert.match(await visit.at("selection").innerText(), /h103/);
  // It stays when the finger is lifted and the figure drawn anew, and goes with the next tap beside it.
  await visit.redrawn(frames);
  assert.equal(await tip.isVisible(), true);
  await visit.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height - 3);
  await tip.waitFor({ state: "hidden" });
  await visit.close();
});
