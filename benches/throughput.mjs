// How long and how much memory it takes from logs to verdict, in the page and natively, as ratios to
// floors measured in the same run. Prints a table.
//
//   node benches/throughput.mjs [--gib N] [--rounds N] [--real N] [--no-folders] [ARCHIVE]...
//
// --real: N copies of all labelled runs, each in a folder of its own, in one archive: what real clusters write,
// strace's lines most of it. Copies count once in the analysis, so that this is about reading. Needs the release build of page (.ci/test) and command (README). Without an ARCHIVE a simulated
// cluster's logs of N GiB (1) are made once, under target/bench/. Each round runs every row once, so
// that other work on the machine hits all alike; the least of the rounds counts.
// @ts-check
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { basename, join } from "node:path";
import { peakRendererMb, start } from "../tests/browser/harness.mjs";
import { BIN, DATA, ROOT } from "../tests/browser/paths.mjs";

const BENCH = join(ROOT, "target/bench");
/** Tasks as a multiple of the usual number that make about a GiB on 64 nodes of Hadoop 1. */
const SIZE_A_GIB = 10.8;
/** The page is given up after this long. */
const PATIENCE_MS = 30 * 60_000;
/** How often a renderer's peak is read. */
const SAMPLE_MS = 250;

mkdirSync(BENCH, { recursive: true });
let gib = 1;
let rounds = 3;
let folders = true;
/** @type {string[]} */
const archives = [];
const args = process.argv.slice(2);
while (args.length > 0) {
  const arg = /** @type {string} */ (args.shift());
  if (arg === "--gib") gib = Number(args.shift());
  else if (arg === "--rounds") rounds = Number(args.shift());
  else if (arg === "--real") archives.push(real(Number(args.shift())));
  else if (arg === "--no-folders") folders = false;
  else archives.push(arg);
}
if (archives.length === 0) archives.push(made(gib));

/** The archive of a simulated cluster with about so many GiB of logs. */
function made(/** @type {number} */ gib) {
  const path = join(BENCH, `made-${gib}.tar.gz`);
  if (!existsSync(path)) {
    const part = `${path}.part`;
    const simulate = ["simulate", "--nodes", "64", "--generation", "1", "--workload", "sort", "--fault", "cpuhog"];
    const size = String(gib * SIZE_A_GIB);
    execFileSync(BIN, [...simulate, "--size", size, "--seed", "7", "-o", part, "--truth", `${path}.truth.json`], { stdio: "inherit" });
    renameSync(part, path);
  }
  return path;
}

/** The archive of so many copies of the labelled runs, made once. */
function real(/** @type {number} */ copies) {
  const path = join(BENCH, `real-${copies}.tar.gz`);
  if (!existsSync(path)) {
    const room = `${path}.part`;
    const runs = ["hadoop1", "hadoop3"].map((kind) => `'${join(DATA, kind)}'/*.tar.gz`).join(" ");
    shell(`rm -rf '${room}' && mkdir -p '${room}/1' && for run in ${runs}; do tar xzf "$run" -C '${room}/1'; done`);
    shell(`cd '${room}' && for i in $(seq 2 ${copies}); do cp -a 1 $i; done && tar cz --sort=name -f '${room}.tar.gz' *`);
    renameSync(`${room}.tar.gz`, path);
    rmSync(room, { recursive: true });
  }
  return path;
}

/** The members of an archive as files, once. */
function folder(/** @type {string} */ archive) {
  const path = archive.startsWith(BENCH) ? `${archive}.d` : join(BENCH, `${basename(archive)}.d`);
  if (!existsSync(path)) {
    rmSync(`${path}.part`, { recursive: true, force: true });
    mkdirSync(`${path}.part`);
    execFileSync("tar", ["xzf", archive, "-C", `${path}.part`]);
    renameSync(`${path}.part`, path);
  }
  return path;
}

/** Seconds that a shell's line takes. */
function shell(/** @type {string} */ line) {
  const begun = performance.now();
  const ran = spawnSync("bash", ["-o", "pipefail", "-c", line], { stdio: ["ignore", "ignore", "inherit"] });
  // 3: the verdict names a node.
  if (ran.status !== 0 && ran.status !== 3) throw new Error(`${line}: exit code ${ran.status}`);
  return (performance.now() - begun) / 1000;
}

/** The most memory that any renderer of ours held, in MB: page, workers and their modules. */
const renderers = () => peakRendererMb() ?? 0;

/** Seconds from the drop to the verdict, and MB above an idle page. */
async function page(/** @type {string} */ path, /** @type {string} */ suffix) {
  const site = await start();
  try {
    const visit = await site.visit(suffix);
    const idle = renderers();
    const isFolder = statSync(path).isDirectory();
    // From the moment at which the page is given the files: what it costs to choose thousands of
    // them through the test's wire is not the page's.
    await visit.page.evaluate(() => {
      const root = document.documentElement;
      const times = { begun: 0, over: 0 };
      Object.assign(window, { times });
      document.addEventListener("change", () => (times.begun = performance.now()), { capture: true, once: true });
      new MutationObserver(() => {
        if (times.begun > 0 && ["ready", "error"].includes(root.dataset.state ?? "")) times.over ||= performance.now();
      }).observe(root, { attributes: true });
    });
    await visit.page.getByTestId(isFolder ? "choose-folder" : "choose-files").setInputFiles(path);
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, renderers())), SAMPLE_MS);
    // @ts-expect-error: ours, from above
    await visit.page.waitForFunction(() => window.times.over > 0, null, { timeout: PATIENCE_MS, polling: 100 });
    clearInterval(timer);
    // @ts-expect-error: ours, from above
    const { begun, over } = await visit.page.evaluate(() => window.times);
    const state = await visit.page.evaluate(() => document.documentElement.dataset.state);
    if (state !== "ready") throw new Error(`${path}: ${await visit.page.getByTestId("error").innerText()}`);
    return { seconds: (over - begun) / 1000, peak: Math.max(peak, renderers()) - idle };
  } finally {
    await site.close();
  }
}

console.log(`${availableParallelism()} cores (${cpus()[0]?.model.trim()}), least of ${rounds} rounds\n`);
for (const archive of archives) {
  const files = folders ? folder(archive) : "";
  const raw = Number(execFileSync("bash", ["-c", `gzip -dc '${archive}' | wc -c`], { encoding: "utf8" }));
  const count = Number(execFileSync("bash", ["-c", `tar tzf '${archive}' | grep -vc '/$'`], { encoding: "utf8" }));
  const digest = join(BENCH, "bench.digest");
  /** @type {[string, () => Promise<{seconds: number, peak?: number}>][]} */
  const rows = [
    ["`gzip -dc A \\| wc -l`", async () => ({ seconds: shell(`gzip -dc '${archive}' | wc -l`) })],
    ["`gzip -dc A >/dev/null`", async () => ({ seconds: shell(`gzip -dc '${archive}' >/dev/null`) })],
    ["`oddnode digest A`", async () => ({ seconds: shell(`'${BIN}' digest '${archive}' -o '${digest}'`) })],
    ["`oddnode diagnose A` (the native twin)", async () => ({ seconds: shell(`'${BIN}' diagnose '${archive}'`) })],
    ["page, A dropped, to the verdict", () => page(archive, "")],
  ];
  if (folders) {
    rows.push(
      ["`oddnode digest FOLDER`, one worker", async () => ({ seconds: shell(`'${BIN}' digest --workers 1 '${files}' -o '${digest}'`) })],
      ["`oddnode digest FOLDER`, two", async () => ({ seconds: shell(`'${BIN}' digest --workers 2 '${files}' -o '${digest}'`) })],
      ["page, folder, one worker", () => page(files, "?workers=1")],
      ["page, folder, two", () => page(files, "?workers=2")],
    );
  }
  const best = rows.map(() => ({ seconds: Infinity, peak: 0 }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, [name, run]] of rows.entries()) {
      const { seconds, peak = 0 } = await run();
      console.error(`  ${name}: ${seconds.toFixed(2)} s${peak > 0 ? `, ${peak.toFixed(0)} MB` : ""}`);
      best[i] = { seconds: Math.min(best[i].seconds, seconds), peak: Math.max(best[i].peak, peak) };
    }
  }
  const [gzip, , , twin] = best;
  console.log(`${basename(archive)}: ${(raw / 1e6).toFixed(0)} MB in ${count} files, ${(statSync(archive).size / 1e6).toFixed(1)} MB packed\n`);
  console.log("| what | s | MB/s | × `gzip -dc A \\| wc -l` | × the native twin | MB above an idle page |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const [i, [name]] of rows.entries()) {
    const { seconds, peak } = best[i];
    const cells = [name, seconds.toFixed(2), (raw / 1e6 / seconds).toFixed(0), (seconds / gzip.seconds).toFixed(2), (seconds / twin.seconds).toFixed(2), peak > 0 ? peak.toFixed(0) : ""];
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log();
}
