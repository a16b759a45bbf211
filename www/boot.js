// @ts-check
// Starts the page's module: the content policy forbids an inline script.

const opening = document.getElementById("opening");
function wait(/** @type {string} */ words) {
  if (!opening) return;
  opening.hidden = false;
  opening.textContent = words;
}

// A drop must not make the browser leave the page; what is dropped before the module listens is given to the field that it
// looks at first. A field holds no folder.
let started = false;
for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    const given = /** @type {DragEvent} */ (event).dataTransfer;
    if (!given?.types.includes("Files")) return;
    event.preventDefault();
    if (kind !== "drop" || started) return;
    const choose = /** @type {HTMLInputElement | null} */ (document.getElementById("choose-files"));
    if ([...given.items].some((item) => item.webkitGetAsEntry()?.isDirectory)) wait("The page is still starting. Drop the folder again.");
    else if (choose) choose.files = given.files;
  });
}

// A report in the address is opened by the module: until that is here, the page says what it waits for.
if (/[#&](r|url)(=|%3D)/i.test(location.hash)) wait("Opening the report…");

/** The module is gone once it has trapped; the page would only look alive. @param {unknown} error */
function tellEnd(error) {
  if (!started || !(error instanceof WebAssembly.RuntimeError)) return;
  fail(`This page broke down: ${error.message}. Reload it to go on.`);
}
addEventListener("error", (event) => tellEnd(event.error));
addEventListener("unhandledrejection", (event) => tellEnd(event.reason));

/** @param {string} words */
function fail(words) {
  const lines = document.getElementById("error-lines");
  if (lines) lines.textContent = words;
  if (opening) opening.hidden = true;
  document.documentElement.dataset.state = "error";
}

// @ts-expect-error: wasm-bindgen makes it
import("./app.js")
  .then(({ default: init }) => init())
  .then(() => {
    started = true;
    if (opening) opening.hidden = true;
    // What is not needed to begin comes after it.
    setTimeout(() => {
      void import("./kept.js").then((kept) => kept.start());
      void import("./offline.js").then((offline) => offline.start());
      // Opened by another page, or shown in one, which may have files to hand over.
      if (window.opener !== null || window.parent !== window) {
        void import("./handed.js").then((handed) => handed.start());
      }
    }, 0);
  })
  .catch((/** @type {unknown} */ error) => {
    fail(
      typeof WebAssembly === "undefined"
        ? "This page needs WebAssembly, which this browser does not have."
        : `This page could not start: ${error}. Reload it to try again.`,
    );
  });
