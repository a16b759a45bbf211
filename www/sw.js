// @ts-check
/// <reference lib="webworker" />
// The page without a network. All files of one build are fetched together into a cache of that
// build and of the page's place. Only the page's own files are asked for and kept.
//
//   network there           -> the page as the server has it now, and all its code too
//   network gone            -> the page from the cache, and all its code too, be the network back
//   of this build, by name  -> its cache, else network
//   the sample, and workers without a name: they tell their build
//                           -> network, else the cache
//
// So no page has code of two builds. What is asked for by the name of this build cannot be stale.
// A browser keeps the fast form of a module along with the answer that it came in; one that a
// network gives, changed or not, has none.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const build = new URL(worker.location.href).searchParams.get("build") ?? "";
const { scope } = worker.registration;
const PREFIX = "oddnode-files-";
/** Of this page alone: no address has a blank. */
const OURS = PREFIX + scope + " ";
const NAME = OURS + build;

/** The workers' code. */
const CODE = ["./worker.js", "./worker_bg.wasm"];
/** The same as `src/web/compiled.rs` asks for it. */
const NAMED = CODE.map((file) => file + (build === "" ? "" : `?build=${encodeURIComponent(build)}`));

/** What a visit needs, relative to the page; "./" is the page itself. */
const FILES = [
  "./",
  "./boot.js",
  "./offline.js",
  "./kept.js",
  "./handed.js",
  "./page.css",
  "./app.js",
  "./app_bg.wasm",
  ...NAMED,
  "./manifest.webmanifest",
  "./icon.svg",
  // To try it where there is no network.
  "./sample.tar.gz",
];

/** Pages that came from the cache. They ask for their code at once, before this worker is ended. */
const offline = new Set();

/** @type {RequestInit} */
const NOW = { cache: "no-cache" };

worker.addEventListener("install", (event) => {
  event.waitUntil(keep().then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) {
        if (name !== NAME && (await isOurs(name))) await caches.delete(name);
      }
      // Tabs of an older build may offer to reload.
      for (const client of await worker.clients.matchAll({ includeUncontrolled: true })) {
        if (client.url.startsWith(scope)) client.postMessage({ build, scope });
      }
    })(),
  );
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const is = (/** @type {string[]} */ ...files) => files.some((file) => new URL(file, scope).href === request.url);
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (offline.has(event.clientId) || (build !== "" && is(...NAMED))) event.respondWith(kept(request).then((file) => file ?? fetch(request)));
  else if (is(...CODE, "./sample.tar.gz")) event.respondWith(fetch(request).catch(async () => (await kept(request)) ?? Response.error()));
  else if (is(...FILES)) event.respondWith(fetch(request, NOW));
});

/** Keeps the files of this build. Another may lie on the server by now: the browser updates this script by its old name, too. */
async function keep() {
  const files = await Promise.all(FILES.map((file) => fetch(file, NOW)));
  for (const file of files) {
    // A module holds the name of its build.
    const isOurs = async () => new TextDecoder("latin1").decode(await file.clone().arrayBuffer()).includes(build);
    if (!file.ok || (file.url.includes(".wasm") && !(await isOurs()))) throw new Error(`${file.url} is not of this build`);
  }
  const cache = await caches.open(NAME);
  await Promise.all(files.map((file, i) => cache.put(FILES[i], file)));
}

/** From the network, or as it is kept. @param {FetchEvent} event */
async function page({ request, resultingClientId }) {
  return fetch(request, NOW).catch(async () => {
    offline.add(resultingClientId);
    return (await kept("./")) ?? Response.error();
  });
}

/** What this build has of it; a storage that fails has nothing. @param {Request | string} request */
async function kept(request) {
  const cache = await caches.open(NAME).catch(() => undefined);
  return cache?.match(request, { ignoreSearch: true }).catch(() => undefined);
}

/** A cache whose name tells the build alone is that of the page in it. @param {string} name */
async function isOurs(name) {
  if (!name.startsWith(PREFIX) || name.includes(" ")) return name.startsWith(OURS);
  return (await caches.open(name)).match(scope);
}
