// Traces of jobs: a job a line, and more nodes than a table has columns that are read.
// @ts-check
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { start } from "./harness.mjs";
import { DATA } from "./paths.mjs";

const TRACE = join(DATA, "public/hadoop-mapreduce/19-jobs.trace.json.gz");
/** A quoted line and its place have so many characters: the part shown, and the name of the file. */
const QUOTE_CHARACTERS = 400;
const COLUMNS = 80;

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

describe("a trace of jobs", { skip: existsSync(TRACE) ? false : "no public logs beside the repository" }, () => {
  test("its lines are quoted once and in part, and its tables have the columns that are read", async () => {
    const visit = await site.visit();
    await visit.choose("choose-files", TRACE);
    await visit.ready();
    const quotes = visit.page.locator("#grounds > .quotes > li");
    await quotes.locator("details").first().waitFor();
    const texts = await quotes.allInnerTexts();
    const places = await quotes.locator(".path").allInnerTexts();
    assert.equal(new Set(places).size, places.length, places.join());
    for (const text of texts) assert.ok(text.length < QUOTE_CHARACTERS, `${text.length} characters`);
    await quotes.locator("summary").first().click();
    assert.ok(((await quotes.first().innerText()).length) > QUOTE_CHARACTERS);

    await visit.page.evaluate(() => (location.hash = "#v=peers"));
    const table = visit.at("table-peers-time");
    await table.locator("caption").waitFor({ state: "attached" });
    assert.match((await table.locator("caption").textContent()) ?? "", /the first 80 of \d[\d\s]+ columns; CSV saves all/);
    assert.equal(await table.locator("thead th").count(), COLUMNS);
    await visit.close();
  });
});
