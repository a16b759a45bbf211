// A name or an id out of a log leads to what it is of.
// @ts-check
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { alike, start } from "./harness.mjs";
import * as made from "./made.mjs";
import { DIST, SAMPLE } from "./paths.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

test("nodes, jobs, attempts and their lines are found, and chosen by a click", async () => {
  const visit = await site.visit();
  await visit.at("sample").first().click();
  await visit.ready();
  const found = visit.at("search-found");
  /** @param {string} words */
  const search = async (words) => {
    await visit.at("search-words").fill(words);
    await visit.page.keyboard.press("Enter");
  };
  await search("H103");
  const node = found.locator("tr", { hasText: "compared with its peers" });
  await node.locator("button").click();
  await visit.at("selection").getByText("Node: h103").waitFor();

  await search("sorter");
  await found.locator("tr", { hasText: "“sorter”" }).waitFor();
  const job = await found.locator("tr th").first().innerText();
  assert.match(job, /^job_\d+_\d+$/);

  const attempt = `${job.replace("job_", "attempt_")}_m_000003_0`;
  await search(attempt);
  const row = found.locator("tr", { hasText: attempt });
  await row.locator("td", { hasText: / on h10\d|^on h10\d/ }).waitFor();
  await row.getByRole("button", { name: /:\d+$/ }).click();
  await found.locator("tr.quoted code").filter({ hasText: attempt }).first().waitFor();
  const before = await visit.page.evaluate(() => location.href);
  await row.locator("th button").click();
  await visit.at("selection").getByText(`Attempt: ${attempt}`).waitFor();
  const hash = await visit.hash();
  assert.match(hash, /v=swimlanes/);
  assert.ok(hash.includes(`attempt=${attempt}`), hash);
  const at = () => visit.page.evaluate(() => [document.querySelector("nav [aria-current]")?.id, document.activeElement?.id]);
  assert.deepEqual(await at(), ["nav-swimlanes", "view-swimlanes"]);
  await visit.page.goBack();
  await visit.page.waitForURL(before);

  await search("nobody at all");
  await found.getByText("Nothing is called nobody at all").waitFor();
  await search("n");
  await found.getByText("two characters").waitFor();
  await search("");
  await found.getByText("two characters").waitFor({ state: "detached" });
  await visit.close();
});

test("of two archives of one name, the line of the one that is meant is shown", async () => {
  const visit = await site.visit();
  await visit.choose("choose-files", [...alike("logs.tar.gz", SAMPLE, join(DIST, "samples/job-bug.tar.gz")), made.named("logs (2).tar.gz")]);
  await visit.ready();
  await visit.at("search-words").fill("attempt_202611202124_0001_m_000003_0");
  await visit.page.keyboard.press("Enter");
  const rows = visit.at("search-found").locator("tr");
  await rows.getByRole("button", { name: /^logs\.tar\.gz\/.*:\d+$/ }).first().click();
  await visit.at("search-found").locator("tr.quoted code").filter({ hasText: "attempt_202611202124_0001_m_000003_0" }).first().waitFor();
  const files = await visit.at("table-coverage").locator("tbody th").allTextContents();
  for (const [archive, host] of [["logs.tar.gz", "h103"], ["logs (3).tar.gz", "h303"]]) {
    assert.ok(files.some((file) => file.startsWith(`${archive}/`) && file.includes(host)), `${archive} of ${host}`);
  }
  await visit.close();
});

test("a shared link has no logs to search", async () => {
  const visit = await site.visit();
  await visit.at("sample").first().click();
  await visit.ready();
  assert.ok(await visit.at("search").isVisible());
  const link = await visit.link();
  await visit.close();
  const other = await site.visit(link.slice(link.indexOf("#")));
  await other.ready();
  assert.ok(!(await other.at("search").isVisible()));
  await other.close();
});
