// A static file server on the loopback interface: no more than any host of static files does.
// No header beyond the type, so that what works here works on every such host.
//
//   node tests/browser/server.mjs DIST [PORT]
// @ts-check
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".gz": "application/gzip",
};

/**
 * Serves the folder `root` under each of the paths `bases`, inner ones last; every path asked for goes into `asked`, to those in
 * `broken` there is no answer, and of those in `stalled` the begin comes and no more. Another `root` may take its place, and for so
 * many seconds whoever was given a file need not ask again.
 * @param {string} root
 * @param {{ bases?: string[], port?: number }} [options]
 * @returns {Promise<{ url: string, origin: string, root: string, seconds: number, asked: string[], broken: Set<string>, stalled: Set<string>, close: () => Promise<void> }>}
 */
export function serve(root, { bases = ["/"], port = 0 } = {}) {
  /** @type {string[]} */
  const asked = [];
  /** @type {Set<string>} */
  const broken = new Set();
  /** @type {Set<string>} */
  const stalled = new Set();
  const [base] = bases;
  const site = { root, seconds: 0 };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    asked.push(path);
    if (broken.has(path)) {
      request.socket.destroy();
      return;
    }
    const under = bases.findLast((one) => path.startsWith(one));
    const inside = under === undefined ? undefined : path.slice(under.length);
    const file = inside === undefined ? undefined : normalize(join(site.root, inside === "" ? "index.html" : inside));
    const found =
      file?.startsWith(normalize(site.root) + sep) && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
    if (found === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(found)] ?? "application/octet-stream",
      "cache-control": site.seconds > 0 ? `max-age=${site.seconds}` : "no-cache",
    });
    if (stalled.has(path)) createReadStream(found, { end: 999 }).pipe(response, { end: false });
    else createReadStream(found).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      const origin = `http://127.0.0.1:${bound}`;
      const close = () =>
        new Promise((/** @type {(done: void) => void} */ done) => {
          server.closeAllConnections();
          server.close(() => done());
        });
      resolve(Object.assign(site, { url: origin + base, origin, asked, broken, stalled, close }));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root = "dist", port = "8080"] = process.argv.slice(2);
  const { url } = await serve(root, { port: Number(port) });
  console.log(`oddnode is at ${url} (end with Ctrl-C)`);
}
