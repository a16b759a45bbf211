// The page at the papers' scale, measured: loading, memory, frames. Not one of the tests: it
// takes many minutes and gigabytes of made logs, which `benches/scale_data.rs` writes first.
//
//   ODDNODE_SCALE_TO=DIR cargo bench --features cli --bench scale_data
//   ODDNODE_SCALE_TO=DIR node tests/browser/scale.bench.mjs [month] [cells] [wide] [metrics]
// @ts-check
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { peakRendererMb, start } from "./harness.mjs";
import { OUT } from "./paths.mjs";

const DATA = resolve(process.env.ODDNODE_SCALE_TO ?? join(OUT, "scale"));
/** A frame may take so long. */
const FRAME_MS = 50;
/** Levels of zoom, each 2.6 times as near as the one before. */
const LEVELS = 14;
/** Loading of gigabytes on a machine that does other things too. */
const PATIENCE_MS = 40 * 60_000;

/** @typedef {import("./harness.mjs").Visit} Visit */

const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(1)} s`;

/** Time to read all files of a folder and do nothing with them. @param {string} folder */
function floor(folder) {
  const begin = performance.now();
  execFileSync("/bin/sh", ["-c", 'cat -- "$1"/* | wc -c', "sh", folder]);
  return performance.now() - begin;
}

/** @param {string} folder */
function size(folder) {
  const files = readdirSync(folder);
  return { files: files.length, bytes: files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) };
}

/** Drops a folder and waits for the verdict. @param {Visit} visit @param {string} name */
async function load(visit, name) {
  const folder = join(DATA, name);
  const { files, bytes } = size(folder);
  const floorMs = floor(folder);
  const begin = performance.now();
  await visit.drop(folder);
  await visit.until("working");
  let read = 0;
  // What the page itself says while it works.
  const words = visit.page.locator("#progress-words");
  const watch = setInterval(async () => {
    const said = await words.innerText().catch(() => "");
    if (read === 0 && /verdict|compar|analys/i.test(said)) read = performance.now() - begin;
  }, 500);
  await visit.ready();
  clearInterval(watch);
  const took = performance.now() - begin;
  const memory = peakRendererMb()?.toFixed(0) ?? "?";
  console.log(
    `${name}: ${files} files, ${(bytes / 1e6).toFixed(0)} MB; verdict after ${seconds(took)} (read by ${seconds(read)}), ` +
      `${(took / floorMs).toFixed(1)} x cat | wc -c (${seconds(floorMs)}); renderer ${memory} MB at its peak`,
  );
}

/**
 * Zooms and pans a figure through all its levels and tells its longest frame.
 * @param {Visit} visit
 * @param {string} name
 */
async function move(visit, name) {
  const page = visit.page;
  const figure = `figure[data-figure="${name}"]`;
  const canvas = page.locator(`${figure} canvas`);
  const begin = performance.now();
  await canvas.scrollIntoViewIfNeeded();
  await page.waitForFunction((at) => document.querySelector(`${at} canvas[data-shown]`), figure);
  const first = performance.now() - begin;
  await page.evaluate(() => {
    const long = /** @type {any} */ (window);
    long.longTasks = [];
    new PerformanceObserver((list) => long.longTasks.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
  });
  // Times of frames that show a new part (the others move the last picture), and of pixels of the
  // same size put without anything else: many times in a row, and as a page does that shows them, on a
  // canvas that is seen, once a frame.
  const [bareMs, frameMs] = await canvas.evaluate(async (node) => {
    const { width, height } = /** @type {HTMLCanvasElement} */ (node);
    const seen = /** @type {any} */ (window);
    [seen.frames, seen.moved, seen.pictures] = [[], [], []];
    new MutationObserver((records) => {
      const ms = Number(node.getAttribute("data-frame-ms"));
      seen.moved.push(ms);
      if (!records.some((record) => record.attributeName === "data-shown")) return;
      seen.frames.push(ms);
      seen.pictures.push(Number(node.getAttribute("data-pictures-ms")));
    }).observe(node, { attributes: true, attributeFilter: ["data-frames", "data-shown"] });
    const bare = Object.assign(document.createElement("canvas"), { width, height });
    const context = bare.getContext("2d");
    if (!context) throw new Error("no canvas to draw on");
    const image = new ImageData(width, height);
    image.data.fill(200);
    // The clock ticks in tenths of milliseconds.
    const TIMES = 200;
    const begin = performance.now();
    for (let i = 0; i < TIMES; i += 1) {
      context.putImageData(image, 0, 0);
      context.getImageData(0, 0, 1, 1);
    }
    const inRow = (performance.now() - begin) / TIMES;
    Object.assign(bare.style, { position: "fixed", left: "0", top: "0" });
    document.body.append(bare);
    let inFrames = 0;
    const FRAMES = 60;
    for (let i = 0; i < FRAMES; i += 1) {
      await new Promise(requestAnimationFrame);
      const begin = performance.now();
      context.putImageData(image, 0, 0);
      inFrames += performance.now() - begin;
    }
    bare.remove();
    return [inRow, inFrames / FRAMES];
  });
  const firstMs = Number(await canvas.getAttribute("data-longest-frame-ms"));
  const shown = () => canvas.getAttribute("data-shown");
  const settle = async () => {
    // Until the analyst has laid out what is looked at: nothing was drawn for a while.
    for (let before = ""; ; ) {
      await page.waitForTimeout(500);
      const now = `${await shown()} ${await canvas.getAttribute("data-frames")}`;
      if (now === before) return;
      before = now;
    }
  };
  for (let level = 0; level < LEVELS; level += 1) {
    // Figures above that are drawn later move this one.
    await canvas.scrollIntoViewIfNeeded();
    await canvas.focus();
    const box = await canvas.boundingBox();
    if (!box) throw new Error(`${name} is not seen`);
    // Off the middle, so that rows and times at the edges come by too.
    // A figure may be higher than the window.
    const seen = { from: Math.max(box.y, 0), to: Math.min(box.y + box.height, page.viewportSize()?.height ?? 700) };
    const at = { x: box.x + box.width * (0.35 + 0.3 * (level % 2)), y: seen.from + (seen.to - seen.from) * 0.4 };
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let step = 1; step <= 8; step += 1) {
      await page.mouse.move(at.x + (level % 2 ? 20 : -20) * step, at.y + 9 * step);
      await page.waitForTimeout(16);
    }
    await page.mouse.up();
    await settle();
    // Twice: 2.6 times as near.
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await settle();
  }
  const nearest = await shown();
  await page.keyboard.press("0");
  await settle();
  const moved = /** @type {number[]} */ (await page.evaluate(() => /** @type {any} */ (window).moved));
  const longest = Math.max(0, ...moved);
  const tasks = /** @type {number[]} */ (await page.evaluate(() => /** @type {any} */ (window).longTasks));
  const drawn = /** @type {number[]} */ (await page.evaluate(() => /** @type {any} */ (window).frames)).sort((a, b) => a - b);
  const pictures = /** @type {number[]} */ (await page.evaluate(() => /** @type {any} */ (window).pictures)).filter((ms) => ms > 0);
  const [middle, ninth] = [0.5, 0.9].map((share) => drawn[Math.floor(drawn.length * share)] ?? 0);
  const over = longest > FRAME_MS ? `  MORE THAN ${FRAME_MS} ms` : "";
  console.log(
    `  ${name}: first drawn after ${seconds(first)}; ${LEVELS} levels down to ${nearest}, ${moved.length} frames, longest ${longest} ms${over}, the first of all ${firstMs} ms; ` +
      `${tasks.length} tasks of the page beyond 50 ms, longest ${Math.max(0, ...tasks).toFixed(0)} ms`,
  );
  const ratio = (/** @type {number} */ ms) => `${ms.toFixed(1)} ms, ${(ms / bareMs).toFixed(1)} x (${(ms / frameMs).toFixed(1)} x)`;
  console.log(`    a bare putImageData ${bareMs.toFixed(2)} ms in a row (${frameMs.toFixed(2)} ms once a frame); of its frames with a new part half take up to ${ratio(middle)}, nine tenths ${ratio(ninth)}; ` +
      `all below the marks of ${pictures.length} takes ${ratio(pictures.reduce((sum, ms) => sum + ms, 0) / Math.max(1, pictures.length))} each`);
  if (over) process.exitCode = 1;
  await canvas.screenshot({ path: join(OUT, `scale-${name}.png`) });
}

/** @type {Record<string, (visit: Visit) => Promise<void>>} */
const PARTS = {
  async month(visit) {
    await load(visit, "month");
    for (const name of ["cluster", "swimlanes", "swimlanes-nodes", "swimlanes-detailed"]) await move(visit, name);
    console.log(`  renderer ${peakRendererMb()?.toFixed(0)} MB at its peak in the end`);
  },
  async cells(visit) {
    await load(visit, "cells");
    await move(visit, "cluster");
    await visit.page.getByTestId("view-cluster").getByRole("button", { name: "similarity" }).click();
    await move(visit, "cluster");
  },
  async wide(visit) {
    await load(visit, "wide");
    for (const name of ["swimlanes", "swimlanes-nodes", "swimlanes-detailed"]) await move(visit, name);
  },
  async metrics(visit) {
    await load(visit, "metrics");
    await move(visit, "system");
    const begin = performance.now();
    // One file is one run.
    const run = join(DATA, "controls.tar");
    execFileSync("tar", ["-cf", run, "-C", DATA, "controls"]);
    await visit.page.getByTestId("choose-controls").setInputFiles(run);
    await visit.page.getByTestId("baseline").filter({ hasText: "control run" }).waitFor({ timeout: PATIENCE_MS });
    await visit.ready();
    const { bytes } = size(join(DATA, "controls"));
    console.log(`  controls of ${(bytes / 1e6).toFixed(0)} MB learned and all compared again in ${seconds(performance.now() - begin)}`);
    console.log(`  ${(await visit.culprits()).join("; ") || "nobody accused"}; renderer ${peakRendererMb()?.toFixed(0)} MB at its peak`);
    // Once more, and cancelled on the way.
    await visit.drop(join(DATA, "metrics"));
    await visit.until("working");
    await visit.page.waitForTimeout(3_000);
    const pressed = performance.now();
    await visit.at("cancel").click();
    await visit.until("empty");
    console.log(`  cancelled within ${(performance.now() - pressed).toFixed(0)} ms`);
  },
};

const wanted = process.argv.slice(2);
const site = await start();
try {
  for (const [name, part] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const visit = await site.visit();
    visit.context.setDefaultTimeout(PATIENCE_MS);
    await part(visit);
    await visit.close();
  }
} finally {
  await site.close();
}
