// Tests of the page of compare_sections: figures, sections, marked passages, navigation, hostile text, several pairs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser, visitor } from "./browser.js";
import { HOSTILE_TEXT, sectionsOf } from "./collections.js";
import { copiedThesis } from "./theses.js";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

const visit = visitor(() => browser);

const copied = (...flags) => sectionsOf("copied", copiedThesis(), flags);

test("sections and figures are those of the report", () =>
  visit(copied("--no_early_stop", "--title", "Theses"), async (page) => {
    assert.equal(await page.title(), "copy.md – Theses".replace("copy.md", await page.locator(".pane-head .id").first().innerText()));
    assert.match(await page.locator("h1").innerText(), /^Theses\s+not copied$/);
    const rows = await page.locator(".listing tbody tr").allInnerTexts();
    assert.equal(rows.length, 3);
    assert.ok(rows[1].includes("copied") && rows[1].includes("Our methods") && rows[1].includes("100.0 %"), rows[1]);
    assert.match(await page.locator(".figures").innerText(), /33\.3 %\nsections copied/);
  }));

test("both texts are shown whole, passages marked in both", () =>
  visit(copied(), async (page) => {
    const [[, left], [, right]] = copiedThesis();
    for (const [side, text] of [["left", left], ["right", right]]) {
      const lines = await page.locator(`#${side} p`).allTextContents();
      assert.equal(lines.join("\n"), text);
    }
    const passages = await page.evaluate(() => {
      const text = (side, number) => [...document.querySelectorAll(`#${side} mark[data-passages~="${number}"]`)].map((mark) => mark.textContent).join("");
      return [0, 1, 2].map((number) => [text("left", number), text("right", number)]);
    });
    for (const [here, there] of passages) {
      assert.ok(here.length > 100);
      assert.equal(here.toLowerCase(), there.toLowerCase());
    }
  }));

test("a click on a passage shows the other place, a second click the next passage there", () =>
  visit(copied(), async (page) => {
    const isVisible = (side) => page.evaluate((side) => {
      const pane = document.getElementById(side).getBoundingClientRect();
      const mark = document.querySelector(`#${side} mark.current`).getBoundingClientRect();
      return mark.top >= pane.top && mark.top < pane.bottom;
    }, side);
    const current = () => page.locator("#left mark.current").first().getAttribute("data-passages");
    await page.click("#next");
    assert.equal(await current(), "0");
    await page.click("#next");
    await page.waitForFunction(() => document.getElementById("right").scrollTop > 0);
    await page.waitForTimeout(100);
    assert.ok((await isVisible("left")) && (await isVisible("right")));
    // The source has one paragraph that was copied twice.
    const twice = page.locator('#right mark[data-passages="1 2"]').first();
    await twice.click();
    assert.equal(await current(), "2");
    await twice.click();
    await page.waitForTimeout(100);
    assert.equal(await current(), "1");
    assert.ok(await isVisible("left"));
    await page.keyboard.press("p");
    assert.equal(await current(), "0");
  }));

test("a click on a section scrolls to it", () =>
  visit(copied(), async (page) => {
    await page.getByRole("button", { name: "Our results" }).click();
    await page.waitForTimeout(100);
    const isVisible = await page.evaluate(() => {
      const pane = document.getElementById("left").getBoundingClientRect();
      const line = [...document.querySelectorAll("#left p")].find((line) => line.textContent === "# Our results").getBoundingClientRect();
      return line.top >= pane.top && line.bottom <= pane.bottom;
    });
    assert.ok(isVisible);
  }));

test("text that looks like markup stays text", () => {
  const text = `${HOSTILE_TEXT} and five more words here`;
  return visit(sectionsOf("hostile", [["hostile.txt", text], ["other.txt", `x ${text}`]]), async (page) => {
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("#left p").first().textContent(), text);
  });
});

test("themes switch and narrow screens do not scroll sideways", () =>
  visit(copied(), async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.keyboard.press("d");
    assert.notEqual(await background(), light);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }, { viewport: { width: 400, height: 800 } }));
