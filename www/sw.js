// @ts-check
/// <reference lib="webworker" />
// The page without a network. All files of one build are fetched together into a cache of
// that build; with a network the network answers, so that no stale mixture of builds is
// ever served. Only the page's own files are asked for and kept.
//
//   network there   -> network
//   network gone    -> the cache of this build
//   of this build   -> its cache, else network
//
// What is asked for by the name of this build cannot be stale. A browser keeps the fast form of a
// module along with the answer that it came in; one that a network gives, changed or not, has none.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const build = new URL(worker.location.href).searchParams.get("build") ?? "";
const PREFIX = "oddnode-files-";
const NAME = PREFIX + build;

/** The workers' module, as `src/web/compiled.rs` asks for it. */
const MODULE = "./worker_bg.wasm" + (build === "" ? "" : `?build=${encodeURIComponent(build)}`);

/** What a visit needs, relative to the page; "./" is the page itself. */
const FILES = [
  "./",
  "./boot.js",
  "./offline.js",
  "./kept.js",
  "./page.css",
  "./app.js",
  "./app_bg.wasm",
  "./worker.js",
  MODULE,
  "./manifest.webmanifest",
  "./icon.svg",
  // To try it where there is no network.
  "./sample.tar.gz",
];

worker.addEventListener("install", (event) => {
  const kept = caches.open(NAME).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" }))));
  event.waitUntil(kept.then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) {
        if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
      }
      // Tabs of an older build may offer to reload.
      for (const client of await worker.clients.matchAll({ includeUncontrolled: true })) client.postMessage({ build });
    })(),
  );
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || !url.href.startsWith(worker.registration.scope)) return;
  if (url.href === new URL(MODULE, worker.registration.scope).href && build !== "") {
    event.respondWith(kept(request).then((module) => module ?? fetch(request)));
    return;
  }
  event.respondWith(
    fetch(request).catch(async () => {
      const cache = await caches.open(NAME);
      const page = request.mode === "navigate" ? await cache.match("./") : undefined;
      return page ?? (await cache.match(request, { ignoreSearch: true })) ?? Response.error();
    }),
  );
});

/** What this build has of it. */
async function kept(/** @type {Request} */ request) {
  const cache = await caches.open(NAME);
  return cache.match(request);
}
