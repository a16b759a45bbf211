// For whoever hears the page and steers it by keys: all that it shows by axe's rules in every look, then the way of the
// keys, and figures without eyes.
// @ts-check
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { start } from "./harness.mjs";
import { BIN, DATA, DIST, OUT, SAMPLE } from "./paths.mjs";

/** @typedef {import("./harness.mjs").Visit} Visit */
/** @typedef {import("./harness.mjs").Page} Page */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** WCAG 2.2 to AA, and what is good practice beside it. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Rules that do not apply, each with its reason: all do. @type {Record<string, string>} */
const OFF = {};
/** Those that another colour scheme may break; all others are the same in both. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
/** Rows behind the first of a table are copies of these with other words. */
const ALIKE = "tbody tr:nth-child(n + 12)";
const WIDTHS = /** @type {const} */ ([
  [1440, 900],
  [390, 844],
]);
const SCHEMES = /** @type {const} */ (["light", "dark"]);

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** What is wrong with the page as it is now: view, rule, node, why. @param {Page} page @param {string[] | undefined} only */
async function wrong(page, only) {
  // None of the page's own scripts: its policy stays as it is.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(
    async ({ runOnly, off, ALIKE }) => {
      const rules = Object.fromEntries([...off.map((id) => [id, { enabled: false }]), ["target-size", { enabled: true }]]);
      const { violations } = await /** @type {any} */ (window).axe.run({ exclude: [ALIKE] }, { runOnly, rules, resultTypes: ["violations"] });
      return violations.flatMap((/** @type {any} */ rule) =>
        rule.nodes.map((/** @type {any} */ node) => {
          const view = document.querySelector(node.target[0])?.closest("[id]")?.id ?? "page";
          return `${rule.id} in ${view}: ${node.target.join(" ")} ${node.html.slice(0, 120)}: ${node.failureSummary.replace(/\s+/g, " ")}`;
        }),
      );
    },
    { runOnly: only ? { type: "rule", values: only } : { type: "tag", values: TAGS }, off: Object.keys(OFF), ALIKE },
  );
}

/** Nothing is wrong in any look. @param {Page} page @param {string} name of what is shown @param {() => Promise<void>} resized */
async function isRight(page, name, resized = async () => {}) {
  /** @type {string[]} */
  const found = [];
  for (const [width, height] of WIDTHS) {
    await page.setViewportSize({ width, height });
    await resized();
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const lines = await wrong(page, colorScheme === "light" ? undefined : OF_COLOURS);
      found.push(...lines.map((/** @type {string} */ line) => `${name}, ${width} px, ${colorScheme}: ${line}`));
      await page.screenshot({ path: join(OUT, `access-${name.replaceAll(" ", "-")}-${width}-${colorScheme}.png`) });
    }
  }
  assert.deepEqual(found, []);
}

/** The same of a report with these views, all that folds unfolded. @param {Visit} visit @param {string} name @param {string[]} views */
async function isRightUnfolded(visit, name, views) {
  await visit.drawn();
  for (const view of views) assert.ok(await visit.at(`view-${view}`).isVisible(), `${name} shows ${view}`);
  await unfold(visit.page);
  // A report without its logs has none.
  if (await visit.at("parameters").isVisible()) await visit.page.locator("#parameter-fields input").first().waitFor();
  await isRight(visit.page, name, () => visit.resized());
}

/** @param {Page} page */
function unfold(page) {
  return page.evaluate(() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
}

/** A small cluster that never was, with metrics. */
function measuredCluster() {
  const path = join(OUT, "measured.tar.gz");
  execFileSync(BIN, ["simulate", "--nodes", "4", "--generation", "3", "--fault", "cpuhog", "--size", "0.5", "--seed", "7", "-o", path]);
  return path;
}

describe("all that is shown, by axe's rules", () => {
  test("the rules find what is wrong", async () => {
    const visit = await site.visit();
    await visit.page.evaluate(() => {
      const add = (/** @type {string} */ tag, /** @type {string} */ text, /** @type {string} */ style) => {
        const one = /** @type {Element} */ (document.querySelector("main")).appendChild(document.createElement(tag));
        one.textContent = text;
        one.style.cssText = style;
      };
      add("button", "", "");
      add("p", "hardly to be read", "color: #ccc");
      for (const text of ["x", "y"]) add("button", text, "all: unset; display: block; width: 9px; height: 9px; font-size: 8px");
    });
    const found = (await wrong(visit.page, undefined)).map((/** @type {string} */ line) => line.split(" ")[0]);
    for (const rule of ["button-name", "color-contrast", "target-size"]) assert.ok(found.includes(rule), `${rule}: ${found}`);
    await visit.close();
  });

  test("before there are logs, and while they are read", async () => {
    const visit = await site.visit();
    await unfold(visit.page);
    await isRight(visit.page, "empty");
    // A worker that never comes: the page waits.
    await visit.page.route("**/worker*", () => {});
    await visit.choose("choose-files", SAMPLE);
    await visit.until("working");
    await isRight(visit.page, "working");
    await visit.close();
  });

  test("an error", async () => {
    const visit = await site.visit("#r=1.AAAA");
    await visit.until("error");
    await isRight(visit.page, "error");
    await visit.close();
  });

  test("a question of another page", async () => {
    const visit = await site.visit();
    const opened = visit.context.waitForEvent("page");
    await visit.page.evaluate((url) => {
      addEventListener("message", (event) => {
        const files = [new File(["x"], "ticket-1234.tar.gz")];
        if (event.data?.oddnode === "ready") /** @type {Window} */ (event.source).postMessage({ oddnode: "read", files });
      });
      window.open(url);
    }, site.server.url);
    const page = await opened;
    await page.getByTestId("handed").waitFor();
    await isRight(page, "handed");
    await visit.close();
  });

  test("a verdict, folded and unfolded, with all that comes and goes", async () => {
    const visit = await site.sampled();
    await visit.drawn();
    assert.deepEqual(await wrong(visit.page, undefined), [], "folded");
    const found = visit.at("search-found");
    await visit.at("search-words").fill("h10");
    await visit.at("search-words").press("Enter");
    await found.locator("tr").first().waitFor();
    await visit.unfold();
    await visit.at("ticket-text").first().click();
    await visit.at("ticket").first().waitFor();
    await visit.page.locator('figure[data-figure="swimlanes-nodes"]').getByRole("button", { name: /^Zoom in/ }).click();
    await visit.page.getByRole("button", { name: /^Choose this time/ }).first().waitFor();
    await visit.page.evaluate(() => {
      location.hash = "#v=jobs&node=h103&t=1795227884000..1795227890000";
      for (const id of ["update", "lesson", "other-run"]) document.getElementById(id)?.removeAttribute("hidden");
    });
    await visit.at("chosen").getByText(/^Indicted by/).waitFor({ state: "attached" });
    await visit.page.locator("figure table button.line").first().dispatchEvent("click");
    await visit.page.locator("tr.quoted").first().waitFor({ state: "attached" });
    await isRightUnfolded(visit, "verdict", ["verdict", "peers", "cluster", "jobs", "swimlanes", "flows", "coverage"]);
    // What cannot be set is told at its field.
    await visit.page.locator('#parameter-fields input[name="--threshold"]').fill("2");
    await visit.at("apply-parameters").click();
    await visit.page.locator("#parameter-fields [aria-invalid]").waitFor();
    assert.deepEqual(await wrong(visit.page, undefined), [], "refused");
    await visit.close();
  });

  test("runs beside their labels", async () => {
    const folder = join(OUT, "access");
    mkdirSync(folder, { recursive: true });
    const runs = ["e1", "e2"].map((run) => join(folder, `${run}.tar.gz`));
    runs.forEach((run) => copyFileSync(SAMPLE, run));
    const label = { workload: "sort", fault: "CPUHog", begin_ms: 0, end_ms: 100000 };
    const labels = [{ run: "e1", ...label, node: "h103" }, { run: "e2", ...label, fault: "none", node: null }];
    writeFileSync(join(folder, "truth.json"), JSON.stringify(labels));
    const visit = await site.visit();
    await visit.choose("choose-files", [...runs, join(folder, "truth.json")]);
    await visit.ready();
    await isRightUnfolded(visit, "evaluation", ["evaluation"]);
    await visit.close();
  });

  test("two runs compared, and one that is kept", async () => {
    const visit = await site.sampled();
    await visit.at("choose-compare").setInputFiles(join(DIST, "samples/slow-disk.tar.gz"));
    await visit.at("compare-sentence").waitFor();
    await visit.ready();
    await visit.at("keep").first().click();
    await visit.at("kept-run").first().waitFor();
    await isRightUnfolded(visit, "compared", ["compare"]);
    await visit.close();
  });

  test("metrics", async () => {
    const visit = await site.visit();
    await visit.choose("choose-files", measuredCluster());
    await visit.ready();
    await isRightUnfolded(visit, "metrics", ["system"]);
    await visit.close();
  });

  const calls = join(DATA, "hadoop1/s05.tar.gz");
  test("system calls", { skip: existsSync(calls) ? false : "no labelled runs beside the repository" }, async () => {
    const visit = await site.visit();
    await visit.choose("choose-files", calls);
    await visit.ready();
    await isRightUnfolded(visit, "calls", ["syscalls"]);
    await visit.close();
  });

  test("a link that is opened, and the page that is saved", async () => {
    const visit = await site.sampled();
    const saved = await visit.save("download-html", "access.html");
    await visit.unfold();
    await visit.at("share-rung").selectOption("full");
    await visit.page.waitForFunction(() => /** @type {HTMLInputElement} */ (document.querySelector('[data-testid="share-link"]')).value !== "");
    const link = await visit.link();
    await visit.close();
    const other = await site.visit(link.slice(link.indexOf("#")));
    await other.ready();
    await isRightUnfolded(other, "link", ["verdict", "peers", "cluster", "jobs", "swimlanes", "flows", "coverage"]);
    await other.close();
    const context = await site.browser.newContext();
    const page = await context.newPage();
    await page.goto(pathToFileURL(saved).href);
    await unfold(page);
    await isRight(page, "saved page");
    await context.close();
  });
});

describe("by keys", () => {
  for (const [width, height] of WIDTHS) {
    test(`they lead to all that can be pressed, in its order, where it is seen, ${width} px wide`, async () => {
      const visit = await site.visit("", { viewport: { width, height } });
      await visit.works();
      // A bar of as many lines as it may have.
      await visit.page.evaluate(() => (location.hash = "#node=h103&t=1795227884000..1795227890000"));
      await visit.at("selection").locator("button").first().waitFor();
      await visit.drawn();
      const count = await visit.page.evaluate(() => {
        const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")];
        const stops = all.filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(":disabled"));
        stops.forEach((one, i) => one.setAttribute("data-stop", String(i)));
        return stops.length;
      });
      assert.ok(count > 150, `${count} stops`);
      // What has the focus: which it is, and what is wrong with it.
      const focused = () =>
        visit.page.evaluate(() => {
          const one = document.activeElement;
          if (one === null || one === document.body) return undefined;
          const marked = one.matches("[type=file]") ? /** @type {Element} */ (one.closest("label")) : one;
          const { outlineStyle, outlineWidth } = getComputedStyle(marked);
          const { left, top, width, height } = marked.getBoundingClientRect();
          const shares = [0.5, 0.1, 0.9].flatMap((x) => [0.5, 0.1, 0.9].map((y) => [left + x * width, top + y * height]));
          const seen = shares.filter(([x, y]) => {
            const there = document.elementFromPoint(x, y);
            return there !== null && (marked.contains(there) || there.contains(marked));
          });
          const wrong = [];
          if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 2) wrong.push("is not marked");
          if (seen.length === 0) wrong.push("is covered");
          return { stop: Number(one.getAttribute("data-stop") ?? -1), wrong, what: one.outerHTML.slice(0, 120) };
        });
      for (const [key, order] of /** @type {const} */ ([["Tab", 1], ["Shift+Tab", -1]])) {
        const gone = [];
        for (;;) {
          await visit.page.keyboard.press(key);
          const at = await focused();
          if (at === undefined) break;
          assert.deepEqual(at.wrong, [], `${key}: ${at.what}`);
          gone.push(at.stop);
          assert.ok(gone.length <= count, `${key}: ${at.what}, twice`);
        }
        const all = Array.from({ length: count }, (_, i) => i);
        assert.deepEqual(gone, order === 1 ? all : all.reverse(), key);
      }
      await visit.close();
    });
  }

  test("Escape empties the search, and ends what it found", async () => {
    const visit = await site.sampled();
    const words = visit.at("search-words");
    const rows = visit.at("search-found").locator("tr");
    await words.fill("h10");
    await words.press("Enter");
    await rows.first().waitFor();
    await words.press("Escape");
    assert.equal(await words.inputValue(), "");
    assert.equal(await rows.count(), 0);
    await visit.close();
  });
});

test("a figure says what it is, each of its values when keys lead there, and all of them in its table", async () => {
  const visit = await site.sampled();
  await visit.drawn();
  const figures = visit.page.locator("figure[data-figure]:visible");
  const count = await figures.count();
  assert.ok(count > 12, `${count} figures`);
  for (let i = 0; i < count; i += 1) {
    const figure = figures.nth(i);
    const title = await figure.locator("h3").innerText();
    const canvas = figure.locator("canvas");
    assert.ok((await canvas.getAttribute("aria-label"))?.startsWith(`${title}; arrow keys`), title);
    await canvas.focus();
    await visit.page.keyboard.press("Home");
    const first = await figure.locator("[aria-live]").textContent();
    const tip = await figure.locator(".tip > div").allTextContents();
    assert.equal(first, tip.join(", "), title);
    assert.notEqual(first, "", title);
    const table = figure.locator("table");
    assert.ok((await table.locator("thead th[scope=col]").count()) > 1, title);
    assert.ok((await table.locator("tbody th[scope=row]").count()) > 0, title);
    assert.equal(await figure.locator(".scroll").getAttribute("aria-label"), `Table: ${title}`);
    const tools = await figure.locator(".tools button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
    assert.deepEqual(tools.filter((name) => !name.endsWith(`: ${title}`)), [], "what its buttons are called");
  }
  await visit.close();
});

test("each row of a table says what it is of, on the page and on the saved one", async () => {
  const visit = await site.sampled();
  await visit.at("choose-compare").setInputFiles(join(DIST, "samples/slow-disk.tar.gz"));
  await visit.at("table-compare-jobs").waitFor();
  await visit.ready();
  await visit.drawn();
  await unfold(visit.page);
  const saved = pathToFileURL(await visit.save("download-html", "rows.html")).href;
  const other = await site.browser.newPage();
  await other.goto(saved);
  for (const page of [visit.page, other]) {
    const rows = page.locator("tbody tr:not(.quoted)");
    assert.ok((await rows.count()) > 50);
    const nameless = rows.filter({ hasNot: page.locator("th[scope=row]") });
    assert.deepEqual(await nameless.evaluateAll((all) => all.map((row) => row.closest("table")?.dataset.testid)), []);
  }
  await other.close();
  await visit.close();
});

test("what a field takes when nothing is written in it can be read", async () => {
  for (const colorScheme of SCHEMES) {
    const visit = await site.visit("", { colorScheme });
    await visit.works();
    await visit.page.locator("#parameters-title").click();
    await visit.page.locator("#parameter-fields input").first().waitFor();
    // axe looks at no placeholder.
    const contrasts = await visit.page.locator("input[placeholder]:visible").evaluateAll((all) =>
      all.map((one) => {
        const light = (/** @type {string} */ colour) => {
          const parts = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => Number(part) / 255);
          const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
        };
        const [text, ground] = [getComputedStyle(one, "::placeholder").color, getComputedStyle(one).backgroundColor].map(light);
        return Math.max(text, ground) / Math.min(text, ground);
      }),
    );
    assert.ok(contrasts.length > 10, `${contrasts.length} fields`);
    // WCAG 2.2, 1.4.3.
    assert.deepEqual(contrasts.filter((contrast) => contrast < 4.5), [], colorScheme);
    await visit.close();
  }
});
