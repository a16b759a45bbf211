// A name or an id out of a log leads to what it is of.
// @ts-check
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";

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
  await found.locator("tr.quoted code").filter({ hasText: attempt }).waitFor();
  await row.locator("th button").click();
  await visit.at("selection").getByText(`Attempt: ${attempt}`).waitFor();

  await search("nobody at all");
  await found.getByText("Nothing is called nobody at all").waitFor();
  await search("n");
  await found.getByText("two letters").waitFor();
  await search("");
  await found.getByText("two letters").waitFor({ state: "detached" });
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
