// How it looks: pictures to be looked at, and what can be measured of them.
// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { longNames, renamedSample } from "./made.mjs";
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
    // A window of 1280 px at a zoom of 400 %.
    [320, 256],
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
        const bar = await visit.page.locator("#bar").evaluate((bar) => bar.clientHeight / window.innerHeight);
        assert.ok(bar < 0.4, `the bar covers ${bar.toFixed(2)} of the window`);
      }
      await visit.close();
    });
  }
}

test("long names of hosts stick out nowhere, and columns are named without their domain", async () => {
  const logs = longNames();
  const visit = await site.visit("", { viewport: { width: 390, height: 844 } });
  await visit.choose("choose-files", logs);
  await visit.ready();
  await visit.drawn();
  assert.match(await visit.page.locator("#verdict-card h1").innerText(), /datanode103\.hadoop\.prod\.example\.com/);
  await visit.page.screenshot({ path: join(OUT, "long-names-390.png") });
  const out = await visit.page.evaluate(sticksOut);
  assert.ok(out.page <= 0, `the page is ${out.page} px too wide: ${out.elements.join(", ")}`);
  const matrix = visit.page.locator('figure[data-figure="flows-matrix"]');
  await matrix.screenshot({ path: join(OUT, "long-names-matrix-390.png") });
  const download = visit.page.waitForEvent("download");
  await matrix.locator(".tools button", { hasText: "SVG" }).click();
  const svg = readFileSync(await (await download).path(), "utf8");
  const texts = [...svg.matchAll(/<text[^>]*>\s*([^<]*?)\s*<\/text>/g)].map(([, text]) => text);
  const columns = texts.slice(texts.indexOf("out") + 1, texts.indexOf("datanode101"));
  assert.deepEqual(columns, ["1", "2", "3", "4", "5", "6"], "what tells them apart");
  await visit.close();
});

test("a host's name without a place to break it sticks out nowhere", async () => {
  const name = "n".repeat(120);
  const visit = await site.visit(`#node=${name}`, { viewport: { width: 390, height: 844 } });
  await visit.choose("choose-files", renamedSample(name, "sorter", "h103"));
  await visit.ready();
  await visit.drawn();
  assert.equal((await visit.culprits())[0].split(" ")[0], name);
  await visit.page.screenshot({ path: join(OUT, "unbroken-name-390.png"), fullPage: true });
  const out = await visit.page.evaluate(sticksOut);
  assert.ok(out.page <= 0, `the page is ${out.page} px too wide: ${out.elements.join(", ")}`);
  await visit.close();
});

test("a figure that is not laid out for a narrower window yet does not widen the page", async () => {
  const visit = await site.visit("", { viewport: { width: 390, height: 844 } });
  await visit.choose("choose-files", SAMPLE);
  await visit.ready();
  await visit.drawn();
  await visit.page.locator("figure canvas").first().evaluate((canvas) => (canvas.style.width = "3000px"));
  assert.equal((await visit.page.evaluate(sticksOut)).page, 0);
  await visit.close();
});

test("what is pressed is told apart in the system's colours", async () => {
  const visit = await site.visit("#v=peers", { forcedColors: "active" });
  await visit.works();
  await visit.drawn();
  const colours = await visit.page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("p"));
    probe.style.cssText = "forced-color-adjust: none; background: Highlight; color: HighlightText";
    const one = ["nav a[aria-current]", '#peers .chips [aria-pressed="true"]', "body > p:last-child"].map((selector) => {
      const { backgroundColor, color } = getComputedStyle(/** @type {Element} */ (document.querySelector(selector)));
      return `${color} on ${backgroundColor}`;
    });
    probe.remove();
    return one;
  });
  assert.equal(colours[0], colours[2], "the link of what is looked at");
  assert.equal(colours[1], colours[2], "a pressed chip");
  await visit.page.screenshot({ path: join(OUT, "forced-colours-1440.png") });
  await visit.close();
});

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
    // A line of links is scrolled by going from one to the next.
    const deaf = boxes.filter((one) => /** @type {HTMLElement} */ (one).tabIndex < 0 && !one.matches(".links"));
    return { boxes: boxes.length, deaf: deaf.map((one) => one.outerHTML.slice(0, 80)) };
  });
  assert.ok(out.boxes > 10, `${out.boxes} boxes`);
  assert.deepEqual(out.deaf, []);
  // Each box, and each figure that keys steer, has a name of its own.
  const named = await visit.page.locator(".scroll:visible, main ul[tabindex]:visible, canvas:visible").evaluateAll((all) =>
    all.map((one) => `${one.getAttribute("role") ?? one.tagName}: ${one.getAttribute("aria-label") ?? ""}`),
  );
  assert.deepEqual(named.filter((name, i) => /: (Table)?$/.test(name) || named.indexOf(name) !== i), []);
  assert.ok(named.some((name) => name.startsWith("application: ")));
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

test("a bar tells how far a reading is, and of an analysis that it goes on", async () => {
  const visit = await site.visit();
  await visit.page.evaluate(() => {
    const [words, bar] = ["progress-words", "progress-bar"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));
    const said = /** @type {[string, string | null][]} */ ([]);
    Object.assign(window, { said });
    new MutationObserver(() => said.push([words.innerText, bar.getAttribute("value")])).observe(words, { childList: true });
  });
  await visit.works();
  const said = /** @type {[string, string | null][]} */ (await visit.page.evaluate(() => /** @type {any} */ (window).said));
  const analysing = said.filter(([words]) => words.startsWith("All "));
  assert.ok(analysing.length > 0, JSON.stringify(said));
  for (const [words, value] of analysing) {
    assert.match(words, / · \D.* · \d.* so far$/, "the step, and how long all took");
    assert.equal(value, null, words);
  }
  await visit.close();
});

test("figures are as sharp as the window, which may turn to another screen", async () => {
  const visit = await site.sampled();
  await visit.drawn();
  const screen = await visit.context.newCDPSession(visit.page);
  await screen.send("Emulation.setDeviceMetricsOverride", { width: 1440, height: 900, deviceScaleFactor: 2, mobile: false });
  // Which a window tells that moves; here it stays where it is.
  await visit.page.evaluate(() => void dispatchEvent(new Event("resize")));
  await visit.page.waitForFunction(() => {
    const canvases = [...document.querySelectorAll("figure[data-figure] canvas")].filter((one) => one.clientWidth > 0);
    return canvases.every((one) => Math.abs(/** @type {HTMLCanvasElement} */ (one).width - 2 * one.clientWidth) <= 2);
  });
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
  const reach = async (/** @type {string} */ id) => {
    const is = () => visit.at(id).first().evaluate((element) => element === document.activeElement);
    for (let stop = 0; stop < 300; stop += 1) {
      if (await is()) return;
      await visit.page.keyboard.press("Tab");
    }
    assert.fail(`no key leads to ${id}`);
  };
  await reach("sample");
  await visit.page.keyboard.press("Enter");
  await visit.ready();
  for (const id of ["share-link", "download-report"]) await reach(id);
  await visit.close();
});

test("what is pressed is as large as a finger finds it", async () => {
  const visit = await site.visit("#node=h103&t=1795227884000..1795227890000", { viewport: { width: 390, height: 844 } });
  await visit.works();
  await visit.drawn();
  const small = await visit.page.evaluate(() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")];
    // A field's words are pressed for it, and links in a sentence are as large as its words.
    const pressed = (/** @type {Element} */ one) => (one.matches("input") ? (one.closest("label") ?? one) : one);
    const inWords = (/** @type {Element} */ one) => one.matches("a") && one.parentElement?.matches("p, li, span") === true;
    const sizes = all.filter((one) => one.checkVisibility() && !inWords(one)).map((one) => {
      const { width, height } = pressed(one).getBoundingClientRect();
      return { what: `${one.closest("[id]")?.id} ${one.tagName}.${one.className} ${one.textContent?.slice(0, 20)}`, width, height };
    });
    return { count: sizes.length, small: sizes.filter(({ width, height }) => width < 24 || height < 24).map(({ what, width, height }) => `${what}: ${width.toFixed()}×${height.toFixed()}`) };
  });
  assert.ok(small.count > 100, `${small.count} are there`);
  assert.deepEqual(small.small, []);
  await visit.close();
});

test("what is chosen leaves a phone's screen to what is read", async () => {
  const visit = await site.visit("#v=peers&node=h103&t=1795227884000..1795227890000", { viewport: { width: 390, height: 844 } });
  await visit.works();
  await visit.drawn();
  const height = () => visit.page.locator("#bar").evaluate((bar) => bar.clientHeight);
  assert.ok((await height()) <= 100, `${await height()} px`);
  // What is known of the choice is unfolded there.
  await visit.at("chosen").locator("summary").first().click();
  await visit.at("chosen").getByText(/^Indicted by/).waitFor();
  await visit.page.screenshot({ path: join(OUT, "chosen-390.png") });
  assert.ok((await height()) <= 0.5 * 844, `${await height()} px unfolded`);
  await visit.close();
});

test("keys lead on from where they led to", async () => {
  const visit = await site.visit();
  await visit.works();
  await visit.drawn();
  const focused = () => visit.page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
  await visit.page.locator('nav a[href="#v=coverage"]').focus();
  await visit.page.keyboard.press("Enter");
  assert.equal(await focused(), "view-coverage");
  await visit.page.screenshot({ path: join(OUT, "focused-section-1440.png") });
  await visit.page.keyboard.press("Tab");
  assert.ok(await visit.page.evaluate(() => document.activeElement?.closest("#view-coverage") !== null), "the next stop is in it");
  await visit.page.evaluate(() => (location.hash = "#v=coverage&node=h101&t=1795227884000..1795227890000"));
  const chips = visit.at("selection").locator("button");
  await chips.filter({ hasText: "Time" }).waitFor();
  await chips.first().focus();
  await visit.page.keyboard.press("Enter");
  assert.match(String(await focused()), /^Time/);
  await visit.page.keyboard.press("Enter");
  assert.equal(await focused(), "Coverage", "the link of what is looked at");
  await visit.close();
});

test("a tooltip is within the window, and Escape ends it wherever the focus is", async () => {
  const visit = await site.visit("", { viewport: { width: 390, height: 500 } });
  await visit.works();
  await visit.drawn();
  const figure = visit.page.locator('figure[data-figure="peers"]');
  const canvas = figure.locator("canvas");
  const tip = figure.locator(".tip");
  // The first bar at the lower end of the window.
  await canvas.evaluate((canvas) => window.scrollBy(0, canvas.getBoundingClientRect().top + 50 - window.innerHeight));
  const box = await canvas.boundingBox();
  assert.ok(box !== null);
  await visit.page.mouse.move(box.x + box.width / 2, box.y + 33);
  await tip.waitFor({ state: "visible" });
  const low = await tip.evaluate((tip) => tip.getBoundingClientRect().bottom - window.innerHeight);
  assert.ok(low <= 0, `${low} px below the window`);
  const covered = await figure.evaluate((figure) => {
    const [tip, cursor] = [".tip", ".cursor"].map((part) => figure.querySelector(part)?.getBoundingClientRect());
    return (tip?.bottom ?? NaN) - (cursor?.top ?? NaN);
  });
  assert.ok(covered <= 0, `${covered} px of what it tells of are covered`);
  assert.equal(await canvas.evaluate((canvas) => canvas === document.activeElement), false);
  await visit.page.keyboard.press("Escape");
  assert.equal(await tip.isVisible(), false);
  // A key leads the cursor, and the window after it.
  await canvas.evaluate((canvas) => {
    canvas.focus({ preventScroll: true });
    window.scrollBy(0, canvas.getBoundingClientRect().bottom + 200);
  });
  await visit.page.keyboard.press("Home");
  await tip.waitFor({ state: "visible" });
  const { top, bottom } = await figure.locator(".cursor").evaluate((cursor) => cursor.getBoundingClientRect().toJSON());
  assert.ok(top >= 0 && bottom <= 500, `${top} to ${bottom}`);
  await visit.close();
});

/**
 * Waits until the bar marks a view, or does so no longer, while the reader goes a pixel to and fro: a step that comes
 * together with figures of another height is not taken for the reader's.
 * @param {import("./harness.mjs").Visit} visit @param {string} view @param {boolean} is
 */
async function marks(visit, view, is = true) {
  await visit.page.waitForFunction(
    ([view, is]) => {
      if ((document.querySelector("nav [aria-current]")?.textContent === view) === is) return true;
      const before = window.scrollY;
      window.scrollBy(0, Math.round(before) % 2 === 0 ? 1 : -1);
      // The page may end here.
      if (window.scrollY === before) window.scrollBy(0, -1);
      return false;
    },
    /** @type {const} */ ([view, is]),
  );
}

test("a view's title is below the bar, however many lines that has, and the bar marks what is scrolled to", async () => {
  const visit = await site.visit("", { viewport: { width: 390, height: 844 } });
  await visit.works();
  await visit.drawn();
  const frames = await visit.frames();
  await visit.page.evaluate(() => (location.hash = "#v=jobs&node=h101&t=1795227884000..1795227890000"));
  await visit.at("selection").locator("button").first().waitFor();
  await visit.page.waitForFunction(() => document.querySelector("nav [aria-current]")?.id === "nav-jobs");
  await visit.redrawn(frames);
  await visit.page.waitForFunction(() => {
    const [bar, title] = ["#bar", "#view-jobs > h2"].map((one) => document.querySelector(one)?.getBoundingClientRect());
    const px = (title?.top ?? NaN) - (bar?.bottom ?? NaN);
    return (bar?.height ?? 0) > 80 && px >= 0 && px < 60;
  });
  // From the reader's first step on the page keeps nothing in sight.
  const before = await visit.page.evaluate(() => window.scrollY);
  await visit.page.mouse.wheel(0, 40);
  await visit.page.waitForFunction((before) => window.scrollY !== before, before);
  await visit.page.evaluate(() => document.getElementById("view-coverage")?.scrollIntoView());
  await marks(visit, "Coverage");
  // The line of links stays where the reader has it, until another is marked.
  const left = await visit.page.evaluate(async () => {
    const line = /** @type {HTMLElement} */ (document.querySelector(".links"));
    const before = line.scrollLeft;
    line.scrollLeft = 0;
    window.scrollBy(0, -1);
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    return [before > 0, line.scrollLeft];
  });
  assert.deepEqual(left, [true, 0]);
  await visit.close();
});

test("the bar marks what a link led to, whenever the reader moves next", async () => {
  const visit = await site.visit("", { viewport: { width: 1440, height: 2000 } });
  await visit.works();
  await visit.drawn();
  // The first step may come with figures that grew meanwhile.
  await visit.page.mouse.wheel(0, 40);
  await visit.page.waitForFunction(() => window.scrollY > 0);
  const seen = await visit.page.evaluate(async () => {
    const link = /** @type {HTMLElement} */ (document.querySelector('nav a[href="#v=coverage"]'));
    const scrolled = new Promise((told) => document.addEventListener("scroll", told, { once: true }));
    link.click();
    // Before the browser tells that the page was scrolled.
    window.dispatchEvent(new PointerEvent("pointermove"));
    await scrolled;
    const [bar, section] = ["#bar", "#view-coverage"].map((one) => document.querySelector(one)?.getBoundingClientRect());
    return { marked: document.querySelector("nav [aria-current]")?.textContent, px: (section?.top ?? NaN) - (bar?.bottom ?? NaN) };
  });
  assert.ok(seen.px > 100, `the last section ends the page ${seen.px} px below the bar`);
  assert.equal(seen.marked, "Coverage");
  await visit.page.mouse.wheel(0, -400);
  await marks(visit, "Coverage", false);
  await visit.close();
});

test("what is printed says which figures were not drawn, and has no titles of what is not printed", async () => {
  const visit = await site.visit();
  await visit.works();
  await visit.drawn();
  await visit.page.emulateMedia({ media: "print" });
  const said = () =>
    visit.page.evaluate(() => [...document.querySelectorAll("figure")].map((figure) => getComputedStyle(figure, "::before").content).filter((text) => text !== "none"));
  assert.deepEqual(await said(), []);
  await visit.page.locator('figure[data-figure="peers"] canvas').evaluate((canvas) => canvas.removeAttribute("style"));
  assert.match((await said()).join(), /^"?Not drawn.*peers.*scroll to it before printing"?$/);
  assert.equal(await visit.page.getByRole("heading", { name: "Files", exact: true }).isVisible(), false);
  const ratios = await visit.page.evaluate(() => {
    const canvases = [...document.querySelectorAll("canvas")].filter((one) => one.clientHeight > 0 && one.clientHeight < 900);
    return canvases.map((one) => (one.clientWidth / one.clientHeight) * (one.height / one.width));
  });
  assert.ok(ratios.length > 10, `${ratios.length} canvases`);
  assert.deepEqual(ratios.filter((ratio) => Math.abs(ratio - 1) > 0.05), [], "no canvas keeps the height of a wider one");
  await visit.page.pdf({ path: join(OUT, "printed.pdf"), format: "A4" });
  await visit.close();
});
