// Tests of the report's limits: text that looks like markup, many pairs, long texts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, startBrowser } from "./browser.js";
import { HOSTILE_ID, HOSTILE_TEXT, hostile, many, pageOf } from "./collections.js";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

test("a document that looks like markup stays text", async () => {
  const address = pageOf("hostile", hostile(), ["--title", "</title><script>window.hacked=5</script>"]);
  const { page, requests, errors } = await open(browser, address);
  const hacked = () => page.evaluate(() => window.hacked);
  assert.equal(await page.locator("h1").innerText(), "</title><script>window.hacked=5</script>");
  const shown = (await page.locator(".clusters .id").allTextContents()).join();
  assert.ok(shown.includes(HOSTILE_ID), shown);
  await page.locator(".clusters .id").first().click();
  await page.waitForSelector(".pairs");
  assert.equal(await page.locator(".pair-document .id").first().textContent(), HOSTILE_ID);
  assert.equal(await hacked(), undefined);
  await page.goto(`${address}#cluster=1&pair=1`);
  await page.waitForSelector(".comparison");
  const text = await page.locator(".rows .cell.left").allTextContents();
  assert.equal(text.join(" ").replace(/\s+/g, ""), HOSTILE_TEXT.replace(/\s+/g, ""));
  assert.equal(await page.locator("main img, main svg, main script, main b[onclick]").count(), 0);
  await page.keyboard.press("u");
  assert.equal(await hacked(), undefined);
  assert.deepEqual(requests, []);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("the content security policy blocks injected scripts", async () => {
  const { page } = await open(browser, pageOf("hostile", hostile()));
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = 6";
    document.body.append(script);
    document.body.insertAdjacentHTML("beforeend", "<img src='x' onerror='window.hacked = 7'>");
  });
  const fetched = await page.evaluate(() => fetch("data:text/plain,x").then(() => "fetched", () => "refused"));
  assert.equal(fetched, "refused");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await page.context().close();
});

test("10,000 pairs are paged: 50 rows at a time", async () => {
  const { page, requests, errors } = await open(browser, pageOf("many", many(10_000)));
  const rows = () => page.locator(".clusters tbody tr").count();
  const elements = () => page.evaluate(() => document.querySelectorAll("main *").length);
  assert.equal(await rows(), 50);
  assert.ok((await elements()) < 1500);
  await page.click("#sort-mean");
  assert.match(await page.locator("td.column-mean .number").first().innerText(), /^0\.99/);
  assert.equal(await rows(), 50);
  await page.getByRole("button", { name: "Last page" }).click();
  assert.match(await page.locator(".pager .number").innerText(), /9,951–10,000 of 10,000/);
  await page.fill("#filter-text", "right-777");
  assert.equal(await rows(), 11);
  await page.locator(".clusters a.open").first().click();
  await page.waitForSelector(".pairs");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".comparison");
  assert.ok((await page.locator(".rows ins").count()) > 0);
  const read = await page.evaluate(() => document.querySelectorAll("script[type='application/json']").length);
  assert.ok(read > 20, "texts are stored in parts");
  assert.deepEqual([requests, errors], [[], []]);
  await page.context().close();
});

test("pairs of a large cluster are paged, omitted pairs counted", async () => {
  const documents = Array.from({ length: 120 }, (_, n) => [`d${n}`, `common words and ${n}`]);
  const pairs = documents.slice(1).map(([id], n) => ["d0", id, 1 - n / 1000]);
  const { page, errors } = await open(browser, `${pageOf("star", { documents, pairs }, ["--most_pairs", "100"])}`);
  assert.match(await page.locator(".note").innerText(), /^19 pairs are not shown here, of 119/);
  await page.goto(`${page.url()}#cluster=1`);
  await page.waitForSelector(".pairs");
  assert.equal(await page.locator(".pairs tbody tr").count(), 50);
  await page.getByRole("button", { name: "Next page" }).click();
  assert.match(await page.locator(".pager .number").innerText(), /51–100 of 100/);
  assert.match(await page.locator(".note").innerText(), /^19 pairs of this cluster are not shown/);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("long texts are truncated with a note", async () => {
  const text = (word) => Array.from({ length: 20_000 }, (_, n) => `${word}${n % 700}`).join(" ");
  const documents = [["a", text("x")], ["b", `${text("x")} end`], ["c", text("y")]];
  const pairs = [["a", "b", 0.99], ["a", "c", 0.8]];
  const { page, errors } = await open(browser, `${pageOf("long", { documents, pairs }, ["--text_limit", "50000"])}#cluster=1&pair=1`);
  assert.match((await page.locator(".note").allInnerTexts()).join("\n"), /The first text is truncated to its first 50,000 bytes/);
  await page.goto(`${page.url().split("#")[0]}#cluster=1&pair=2`);
  await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("Pair 2"));
  assert.ok((await page.locator(".rows del").count()) > 0);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("dissimilar texts of a megabyte are compared up to the work limit, with a note", async () => {
  let state = 7;
  const next = () => { state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff; return (state >>> 8) % 30_000; };
  const text = () => Array.from({ length: 170_000 }, () => `w${next()}`).join(" ");
  const documents = [["a", text()], ["b", text()]];
  const { page, errors } = await open(browser, `${pageOf("huge", { documents, pairs: [["a", "b", 0.8]] }, ["--text_limit", "2000000"])}#cluster=1&pair=1`);
  await page.waitForSelector(".comparison");
  assert.equal(await page.locator(".comparison").getAttribute("data-cut"), "true");
  assert.match((await page.locator(".note").allInnerTexts()).join("\n"), /stopped early/);
  assert.deepEqual(errors, []);
  await page.context().close();
});

test("exact duplicates and differences in white space are noted", async () => {
  const documents = [["a", "one two three"], ["b", "one two three"], ["c", "one  two\nthree"]];
  const address = pageOf("copies", { documents, pairs: [["a", "b", 1], ["b", "c", 1]] });
  const { page } = await open(browser, `${address}#cluster=1&pair=1`);
  assert.match(await page.locator(".note").innerText(), /The texts are identical/);
  await page.keyboard.press("j");
  await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("Pair 2"));
  assert.match(await page.locator(".note").innerText(), /differ only in white space/);
  await page.goto(`${address}#`);
  await page.waitForSelector(".figures");
  assert.ok((await page.locator(".figures").innerText()).includes("1\nexact duplicates"));
  await page.context().close();
});

test("a report without pairs says so", async () => {
  const { page, errors } = await open(browser, pageOf("none", { documents: [["a", "x"]], pairs: [] }));
  assert.match(await page.locator("main").innerText(), /There are no pairs\./);
  assert.deepEqual(errors, []);
  await page.context().close();
});
