// @ts-check
// Runs kept in the browser's own storage (OPFS), on request only: their digests, a
// small part of the logs. Listed with their sizes, opened as a dropped digest would be,
// forgotten one by one or all together. All tabs of the page list the same. Runs of one name
// and other content stand side by side: a file is called after both.

/** The folder in the origin's private file system. */
const FOLDER = "kept";
/** `src/web/share.rs` asks so; its detail is [name, bytes]. */
const KEEP_EVENT = "oddnode-keep";
/** `src/web/share.rs` listens for what came of it; its detail is [in a word, in a sentence]. */
const KEPT_EVENT = "oddnode-kept";
/** `src/web/page/listen.rs` listens for it; its detail is the file. */
const OPEN_EVENT = "oddnode-open";
/** Ends of kept files' names. */
const SUFFIX = ".oddnode-digest";
/** A time as the figures write it, with its zone. @type {Intl.DateTimeFormatOptions} */
const WHEN = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
};
/** A file's name: the run's, and of what begins its content's hash; older ones have no hash. */
const NAME = /^(.*?)(?:\.([0-9a-f]{12}))?\.oddnode-digest$/;

/** Other tabs hear here that the list has changed. */
const tabs = new BroadcastChannel("oddnode-kept");

export function start() {
  document.addEventListener(KEEP_EVENT, (event) => {
    const [name, bytes] = /** @type {CustomEvent<[string, Uint8Array<ArrayBuffer>]>} */ (event).detail;
    keep(name, bytes).then(
      async (before) => {
        await show();
        answer("Kept", before ? "The same run was kept already" : "Kept in this browser, listed at the top of the page");
      },
      async (error) => answer("Not kept", await tell(error)),
    );
  });
  tabs.addEventListener("message", () => void show().catch(tell));
  show().catch(() => {
    // No such storage (a private window): there is nothing to show.
  });
}

/** @param {boolean} create */
async function folder(create) {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create });
}

/** @param {string} word @param {string} sentence */
function answer(word, sentence) {
  document.dispatchEvent(new CustomEvent(KEPT_EVENT, { detail: [word, sentence] }));
}

/** Whether the same was kept before. @param {string} name @param {Uint8Array<ArrayBuffer>} bytes */
async function keep(name, bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).subarray(0, 6);
  const mark = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const safe = `${name.replace(/[^\p{L}\p{N}._-]/gu, "_").slice(0, 100)}.${mark}${SUFFIX}`;
  const into = await folder(true);
  const before = await into.getFileHandle(safe).then(() => true, () => false);
  try {
    // What is written stands aside until it is whole: what was kept before stays until then.
    const to = await (await into.getFileHandle(safe, { create: true })).createWritable();
    await to.write(bytes);
    await to.close();
  } catch (error) {
    // An empty file would be listed as a run.
    if (!before) await into.removeEntry(safe).catch(() => {});
    throw error;
  }
  tabs.postMessage("");
  // Otherwise the browser may take it back when it is short of room. It may ask first, and nobody waits for that.
  void navigator.storage.persist?.().catch(() => {});
  return before;
}

/** @returns {Promise<File[]>} */
async function list() {
  /** @type {File[]} */
  const files = [];
  // The folder is made by the first run that is kept.
  const kept = await folder(false).catch((error) => {
    if (error instanceof DOMException && error.name === "NotFoundError") return null;
    throw error;
  });
  for await (const handle of kept?.values() ?? []) {
    if (handle.kind !== "file") continue;
    // Another tab may have forgotten it by now.
    const file = await /** @type {FileSystemFileHandle} */ (handle).getFile().catch(() => null);
    if (file !== null) files.push(file);
  }
  return files.sort((a, b) => b.lastModified - a.lastModified);
}

async function show() {
  const section = document.getElementById("kept");
  if (section === null) return;
  const files = await list();
  section.hidden = files.length === 0;
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const title = make("p", `Kept in this browser: ${files.length} ${files.length === 1 ? "run" : "runs"}, ${size(total)}`);
  const rows = make("ul", "");
  for (const file of files) {
    const [, shown = file.name, mark] = NAME.exec(file.name) ?? [];
    const about = [size(file.size), `kept ${new Date(file.lastModified).toLocaleString("sv", WHEN)}`, mark ?? ""];
    const row = make("li", `${shown} (${about.filter((one) => one !== "").join(", ")}) `);
    row.dataset.testid = "kept-run";
    row.append(
      button("Open", () => open(file, shown)),
      " ",
      button("Forget", () => void forget(file.name).then(() => goOn(files.indexOf(file)), tell)),
    );
    rows.append(row);
  }
  const all = button("Forget all", () => void forget().then(() => goOn(0), tell));
  all.dataset.testid = "forget-all";
  section.replaceChildren(title, rows, all);
}

/** @param {File} file @param {string} name */
function open(file, name) {
  const detail = new File([file], name);
  document.dispatchEvent(new CustomEvent(OPEN_EVENT, { detail }));
}

/** @param {string} [name] */
async function forget(name) {
  if (name === undefined) await (await navigator.storage.getDirectory()).removeEntry(FOLDER, { recursive: true });
  else await (await folder(false)).removeEntry(name);
  tabs.postMessage("");
  await show();
}

/** Whoever steers by keys goes on from the row that took this one's place. @param {number} place */
function goOn(place) {
  const rows = document.querySelectorAll("#kept li");
  const next = rows[Math.min(place, rows.length - 1)] ?? document.getElementById("intake");
  next?.querySelector("button")?.focus();
}

/** What is kept already stays in the list below the words, which are given back. @param {unknown} error */
async function tell(error) {
  await show().catch(() => {});
  const full = error instanceof DOMException && error.name === "QuotaExceededError";
  // A private window may not, an older browser cannot.
  const why = full
    ? "this browser gives the page no more room. Forget a run, or save the report instead"
    : `this browser keeps no files for the page here. Save the report instead (${error})`;
  const words = `What is kept could not be changed: ${why}.`;
  const section = document.getElementById("kept");
  if (section === null) return words;
  const says = make("p", words);
  says.setAttribute("role", "alert");
  if (section.hidden) section.replaceChildren(says);
  else section.prepend(says);
  section.hidden = false;
  return words;
}

/** @param {number} bytes */
function size(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @param {string} tag @param {string} text */
function make(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

/** @param {string} text @param {() => void} act */
function button(text, act) {
  const element = make("button", text);
  element.className = "button";
  element.setAttribute("type", "button");
  element.addEventListener("click", act);
  return element;
}
