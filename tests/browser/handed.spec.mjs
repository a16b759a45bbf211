// Files that another page hands over: asked about, then read; from nobody but who opened this page or holds it in a frame.
// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { SAMPLE } from "./paths.mjs";

const SAMPLE_BYTES = readFileSync(SAMPLE).toString("base64");

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
/** The ticket tool's server, on this machine as well: browsers let no page of the network open one of the machine. */
const tickets = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>tickets</title>"));
let origin = "";
before(async () => {
  site = await start();
  await new Promise((listening) => tickets.listen(0, "127.0.0.1", () => listening(null)));
  origin = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (tickets.address()).port}`;
});
after(async () => {
  await site.close();
  tickets.close();
});

/** The ticket tool's page, which hands the sample over as soon as oddnode says that it is ready. @param {string} name */
async function tool(name) {
  const visit = await site.visit();
  await visit.page.goto(origin);
  // Which the test asked for.
  visit.foreign.length = 0;
  await visit.page.evaluate(
    ([base64, name]) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      addEventListener("message", (event) => {
        if (event.data?.oddnode !== "ready") return;
        const files = [new File([bytes], name)];
        /** @type {Window} */ (event.source).postMessage({ oddnode: "read", files }, { targetOrigin: event.origin });
      });
    },
    [SAMPLE_BYTES, name],
  );
  return visit;
}

test("a page that opened this one hands an archive over, and it is read when the user says so", async () => {
  const visit = await tool("ticket-1234.tar.gz");
  const opened = visit.context.waitForEvent("page");
  await visit.page.evaluate((url) => void window.open(url), site.server.url);
  const page = await opened;
  const question = page.getByTestId("handed");
  await question.waitFor();
  const says = await question.innerText();
  assert.ok(says.startsWith(`${origin} hands over ticket-1234.tar.gz. `), says);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.state), "empty", "nothing is read unasked");
  await question.getByRole("button", { name: "Read" }).click();
  await page.waitForFunction(() => document.documentElement.dataset.state === "ready");
  assert.match(await page.getByTestId("verdict").innerText(), /h103/);
  assert.equal(await question.isVisible(), false);
  await visit.close();
});

test("a page that holds this one in a frame hands an archive over, and it is refused", async () => {
  const visit = await tool("<img src=x onerror=alert(1)>.tar.gz");
  await visit.page.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
  }, site.server.url);
  const frame = visit.page.frameLocator("iframe");
  const question = frame.getByTestId("handed");
  await question.waitFor();
  assert.match(await question.innerText(), /<img src=x onerror=alert\(1\)>\.tar\.gz/, "a name is text");
  await question.getByRole("button", { name: "Refuse" }).click();
  assert.equal(await question.isVisible(), false);
  assert.equal(await frame.getByTestId("drop").isVisible(), true);
  await visit.close();
});

test("a question takes no keys from who types, and stays what it is until it is answered", async () => {
  const visit = await tool("first.tar.gz");
  const opened = visit.context.waitForEvent("page");
  await visit.page.evaluate((url) => void Object.assign(window, { page: window.open(url) }), site.server.url);
  const page = await opened;
  const question = page.getByTestId("handed");
  await question.waitFor();
  await question.getByRole("button", { name: "Refuse" }).click();
  await page.locator("#theme").focus();
  const hand = (/** @type {string} */ name) =>
    visit.page.evaluate(
      ([name, origin]) => {
        const { page } = /** @type {any} */ (window);
        page.postMessage({ oddnode: "read", files: [new File(["x"], name)] }, origin);
        page.postMessage({ told: name }, origin);
      },
      [name, new URL(site.server.url).origin],
    );
  await page.evaluate(() => {
    Object.assign(window, { told: [] });
    addEventListener("message", (event) => /** @type {any} */ (window).told.push(event.data.told));
  });
  await hand("second.tar.gz");
  await question.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "theme");
  await hand("third.tar.gz");
  await page.waitForFunction(() => /** @type {any} */ (window).told.includes("third.tar.gz"));
  assert.match(await question.innerText(), /second\.tar\.gz/);
  // Escape refuses it, as soon as the page listens.
  await page.locator("#sample:enabled").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await question.isVisible(), false);
  await visit.close();
});

test("what the page tells itself, and what is no file, is not asked about", async () => {
  const visit = await tool("a.tar.gz");
  const opened = visit.context.waitForEvent("page");
  await visit.page.evaluate((url) => void window.open(url), site.server.url);
  const page = await opened;
  await page.getByTestId("handed").waitFor();
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.evaluate(async () => {
    const settled = new Promise((done) => addEventListener("message", (event) => event.data === "last" && done(null)));
    postMessage({ oddnode: "read", files: [new File(["x"], "own.log")] }, "*");
    postMessage("last", "*");
    await settled;
  });
  assert.equal(await page.getByTestId("handed").isVisible(), false);
  await visit.close();
});

test("a file's name neither turns the question around nor pushes it away", async () => {
  const visit = await tool(`\u202e${"x".repeat(500)}.tar.gz`);
  await visit.page.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
  }, site.server.url);
  const question = visit.page.frameLocator("iframe").getByTestId("handed");
  await question.waitFor();
  const says = await question.innerText();
  assert.ok(says.includes(`hands over \ufffd${"x".repeat(99)}…. Read here`), says);
  await visit.close();
});
