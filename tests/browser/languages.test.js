// Tests of the report on texts of other scripts: what is marked agrees with what was compared, and text runs in its direction.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, startBrowser } from "./browser.js";
import { SCRIPTS, pageOf, scriptPair } from "./collections.js";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

for (const script of SCRIPTS) {
  test(`changed words of a ${script.name} pair are marked, in its direction`, async () => {
    const { page, errors } = await open(browser, `${pageOf(script.name, scriptPair(script))}#cluster=1&pair=1`);
    await page.waitForSelector(".comparison");
    const marked = async (mark) => page.locator(`.rows ${mark}`).allTextContents();
    assert.deepEqual(await marked("del"), script.changed.map(([left]) => left));
    assert.deepEqual(await marked("ins"), script.changed.map(([, right]) => right));
    const direction = (selector) => page.locator(selector).first().evaluate((cell) => getComputedStyle(cell).direction);
    assert.equal(await direction(".rows .cell.left"), script.direction);
    assert.equal(await direction(".weights tbody th"), script.direction);
    const text = (await page.locator(".rows .cell.left").allTextContents()).join(" ");
    assert.equal(text.replace(/\s+/g, ""), script.left.replace(/\s+/g, ""));
    assert.deepEqual(errors, []);
    await page.context().close();
  });
}

test("without folding, vowel marks are marked as differences", async () => {
  const arabic = SCRIPTS.find(({ name }) => name === "arabic");
  const { page } = await open(browser, `${pageOf("unfolded", scriptPair(arabic), ["--no_fold"])}#cluster=1&pair=1`);
  await page.waitForSelector(".comparison");
  assert.ok((await page.locator(".rows del").allTextContents()).join(" ").includes("يُولَدُ"));
  await page.context().close();
});

test("texts that differ in case and letter forms only are said to", async () => {
  const documents = [["first", "Große Straße ＬＩＮＵＸ"], ["second", "GROSSE STRASSE Linux"]];
  const { page } = await open(browser, `${pageOf("forms", { documents, pairs: [["first", "second", 1]] })}#cluster=1&pair=1`);
  assert.match(await page.locator(".note").innerText(), /differ only in white space, case, letter forms/);
  await page.context().close();
});
