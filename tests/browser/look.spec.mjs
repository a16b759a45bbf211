// How it looks: pictures to be looked at, and what can be measured of them.
// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { OUT, SAMPLE } from "./paths.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** Elements that stick out of the window to the right, outside of anything that scrolls by itself. */
const sticksOut = () => {
  const width = document.documentElement.clientWidth;
  const scrolls = (/** @type {Element | null} */ at) => {
    for (; at !== null; at = at.parentElement) if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  return {
    page: document.documentElement.scrollWidth - width,
    elements: [...document.body.querySelectorAll("*")]
      .filter((one) => one.getBoundingClientRect().right > width + 1 && !scrolls(one.parentElement))
      .slice(0, 5)
      .map((one) => `${one.tagName.toLowerCase()}.${one.className} ${one.getAttribute("data-testid") ?? ""}`),
  };
};

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const [width, height] of /** @type {const} */ ([
    [1440, 900],
    [390, 844],
  ])) {
    test(`${colorScheme}, ${width} px wide: nothing sticks out`, async () => {
      const visit = await site.visit("", { colorScheme, viewport: { width, height }, reducedMotion: "reduce" });
      for (const state of /** @type {const} */ (["empty", "ready", "error"])) {
        if (state === "ready") await visit.choose("choose-files", SAMPLE);
        if (state === "error") {
          // Another fragment alone does not load the page anew.
          await visit.page.goto("about:blank");
          await visit.page.goto(`${site.server.url}#r=1.AAAA`);
        }
        await visit.until(state);
        if (state === "ready") await visit.drawn();
        // Of those that assistive technology reads.
        const titles = await visit.page.getByRole("heading", { level: 1 }).count();
        assert.equal(titles, 1, `titles of the ${state} page`);
        await visit.page.screenshot({ path: join(OUT, `${state}-${colorScheme}-${width}.png`), fullPage: true });
        const out = await visit.page.evaluate(sticksOut);
        assert.ok(out.page <= 0, `the ${state} page is ${out.page} px too wide: ${out.elements.join(", ")}`);
      }
      await visit.close();
    });
  }
}

test("what saves a figure says which", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.drawn();
  const figures = visit.page.locator("figure[data-figure]:visible");
  const names = await visit.page.locator("figure[data-figure]:visible .tools > button").evaluateAll((all) =>
    all.map((one) => [one.textContent ?? "", one.getAttribute("aria-label") ?? "", one.closest("figure")?.querySelector("h3")?.textContent ?? ""]),
  );
  assert.equal(names.length, 3 * (await figures.count()));
  for (const [text, name, title] of names) {
    assert.ok(["PNG", "SVG", "CSV"].includes(text) && name.includes(text) && name.endsWith(title), `${text}: ${name}`);
  }
  await visit.close();
});

test("what is saved of jobs names their nodes", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.drawn();
  for (const name of ["jobs-stream", "jobs-detail"]) {
    for (const kind of ["SVG", "CSV"]) {
      const download = visit.page.waitForEvent("download");
      await visit.page.locator(`figure[data-figure="${name}"] .tools button`, { hasText: kind }).click();
      assert.match(readFileSync(await (await download).path(), "utf8"), /h103/, `${name} as ${kind}`);
    }
  }
  await visit.close();
});

test("keys can scroll whatever is larger than its box", async () => {
  const visit = await site.visit("", { viewport: { width: 390, height: 844 } });
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.drawn();
  const out = await visit.page.evaluate(() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    const boxes = [...document.querySelectorAll("main *")].filter((one) => {
      const scrolls = /auto|scroll/.test(getComputedStyle(one).overflowY + getComputedStyle(one).overflowX);
      return scrolls && !one.matches("textarea") && (one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth);
    });
    const deaf = boxes.filter((one) => /** @type {HTMLElement} */ (one).tabIndex < 0);
    return { boxes: boxes.length, deaf: deaf.map((one) => one.outerHTML.slice(0, 80)) };
  });
  assert.ok(out.boxes > 10, `${out.boxes} boxes`);
  assert.deepEqual(out.deaf, []);
  // What names a row is there.
  const nameless = visit.page.locator("tbody th").filter({ hasNotText: /\S/ });
  assert.equal(await nameless.count(), 0, "rows without a name");
  await visit.close();
});

test("panels that tell of progress are alike", async () => {
  const visit = await site.visit();
  const panels = await visit.page.locator(".panel").evaluateAll((all) =>
    all.map((one) => [...one.children].map((part) => `${part.tagName} ${part.getAttribute("role") ?? ""} ${part.textContent}`)),
  );
  assert.equal(panels.length, 3);
  for (const one of panels) assert.deepEqual(one, panels[0]);
  for (const id of ["cancel", "cancel-lesson", "cancel-other"]) assert.equal(await visit.at(id).count(), 1, id);
  await visit.close();
});

test("light and dark are two looks", async () => {
  const grounds = [];
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const visit = await site.visit("", { colorScheme });
    grounds.push(await visit.page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    await visit.close();
  }
  assert.notEqual(grounds[0], grounds[1]);
});

test("the way from the sample to the report can be gone by keyboard", async () => {
  const visit = await site.visit();
  await visit.at("sample").first().focus();
  await visit.page.keyboard.press("Enter");
  await visit.ready();
  for (const id of ["download-report", "share-link"]) {
    const target = visit.at(id).first();
    await target.focus();
    assert.ok(await target.evaluate((element) => element === document.activeElement), `${id} takes the focus`);
  }
  await visit.close();
});
