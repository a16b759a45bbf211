// Nothing leaves: the page asks nobody else, and could not.
// @ts-check
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
/** Another origin that answers anybody and counts. */
let calls = 0;
const elsewhere = createServer((request, response) => {
  // Browsers ask for it on their own.
  if (request.url !== "/favicon.ico") calls += 1;
  response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/html" }).end("<!doctype html><body>here");
});
elsewhere.on("upgrade", (_, socket) => {
  calls += 1;
  socket.destroy();
});
let elsewhereUrl = "";

before(async () => {
  site = await start();
  await new Promise((/** @type {(done: void) => void} */ done) => elsewhere.listen(0, "127.0.0.1", () => done()));
  const address = elsewhere.address();
  assert.ok(typeof address === "object" && address !== null);
  elsewhereUrl = `http://127.0.0.1:${address.port}/`;
});
after(async () => {
  elsewhere.close();
  await site.close();
});

/** Runs in the page or in a worker: tries to send something away. */
const tryToSend = (/** @type {string} */ url) =>
  fetch(url, { method: "POST", body: "log line", mode: "no-cors" }).then(
    () => "sent",
    () => "refused",
  );

/** Other ways out of a page. Each runs in it, and may end before anything has left. */
const waysOut = {
  image: (/** @type {string} */ url) => void (new Image().src = url),
  beacon: (/** @type {string} */ url) => void navigator.sendBeacon(url, "log line"),
  socket: (/** @type {string} */ url) => void new WebSocket(url.replace("http", "ws")),
  events: (/** @type {string} */ url) => void new EventSource(url),
  frame: (/** @type {string} */ url) => void document.body.append(Object.assign(document.createElement("iframe"), { src: url })),
  script: (/** @type {string} */ url) => void document.body.append(Object.assign(document.createElement("script"), { src: url })),
  style: (/** @type {string} */ url) =>
    void document.body.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: url })),
  font: (/** @type {string} */ url) => void new FontFace("elsewhere", `url(${url})`).load().catch(() => {}),
  sound: (/** @type {string} */ url) => void (new Audio(url).preload = "auto"),
  form: (/** @type {string} */ url) => {
    const frame = Object.assign(document.createElement("iframe"), { name: "answers" });
    const form = Object.assign(document.createElement("form"), { action: url, method: "post", target: "answers" });
    document.body.append(frame, form);
    form.submit();
  },
};

/** The time within which a local request that is let out arrives. */
const WAIT_MS = 1000;

test("the other origin can be reached from outside the page", async () => {
  assert.equal(await tryToSend(elsewhereUrl), "sent");
  assert.equal(calls, 1, "so that a count of none means something");
  // From a page without a policy each way leads out, and sooner than is waited below.
  const context = await site.browser.newContext();
  const page = await context.newPage();
  for (const [name, way] of Object.entries(waysOut)) {
    await page.goto(elsewhereUrl);
    calls = 0;
    await page.evaluate(way, `${elsewhereUrl}${name}`);
    for (let waited = 0; calls === 0 && waited < WAIT_MS * 10; waited += 20) await page.waitForTimeout(20);
    assert.ok(calls > 0, name);
  }
  await context.close();
  calls = 0;
});

test("the page's policy lets nothing out", async () => {
  const visit = await site.visit();
  const policy = await visit.page
    .locator('meta[http-equiv="Content-Security-Policy" i]')
    .first()
    .getAttribute("content");
  assert.ok(policy, "the policy is in the page, since static hosts send no header");
  assert.doesNotMatch(policy, /https?:|wss?:|\*/, "no remote origin in it");
  for (const rule of ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]) assert.ok(policy.includes(rule), rule);
  assert.equal(await visit.page.evaluate(tryToSend, elsewhereUrl), "refused");
  assert.deepEqual(visit.foreign, []);
  for (const way of Object.values(waysOut)) await visit.page.evaluate(way, elsewhereUrl).catch(() => {});
  await visit.page.waitForTimeout(WAIT_MS);
  assert.equal(calls, 0);
  // Refused ones are told too, and the test asked for them.
  visit.foreign.length = 0;
  await visit.close({ errors: [/Content Security Policy/] });
});

test("a worker cannot send either", async () => {
  const visit = await site.visit();
  await visit.at("sample").first().click();
  await visit.ready();
  const workers = visit.page.workers();
  assert.ok(workers.length > 0, "a worker is alive");
  for (const worker of workers) assert.equal(await worker.evaluate(tryToSend, elsewhereUrl), "refused");
  assert.equal(calls, 0);
  await visit.context.close();
});

test("every request of a whole visit goes below the page's own path", async () => {
  site.server.asked.length = 0;
  const visit = await site.visit();
  await visit.at("sample").first().click();
  await visit.ready();
  await visit.report();
  await visit.close();
  assert.ok(site.server.asked.some((path) => path.endsWith("/worker_bg.wasm")), "what is asked is seen here");
  const base = new URL(site.server.url).pathname;
  const outside = site.server.asked.filter((path) => !path.startsWith(base) && path !== "/favicon.ico");
  assert.deepEqual(outside, []);
});

test("nothing is kept in the browser but settings", async () => {
  const visit = await site.visit();
  await visit.at("sample").first().click();
  await visit.ready();
  const kept = await visit.page.evaluate(async () => ({
    cookies: document.cookie,
    stores: (await indexedDB.databases()).length,
    text: JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }),
  }));
  assert.equal(kept.cookies, "");
  assert.equal(kept.stores, 0);
  const files = await visit.page.evaluate(async () => {
    const names = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
    return names;
  });
  assert.deepEqual(files, [], "no run but those that are kept on request");
  assert.doesNotMatch(kept.text, /h10[1-6]|job_/);
  await visit.close();
});
