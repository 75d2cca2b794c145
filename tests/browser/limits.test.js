// Text that looks like markup, many pairs, long texts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, startBrowser } from "./browser.js";
import { HOSTILE_ID, HOSTILE_TEXT, hostile, many, pageOf } from "./collections.js";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

test("a document that looks like markup stays text", async () => {
  const address = pageOf("hostile", hostile(), ["--title", "</title><script>window.hacked=5</script>"]);
  const { page, asked, wrong } = await open(browser, address);
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
  assert.deepEqual(asked, []);
  assert.deepEqual(wrong, []);
  await page.context().close();
});

test("the policy refuses a script that would get into the page all the same", async () => {
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

test("10,000 pairs open, sort and filter with as many rows as a page has", async () => {
  const { page, asked, wrong } = await open(browser, pageOf("many", many(10_000)));
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
  assert.ok(read > 20, "texts stand in parts");
  assert.deepEqual([asked, wrong], [[], []]);
  await page.context().close();
});

test("one cluster of many pairs is shown a page at a time; pairs beyond the limit are told", async () => {
  const documents = Array.from({ length: 120 }, (_, n) => [`d${n}`, `common words and ${n}`]);
  const pairs = documents.slice(1).map(([id], n) => ["d0", id, 1 - n / 1000]);
  const { page, wrong } = await open(browser, `${pageOf("star", { documents, pairs }, ["--most_pairs", "100"])}`);
  assert.match(await page.locator(".note").innerText(), /^19 pairs are not shown here, of 119/);
  await page.goto(`${page.url()}#cluster=1`);
  await page.waitForSelector(".pairs");
  assert.equal(await page.locator(".pairs tbody tr").count(), 50);
  await page.getByRole("button", { name: "Next page" }).click();
  assert.match(await page.locator(".pager .number").innerText(), /51–100 of 100/);
  assert.match(await page.locator(".note").innerText(), /^19 pairs of this cluster are not shown/);
  assert.deepEqual(wrong, []);
  await page.context().close();
});

test("long texts are cut where the limit says, and the page says so", async () => {
  const text = (word) => Array.from({ length: 20_000 }, (_, n) => `${word}${n % 700}`).join(" ");
  const documents = [["a", text("x")], ["b", `${text("x")} end`], ["c", text("y")]];
  const pairs = [["a", "b", 0.99], ["a", "c", 0.8]];
  const { page, wrong } = await open(browser, `${pageOf("long", { documents, pairs }, ["--text_limit", "50000"])}#cluster=1&pair=1`);
  assert.match((await page.locator(".note").allInnerTexts()).join("\n"), /The first text is longer .* first 50,000 bytes/);
  await page.goto(`${page.url().split("#")[0]}#cluster=1&pair=2`);
  await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("Pair 2"));
  assert.ok((await page.locator(".rows del").count()) > 0);
  assert.deepEqual(wrong, []);
  await page.context().close();
});

test("texts of a megabyte that have little in common are compared within the bound, and the page says what was left out", async () => {
  let state = 7;
  const next = () => { state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff; return (state >>> 8) % 30_000; };
  const text = () => Array.from({ length: 170_000 }, () => `w${next()}`).join(" ");
  const documents = [["a", text()], ["b", text()]];
  const { page, wrong } = await open(browser, `${pageOf("huge", { documents, pairs: [["a", "b", 0.8]] }, ["--text_limit", "2000000"])}#cluster=1&pair=1`);
  await page.waitForSelector(".comparison");
  assert.equal(await page.locator(".comparison").getAttribute("data-cut"), "true");
  assert.match((await page.locator(".note").allInnerTexts()).join("\n"), /was cut short/);
  assert.deepEqual(wrong, []);
  await page.context().close();
});

test("exact copies and texts that differ in white space are told", async () => {
  const documents = [["a", "one two three"], ["b", "one two three"], ["c", "one  two\nthree"]];
  const address = pageOf("copies", { documents, pairs: [["a", "b", 1], ["b", "c", 1]] });
  const { page } = await open(browser, `${address}#cluster=1&pair=1`);
  assert.match(await page.locator(".note").innerText(), /the same, character by character/);
  await page.keyboard.press("j");
  await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("Pair 2"));
  assert.match(await page.locator(".note").innerText(), /differ in white space alone/);
  await page.goto(`${address}#`);
  await page.waitForSelector(".figures");
  assert.ok((await page.locator(".figures").innerText()).includes("1\nexact copies"));
  await page.context().close();
});

test("no pairs make a page that says so", async () => {
  const { page, wrong } = await open(browser, pageOf("none", { documents: [["a", "x"]], pairs: [] }));
  assert.match(await page.locator("main").innerText(), /There are no pairs\./);
  assert.deepEqual(wrong, []);
  await page.context().close();
});
