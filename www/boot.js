// @ts-check
// Starts the page's module: the content policy forbids an inline script.
// @ts-expect-error: wasm-bindgen makes it
import init from "./app.js";

// A drop before the module listens must not make the browser leave the page.
for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (/** @type {DragEvent} */ (event).dataTransfer?.types.includes("Files")) event.preventDefault();
  });
}

// A report in the address is opened by the module: until that is here, the page says what it waits for.
const opening = document.getElementById("opening");
if (opening && /[#&](r|url)(=|%3D)/i.test(location.hash)) {
  opening.hidden = false;
  opening.textContent = "Opening the report…";
}

init()
  .then(() => {
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
    const lines = document.getElementById("error-lines");
    if (lines) {
      lines.textContent =
        typeof WebAssembly === "undefined"
          ? "This page needs WebAssembly, which this browser does not have."
          : `This page could not start: ${error}. Reload it to try again.`;
    }
    if (opening) opening.hidden = true;
    document.documentElement.dataset.state = "error";
  });
