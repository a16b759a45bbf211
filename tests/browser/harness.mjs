// A browser, the page under a sub-path, and what a person does with it.
// @ts-check
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { BIN, DATA, DIST, OUT, SAMPLE } from "./paths.mjs";
import { serve } from "./server.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").BrowserContextOptions} ContextOptions */

/** A cluster's logs take seconds; a loaded machine may need many times that. */
export const PATIENCE_MS = Number(process.env.ODDNODE_PATIENCE_MS ?? 120_000);
/** How many times as slow as it is the page is made, its workers apart: what rests on its speed fails then. */
const SLOW = Number(process.env.ODDNODE_SLOW ?? 1);
/** Where hosts of project pages put them: never at the root. */
export const SUB_PATH = "/some/where/oddnode/";
/** Another page of the same origin, in a folder of the first. */
export const INNER_PATH = `${SUB_PATH}another/`;

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * The one that ODDNODE_CHROMIUM names, or the system's: first that without windows, as those that nobody sees take two
 * fifths of the processor's time.
 */
function chromiumPath() {
  if (process.env.ODDNODE_CHROMIUM) return process.env.ODDNODE_CHROMIUM;
  const any = "command -v chromium-headless-shell || command -v chromium || command -v chromium-browser";
  return execFileSync("/bin/sh", ["-c", any], { encoding: "utf8" }).trim();
}

/** Starts browser and server; `close` ends both. */
export async function start() {
  mkdirSync(OUT, { recursive: true });
  const server = await serve(DIST, { bases: [SUB_PATH, INNER_PATH] });
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
  return {
    browser,
    server,
    /** @param {string} [suffix] @param {ContextOptions} [options] */
    visit: (suffix = "", options = {}) => Visit.open(browser, server, suffix, options),
    /** A page with the sample's verdict. */
    async sampled() {
      const visit = await this.visit();
      await visit.choose("choose-files", SAMPLE);
      await visit.ready();
      return visit;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** One person's page: nothing stored, nothing shared with another visit. */
export class Visit {
  /** @type {string[]} Requests to anywhere but the page's own origin. */
  foreign = [];
  /** @type {string[]} What the page threw or logged as an error. */
  errors = [];

  /** Workers started so far, dead ones too. */
  workers = 0;

  /** @param {Page} page @param {string} origin */
  constructor(page, origin) {
    this.page = page;
    this.context = page.context();
    this.context.on("request", (request) => {
      const url = new URL(request.url());
      const local = url.protocol === "blob:" || url.protocol === "data:";
      if (!local && url.origin !== origin) this.foreign.push(request.url());
    });
    page.on("worker", () => (this.workers += 1));
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
  }

  /**
   * @param {import("playwright-core").Browser} browser
   * @param {Awaited<ReturnType<typeof serve>>} server
   * @param {string} suffix query or fragment
   * @param {ContextOptions} options
   */
  static async open(browser, server, suffix, options) {
    // Requests that tests answer themselves must not be answered by a service worker.
    const serviceWorkers = /** @type {const} */ ("block");
    const viewport = { width: 1440, height: 900 };
    const context = await browser.newContext({ acceptDownloads: true, viewport, serviceWorkers, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const visit = new Visit(await context.newPage(), server.origin);
    // It holds as long as the session that asked for it.
    if (SLOW > 1) await (await context.newCDPSession(visit.page)).send("Emulation.setCPUThrottlingRate", { rate: SLOW });
    await visit.page.goto(server.url + suffix, { waitUntil: "load" });
    await visit.page.waitForFunction(() => document.documentElement.dataset.state !== undefined);
    return visit;
  }

  /** @param {string} id */
  at(id) {
    return this.page.locator(`[data-testid="${id}"]`);
  }

  state() {
    return this.page.evaluate(() => document.documentElement.dataset.state);
  }

  /** Waits until the page is in one of the states. @param {string[]} states */
  async until(...states) {
    await this.page.waitForFunction((wanted) => wanted.includes(document.documentElement.dataset.state ?? ""), states);
    return this.state();
  }

  /** Waits for the end of a work that may already have begun; an error is told in its own words. */
  async ready() {
    const state = await this.until("ready", "error");
    assert.equal(state, "ready", state === "error" ? await this.at("error").first().innerText() : "");
  }

  /** Waits until all figures are drawn, those out of sight too: they come when the analyst has time. */
  async drawn() {
    await this.page.waitForFunction(() => {
      const figures = [...document.querySelectorAll("figure[data-figure]")].filter((one) => one.clientWidth > 0);
      return figures.length > 0 && figures.every((one) => one.querySelector("canvas[data-frames]"));
    });
  }

  /** Waits until all figures are laid out for the window's new width, one after another: each fills its place. */
  async resized() {
    await this.page.waitForFunction(() => {
      const plots = [...document.querySelectorAll("figure[data-figure] .plot")].filter((one) => one.clientWidth > 0);
      return plots.length > 0 && plots.every((one) => one.querySelector("canvas")?.clientWidth === one.clientWidth);
    });
  }

  /** How often each figure was drawn so far. @returns {Promise<Record<string, string>>} */
  frames() {
    return this.page.evaluate(() => {
      const canvases = [...document.querySelectorAll("figure[data-figure] canvas[data-frames]")].filter((one) => one.clientWidth > 0);
      return Object.fromEntries(canvases.map((one) => [one.closest("figure")?.dataset.figure, one.getAttribute("data-frames")]));
    });
  }

  /** Waits until all figures that were drawn so often are drawn anew. @param {Record<string, string>} frames */
  async redrawn(frames) {
    assert.notDeepEqual(frames, {}, "there are figures");
    await this.page.waitForFunction(
      (frames) =>
        Object.entries(frames).every(
          ([name, count]) => document.querySelector(`figure[data-figure="${name}"] canvas`)?.getAttribute("data-frames") !== count,
        ),
      frames,
    );
  }

  /** The address' fragment as the page has it: the browser may tell others of it later. */
  hash() {
    return this.page.evaluate(() => location.hash);
  }

  /**
   * Presses Cancel if the page still works, and says whether it did. In one go: between a look and a click the work may
   * end, and the button go.
   */
  giveUp() {
    return this.page.evaluate(() => {
      const panel = document.getElementById("progress");
      if (document.documentElement.dataset.state !== "working" || !panel?.checkVisibility({ visibilityProperty: true })) return false;
      const cancel = /** @type {HTMLElement} */ (document.getElementById("cancel"));
      cancel.scrollIntoView({ block: "nearest" });
      const { x, y, width, height } = cancel.getBoundingClientRect();
      if (document.elementFromPoint(x + width / 2, y + height / 2) !== cancel) throw new Error("a hand could not press Cancel");
      cancel.click();
      return true;
    });
  }

  /**
   * Has the worker that is asked this next hear nothing from then on, as if it were at work. `heard` waits until all of
   * these questions were asked, and `free` until it has answered what it was asked by then. `asked` tells what it was
   * asked from the first on.
   * @param {string} question
   */
  async hold(question) {
    await this.page.evaluate((question) => {
      const post = Worker.prototype.postMessage;
      /** @type {{ worker?: Worker, asked: string[], said: any[][], isFree: boolean }} */
      const held = { asked: [], said: [], isFree: false };
      Object.assign(window, { held });
      Worker.prototype.postMessage = function (/** @type {any[]} */ ...said) {
        const asked = said[0]?.[0]?.Ask?.[1];
        const name = typeof asked === "string" ? asked : Object.keys(asked ?? {})[0];
        if (held.worker === undefined && name === question) held.worker = this;
        if (held.worker === this) held.asked.push(name === "LayOut" ? `LayOut ${asked.LayOut.view}` : name);
        if (held.worker === this && !held.isFree) held.said.push(said);
        else post.apply(this, /** @type {any} */ (said));
      };
      Object.assign(held, {
        free: () => {
          held.isFree = true;
          const awaited = new Set(held.said.map((said) => said[0][0].Ask[0]));
          return new Promise((/** @type {(over: void) => void} */ over) => {
            held.worker?.addEventListener("message", ({ data }) => {
              awaited.delete(data[0]?.Answer?.[0]);
              // The page has heard it then.
              if (awaited.size === 0) setTimeout(over, 50);
            });
            for (const said of held.said) post.apply(held.worker, /** @type {any} */ (said));
          });
        },
      });
    }, question);
    const { page } = this;
    return {
      heard: (/** @type {string[]} */ ...questions) =>
        page.waitForFunction((all) => all.every((one) => /** @type {any} */ (window).held.asked.includes(one)), questions),
      free: () => page.evaluate(() => /** @type {any} */ (window).held.free()),
      /** @returns {Promise<string[]>} */
      asked: () => page.evaluate(() => /** @type {any} */ (window).held.asked),
    };
  }

  /** Waits until the page's own files are kept for a later visit. */
  async kept() {
    await this.page.evaluate(async () => {
      const { active, installing, waiting } = await navigator.serviceWorker.ready;
      const worker = active ?? waiting ?? installing;
      if (worker?.state !== "activated") await new Promise((done) => worker?.addEventListener("statechange", done));
    });
  }

  /** The page takes an archive and names its node: it works. */
  async works() {
    await this.choose("choose-files", SAMPLE);
    await this.page.waitForFunction(
      () => document.documentElement.dataset.state === "ready" && document.querySelector('[data-testid="culprit"]') !== null,
    );
    assert.deepEqual((await this.culprits()).map((one) => one.split(" ")[0]), ["h103"]);
  }

  /**
   * Every page ends so: it asked nobody else, and no error was told but those that the test is about.
   * @param {{ errors?: RegExp[] }} [expected] each was told, and whatever was told is one of them
   */
  async close({ errors = [] } = {}) {
    const { foreign, errors: seen } = this;
    await this.context.close();
    assert.deepEqual(foreign, [], "requests beyond the page's own origin");
    assert.deepEqual(seen.filter((one) => !errors.some((known) => known.test(one))), [], "errors in the page");
    assert.deepEqual(errors.filter((known) => !seen.some((one) => known.test(one))), [], "errors that were expected");
  }

  /**
   * Gives files or a folder to their field.
   * @param {"choose-files" | "choose-folder"} id
   * @param {string | string[]} paths
   */
  async choose(id, paths) {
    await this.at(id).setInputFiles(paths);
  }

  /** Drags files or folders from outside the browser onto the page. @param {string[]} files */
  drop(...files) {
    return this.dropOn("drop", ...files);
  }

  /** Drags them onto a part of it. @param {string} id @param {string[]} files */
  async dropOn(id, ...files) {
    await this.at(id).first().scrollIntoViewIfNeeded();
    const box = await this.at(id).first().boundingBox();
    assert.ok(box, "the drop target is seen");
    const cdp = await this.context.newCDPSession(this.page);
    const place = { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 80) };
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of /** @type {const} */ (["dragEnter", "dragOver", "drop"])) {
      await cdp.send("Input.dispatchDragEvent", { type, ...place, data });
    }
    await cdp.detach();
  }

  /** Names and causes of the culprits shown, in order. */
  culprits() {
    return this.at("culprit").evaluateAll((all) =>
      all.map((one) => `${one.getAttribute("data-node")} ${one.getAttribute("data-cause")}`),
    );
  }

  /** The bytes that `download-report` saves. */
  async report() {
    return readFileSync(await (await this.download("download-report")).path());
  }

  /** What a button or a link saves. @param {string} id */
  async download(id) {
    const download = this.page.waitForEvent("download");
    await this.at(id).first().click();
    return download;
  }

  /** Saves it under a name of the test's own, and tells where. @param {string} id @param {string} name */
  async save(id, name) {
    const path = join(OUT, name);
    await (await this.download(id)).saveAs(path);
    return path;
  }

  /** Unfolds the rarer ways to share. */
  async unfold() {
    const fold = this.at("share-more");
    if ((await fold.getAttribute("open")) === null) await fold.locator("> summary").click();
  }

  /** The link that `share-link` holds, whole. */
  async link() {
    const link = await this.at("share-link").inputValue();
    assert.match(link, /#r=/, "share-link holds the link");
    return link;
  }

  text() {
    return this.page.evaluate(() => document.body.innerText);
  }
}

/** What the command says of the same files; a culprit is exit code 3. @param {string[]} paths */
export function diagnose(...paths) {
  return new Promise((/** @type {(bytes: Buffer) => void} */ resolve, reject) => {
    const options = /** @type {const} */ ({ encoding: "buffer", maxBuffer: 1 << 28 });
    execFile(BIN, ["diagnose", "--format", "json", ...paths], options, (error, stdout, stderr) => {
      if (error !== null && error.code !== 3) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(stdout);
    });
  });
}

/** Compares reports; where they differ, shows the first lines that do. @param {Buffer} page @param {Buffer} command */
export function assertSameReport(page, command) {
  if (page.equals(command)) return;
  const [left, right] = [page.toString().split("\n"), command.toString().split("\n")];
  const first = left.findIndex((line, index) => line !== right[index]);
  assert.fail(
    `page and command differ (${page.length} and ${command.length} bytes), first in line ${first + 1}:\n` +
      `page:    ${left.slice(first, first + 3).join("\n         ")}\ncommand: ${right.slice(first, first + 3).join("\n         ")}`,
  );
}

/** A labelled run's archive and truth; undefined where the data set is not there. @param {string} set @param {string} run */
export function labelled(set, run) {
  const archive = join(DATA, set, `${run}.tar.gz`);
  if (!existsSync(archive)) return undefined;
  /** @type {{ run: string, fault: string, node: string | null }[]} */
  const truth = JSON.parse(readFileSync(join(DATA, set, "truth.json"), "utf8"));
  const label = truth.find((one) => one.run === run);
  assert.ok(label, `${run} is in truth.json`);
  return { archive, ...label };
}

/** Largest memory, in MB, that any renderer of this test's browser has held so far; undefined where /proc is not. */
export function peakRendererMb() {
  if (!existsSync("/proc/self/status")) return undefined;
  /** @type {Map<number, { parent: number, renderer: boolean, peakKb: number }>} */
  const processes = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
      processes.set(Number(name), {
        parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0),
        renderer: command.includes("--type=renderer"),
        peakKb: Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0),
      });
    } catch {
      // It ended while we looked.
    }
  }
  const ours = (/** @type {number} */ id) => {
    for (let at = id; at > 1; at = processes.get(at)?.parent ?? 0) if (at === process.pid) return true;
    return false;
  };
  const peaks = [...processes].filter(([id, one]) => one.renderer && ours(id)).map(([, one]) => one.peakKb);
  return peaks.length === 0 ? undefined : Math.max(...peaks) / 1024;
}

/** Copies of files, all under one name, each in a folder of its own. @param {string} name @param {string[]} paths */
export function alike(name, ...paths) {
  return paths.map((path, i) => {
    const copy = join(OUT, "alike", String(i), name);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(path, copy);
    return copy;
  });
}

/** Whether the sample was unpacked by this process: what an earlier one left may be another sample's. */
let isUnpacked = false;

/** The sample as a folder. */
export function unpackedSample() {
  const folder = join(OUT, "sample");
  if (!isUnpacked) {
    rmSync(folder, { recursive: true, force: true });
    execFileSync("tar", ["-xzf", SAMPLE, "-C", OUT]);
    isUnpacked = true;
  }
  return folder;
}
