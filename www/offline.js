// @ts-check
// Keeps the page's own files, so that it works without a network after one visit, and says
// when another tab has brought a newer version. Nothing of what is dropped is kept here.

/** Time after the page listens: whoever drops a file at once has the network for that. */
const LATER_MS = 2000;

export function start() {
  // Not there without https or localhost, nor for a page opened from disk.
  if (!navigator.serviceWorker) return;
  const build = document.documentElement.dataset.build ?? "";
  navigator.serviceWorker.addEventListener("message", (event) => {
    // Another page of this origin may have the one in whose folder this one lies.
    const isOurs = event.data?.scope === new URL("./", location.href).href;
    if (isOurs && typeof event.data.build === "string" && event.data.build !== build) prompt();
  });
  setTimeout(() => {
    // Each build has its own address, so a new one installs anew.
    const url = `./sw.js?build=${encodeURIComponent(build)}`;
    navigator.serviceWorker.register(url).catch(() => {
      // Without it the page works as any page does: with a network.
    });
  }, LATER_MS);
}

function prompt() {
  const bar = document.getElementById("update");
  if (bar === null || !bar.hidden) return;
  bar.hidden = false;
  document.getElementById("update-now")?.addEventListener("click", () => location.reload());
}
