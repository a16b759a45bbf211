// Each sample that the page offers gives the answer that stands beside it.
// @ts-check
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { ROOT } from "./paths.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

/** What www/README.md expects of each: the culprit and its cause, or nothing. */
const expected = new Map(
  [...readFileSync(join(ROOT, "www/README.md"), "utf8").matchAll(/^\| `samples\/(\S+)` .*\| ([^|]+) \|$/gm)].map(
    ([, name = "", says = ""]) => [name, [...says.matchAll(/`(\S+)`/g)].map(([, word]) => word).join(" ")],
  ),
);

/** How the page tells which slave it was. */
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"];

test("each sample is offered, and gives the answer that stands beside it", async () => {
  assert.deepEqual([...expected.keys()].sort(), readdirSync(join(ROOT, "www/samples")).sort());
  const visit = await site.visit();
  await visit.state();
  const offered = await visit.page
    .locator("[data-sample]:not(#sample)")
    .evaluateAll((all) => all.map((one) => [one.getAttribute("data-sample"), one.parentElement?.querySelector("b")?.textContent]));
  assert.deepEqual(offered.map(([name]) => name).sort(), [...expected.keys()].sort());
  for (const [name, answer] of offered) {
    const culprit = expected.get(name ?? "") ?? "";
    // The page names no host before it has read logs: what it shows under pseudonyms names none either.
    const place = ORDINALS.indexOf(answer ?? "") + 1;
    assert.equal(place === 0 ? "" : `${place}`, culprit.match(/^h\d0(\d) /)?.[1] ?? "", `${name}`);
    await visit.page.reload();
    await visit.page.locator("#samples summary").click();
    await visit.page.locator(`[data-sample="${name}"]`).click();
    await visit.ready();
    assert.deepEqual(await visit.culprits(), culprit === "" ? [] : [culprit], `${name}`);
    if (culprit !== "") assert.match(await visit.at("culprit").first().innerText(), /Why this cause: \S.*\./, `${name}`);
  }
  await visit.close();
});
