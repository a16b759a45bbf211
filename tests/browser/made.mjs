// Inputs that go wrong, made on the spot so that the repository need not carry them.
// @ts-check
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readdirSync, writeFileSync, writeSync } from "node:fs";
import { join, relative } from "node:path";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import { unpackedSample } from "./harness.mjs";
import { BIN, OUT, SAMPLE } from "./paths.mjs";

/** The largest number of 64 bits with a sign: no number of JavaScript. */
export const FAR = "9223372036854775807";

/** Bytes that look random and are the same every time. @param {number} length */
function noise(length) {
  const parts = [];
  for (let block = 0; block * 32 < length; block += 1) parts.push(createHash("sha256").update(String(block)).digest());
  return Buffer.concat(parts).subarray(0, length);
}

/** A tar of files, as `tar --format=ustar` writes it. @param {[string, Buffer][]} files */
function tar(files) {
  const blocks = [];
  for (const [name, bytes] of files) {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write("0000644\0" + "0000000\0" + "0000000\0", 100);
    header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        0", 148);
    header.write("ustar\x0000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    blocks.push(header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512));
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A picture of one pixel. @param {number} shade */
function png(shade) {
  const chunk = (/** @type {string} */ type, /** @type {Buffer} */ body) => {
    const typed = Buffer.concat([Buffer.from(type), body]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(body.length, 0);
    frame.writeUInt32BE(crc32(typed), 4);
    return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)]);
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.from([0, shade]))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** @param {string} name @param {Buffer} bytes */
function write(name, bytes) {
  const path = join(OUT, name);
  writeFileSync(path, bytes);
  return path;
}

export const truncatedArchive = () => {
  const whole = readFileSync(SAMPLE);
  return write("truncated.tar.gz", whole.subarray(0, Math.floor(whole.length / 2)));
};
export const noiseGz = () => write("noise.gz", gzipSync(noise(300_000)));
export const emptyArchive = () => write("empty.tar.gz", gzipSync(tar([])));
export const emptyFile = () => write("nothing.log", Buffer.alloc(0));
export const pictures = () =>
  write("pictures.tar.gz", gzipSync(tar([0, 80, 160, 240].map((shade) => [`pictures/${shade}.png`, png(shade)]))));
/** A gzip header, then noise. */
export const damagedGz = () =>
  write("damaged.tar.gz", Buffer.concat([readFileSync(SAMPLE).subarray(0, 20_000), noise(20_000)]));
/** 200 MB of zeros in 200 kB: more than logs ever shrink. */
export const bomb = () => write("bomb.tar.gz", gzipSync(tar([["bomb.log", Buffer.alloc(200 << 20)]]), { level: 9 }));

/** Logs of three TaskTrackers, of which that of h2 is started anew without a word of its end. */
export function startedAnew() {
  const line = (/** @type {number} */ second, /** @type {string} */ text) => {
    const at = new Date(Date.UTC(2026, 10, 20, 21, 0, second)).toISOString().slice(11, 19);
    return `2026-11-20 ${at},000 INFO org.apache.hadoop.mapred.TaskTracker: ${text}\n`;
  };
  const works = Array.from({ length: 39 }, (_, i) => line(10 * i + 10, "addFreeSlot : current free slots : 1"));
  const anew = [line(5, "STARTUP_MSG: "), ...works.slice(0, 20), line(319, "STARTUP_MSG: "), ...works.slice(31)];
  /** @type {[string, Buffer][]} */
  const logs = ["h1", "h2", "h3"].map((host) => [
    `a/${host}/hadoop-u-tasktracker-${host}.log`,
    Buffer.from((host === "h2" ? anew : works).join("")),
  ]);
  return write("started-anew.tar.gz", gzipSync(tar(logs)));
}

/** One line that begins as a log's and never ends. @param {number} megabytes */
export function longLine(megabytes) {
  const path = join(OUT, "one-line.log");
  const file = openSync(path, "w");
  writeSync(file, "2026-11-20 21:24:22,109 INFO org.apache.hadoop.mapred.TaskTracker: ");
  const block = Buffer.alloc(1 << 20, "x");
  for (let written = 0; written < megabytes; written += 1) writeSync(file, block);
  closeSync(file);
  return path;
}

/** A file that is no log, of that name. @param {string} name */
export const named = (name) => write(name, Buffer.from("nothing that any daemon would say\n".repeat(50)));

/** The sample's files, each as a change of its text leaves it. @param {(text: string) => string} change @returns {[string, Buffer][]} */
function sampleFiles(change = (text) => text) {
  const entries = readdirSync(unpackedSample(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [relative(OUT, path), Buffer.from(change(readFileSync(path, "utf8")))];
  });
}

/** The sample in an archive of some megabytes: between its logs lie files that are none. */
export function largeArchive() {
  const logs = sampleFiles();
  const files = logs.flatMap((log, i) => {
    if (i % 6 > 0) return [log];
    return /** @type {[string, Buffer][]} */ ([[`noise/${i}`, Buffer.concat([Buffer.from([0, i]), noise(600_000)])], log]);
  });
  return write("large.tar.gz", gzipSync(tar(files), { level: 1 }));
}

/** A cluster that never was, one of whose nodes has a busy processor, with metrics of more than ten thousand seconds. */
export function simulatedCluster() {
  const path = join(OUT, "simulated.tar.gz");
  const spec = ["--nodes", "40", "--generation", "3", "--workload", "sort", "--fault", "cpuhog", "--size", "3", "--seed", "7"];
  execFileSync(BIN, ["simulate", ...spec, "-o", path]);
  return path;
}

/** The sample, one Map of which claims to have ended when 64 bits of milliseconds end. */
export function endlessMap() {
  const files = sampleFiles((text) => text.replace(/(TASK_TYPE="MAP".*)FINISH_TIME="\d+"/, `$1FINISH_TIME="${FAR}"`));
  return write("endless-map.tar.gz", gzipSync(tar(files)));
}

/** A report whose first number of that name is as large as 64 bits hold. @param {Buffer} report @param {string} name */
export function farReport(report, name) {
  return write("far.json", Buffer.from(String(report).replace(new RegExp(`"${name}": \\d+`), `"${name}": ${FAR}`)));
}

/** The sample, its hosts under the long names of a large site. */
export function longNames() {
  const files = sampleFiles((text) => text.replaceAll(/\bh(10\d)\b/g, "datanode$1.hadoop.prod.example.com"));
  return write("long-names.tar.gz", gzipSync(tar(files)));
}

/** The sample, whose job ran so many times. @param {number} count */
export function manyJobs(count) {
  const files = sampleFiles();
  const again = files.filter(([name]) => name.includes("/history/")).flatMap(([name, bytes]) =>
    Array.from({ length: count - 1 }, (_, i) => {
      const renumbered = (/** @type {string} */ text) => text.replaceAll("_0001", `_${String(i + 2).padStart(4, "0")}`);
      return /** @type {[string, Buffer]} */ ([renumbered(name), Buffer.from(renumbered(String(bytes)))]);
    }),
  );
  return write("many-jobs.tar.gz", gzipSync(tar([...files, ...again])));
}

/** The sample's logs of some nodes. @param {string[]} nodes */
export function partOfSample(nodes) {
  const files = sampleFiles((text) => text).filter(([name]) => nodes.some((node) => name.includes(`/${node}/`)));
  return write("part.tar.gz", gzipSync(tar(files)));
}

/** The sample with a host and the job under other names, and a file that is called like the job. @param {string} host @param {string} job */
export function renamedSample(host, job, was = "h102") {
  const files = sampleFiles((text) => text.replaceAll(was, host).replaceAll('JOBNAME="sorter"', `JOBNAME="${job}"`));
  files.push([`sample/h104/${job.replaceAll("/", "")}.log`, Buffer.from("nothing that any daemon would say\n")]);
  return write("renamed.tar.gz", gzipSync(tar(files)));
}
