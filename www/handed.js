// @ts-check
// Files that another page hands over, so that nobody has to save them in between: a ticket tool that opened this page, or
// shows it in a frame. They are read when the user says so here, and nothing goes back.
//
//   const page = window.open("https://HOST/oddnode/");
//   addEventListener("message", (event) => {
//     if (event.source === page && event.data?.oddnode === "ready")
//       page.postMessage({ oddnode: "read", files: [new File([bytes], "ticket-1234.tar.gz")] }, event.origin);
//   });

/** Files named in the question. */
const NAMED = 3;

/** Characters of a name in it: enough to know the file by. */
const NAME_CHARACTERS = 100;

/** Who may hand something over. */
const givers = [window.opener, window.parent === window ? null : window.parent].filter((giver) => giver !== null);

export function start() {
  addEventListener("message", (event) => {
    if (!givers.includes(event.source) || event.data?.oddnode !== "read" || !Array.isArray(event.data.files)) return;
    const files = event.data.files.filter((/** @type {unknown} */ file) => file instanceof File);
    if (files.length > 0) ask(event.origin, files);
  });
  // That it is there is all that it tells, whoever it is.
  for (const giver of givers) giver.postMessage({ oddnode: "ready" }, "*");
}

/** A name that cannot turn the words around it, or push them away. @param {string} name */
function plain(name) {
  const seen = [...name.replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd")];
  return seen.length > NAME_CHARACTERS ? `${seen.slice(0, NAME_CHARACTERS).join("")}…` : seen.join("");
}

function ask(/** @type {string} */ origin, /** @type {File[]} */ files) {
  const [question, says, read, refuse] = ["handed", "handed-says", "handed-read", "handed-refuse"].map((id) => document.getElementById(id));
  const choose = /** @type {HTMLInputElement | null} */ (document.getElementById("choose-files"));
  if (!question || !says || !read || !refuse || !choose) return;
  // Who is about to answer answers what was asked.
  if (!question.hidden) return;
  const names = files.slice(0, NAMED).map((file) => plain(file.name));
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : "";
  says.textContent = `${origin} hands over ${names.join(", ")}${more}. Read here, on this machine?`;
  question.hidden = false;
  refuse.onclick = () => {
    question.hidden = true;
  };
  read.onclick = () => {
    question.hidden = true;
    const held = new DataTransfer();
    for (const file of files) held.items.add(file);
    choose.files = held.files;
    choose.dispatchEvent(new Event("change", { bubbles: true }));
  };
}
