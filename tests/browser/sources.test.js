// Tests of the page of ngram_search: figures, sources, a click on a passage, filters, unreadable sources, hostile texts and names, several documents.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startBrowser, visitor } from "./browser.js";
import { HOSTILE_TEXT, SCRIPTS, exampleText, searchOf } from "./collections.js";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());
const visit = visitor(() => browser);

const sources = () => ({ "source.txt": exampleText("source.txt"), "diary.txt": exampleText("diary.txt") });
const example = (...flags) => searchOf("example", sources(), { "suspect.txt": exampleText("suspect.txt") }, flags);
const LENS = "The great lens was whole, though gulls had nested inside it for so long that the glass had turned the colour of tea";

// The text of the selected passage on a side, without the numbers of sources.
const selected = (page, side) => page.evaluate((side) => [...document.querySelectorAll(`#${side} mark.current`)].map((mark) => mark.textContent).join(""), side);
const isVisible = (page, side) => page.evaluate((side) => {
  const pane = document.getElementById(side).getBoundingClientRect();
  const mark = document.querySelector(`#${side} mark.current`).getBoundingClientRect();
  return mark.top >= pane.top && mark.top < pane.bottom;
}, side);
const sourceNames = (page) => page.locator("tr[data-source]").allInnerTexts();
const beside = (page) => page.locator("#beside .id").innerText();

test("sources are listed by share, passages carry their numbers", () =>
  visit(example("--title", "Sources of Vera"), async (page) => {
    assert.equal(await page.locator("h1").innerText(), "Sources of Vera");
    const rows = await sourceNames(page);
    assert.equal(rows.length, 2);
    assert.ok(/^1\s/.test(rows[0]) && rows[0].includes("source.txt"), rows[0]);
    assert.ok(/^2\s/.test(rows[1]) && rows[1].includes("diary.txt"), rows[1]);
    assert.equal((await page.locator("#left p").allTextContents()).join("\n"), exampleText("suspect.txt"));
    const labels = await page.locator("#left mark[data-label]").evaluateAll((marks) => marks.map((mark) => mark.dataset.label));
    assert.ok(labels.includes("1") && labels.includes("1+2"), labels.join(" "));
  }));

test("a click on a passage opens its source beside it, marked where the passage comes from", () =>
  visit(example(), async (page) => {
    assert.match(await page.locator("#beside").innerText(), /Select a passage/);
    await page.locator("#left mark", { hasText: "The stairs were the first trouble" }).click();
    assert.match(await beside(page), /source\.txt$/);
    for (const side of ["left", "right"]) assert.ok((await selected(page, side)).startsWith("The stairs were the first trouble. Forty of"));
    assert.equal((await page.locator("#right p").allTextContents()).join("\n"), exampleText("source.txt"));
    await page.waitForTimeout(150);
    assert.ok(await isVisible(page, "right"));
  }));

test("the source is scrolled to the passage", () => {
  const filler = Array.from({ length: 300 }, (_, n) => `Line ${n} stands alone with words w${n}a w${n}b.`).join("\n\n");
  const address = searchOf("long", { "long.txt": `${filler}\n\n${LENS}.` }, { "suspect.txt": `Own words. ${LENS}.` }, ["-m", "5"]);
  return visit(address, async (page) => {
    await page.locator("#left mark").first().click();
    await page.waitForFunction(() => document.getElementById("right").scrollTop > 0);
    await page.waitForTimeout(150);
    assert.equal(await selected(page, "right"), `${LENS}.`);
    assert.ok(await isVisible(page, "right"));
  });
});

test("clicks on a passage of two sources cycle through them", () =>
  visit(example(), async (page) => {
    const mark = page.locator("#left mark.shared", { hasText: "gulls had nested" });
    await mark.click();
    assert.match(await beside(page), /source\.txt$/);
    assert.ok((await selected(page, "right")).includes(LENS));
    await mark.click();
    assert.match(await beside(page), /diary\.txt$/);
    assert.ok((await selected(page, "right")).includes(LENS));
    await mark.click();
    assert.match(await beside(page), /source\.txt$/);
  }));

test("a click on a source shows its passages only", () =>
  visit(example(), async (page) => {
    const count = await page.locator("#left mark").count();
    await page.getByRole("button", { name: "diary.txt" }).click();
    const classes = await page.locator("#left mark").evaluateAll((marks) => [...new Set(marks.map((mark) => mark.className.split(" ")[0]))]);
    assert.deepEqual(classes, ["source-1"]);
    assert.match(await page.locator("#shown").innerText(), /^1 passage of source 2$/);
    assert.match(await beside(page), /diary\.txt$/);
    assert.equal(await page.getByRole("button", { name: "diary.txt" }).getAttribute("aria-pressed"), "true");
    await page.keyboard.press("p");
    assert.ok((await selected(page, "left")).startsWith("Only the baker's son"));
    assert.ok((await selected(page, "right")).startsWith("Sunday. Rowed out with the bread."));
    await page.click("#all");
    assert.equal(await page.locator("#left mark").count(), count);
    await page.keyboard.press("1");
    assert.match(await page.locator("#shown").innerText(), /of source 1$/);
    await page.keyboard.press("9");
    assert.match(await page.locator("#shown").innerText(), /of source 1$/, "there is no ninth source");
    await page.keyboard.press("a");
    assert.equal(await page.locator("#left mark").count(), count);
  }));

test("keys go through all passages in the order of the text", () =>
  visit(example(), async (page) => {
    const seen = [];
    const total = await page.evaluate(() => JSON.parse(document.getElementById("findings").textContent).searches[0].passages.length);
    for (let at = 0; at < total; at++) {
      await page.keyboard.press("n");
      seen.push(await page.locator("#left mark.current").first().evaluate((mark) => Number(mark.closest("p").dataset.start)));
    }
    assert.ok(total > 1 && seen.every((start, at) => at === 0 || seen[at - 1] <= start), seen.join(" "));
    await page.keyboard.press("n");
    assert.ok((await selected(page, "left")).startsWith("The stairs"));
  }));

test("sources that cannot be read say so", () => {
  const address = searchOf("unreadable", sources(), { "suspect.txt": exampleText("suspect.txt") }, [], (folder) => rmSync(join(folder, "source.txt")), 3);
  return visit(address, async (page) => {
    const rows = await sourceNames(page);
    assert.ok(rows[0].includes("text unreadable") && !rows[1].includes("text unreadable"));
    await page.locator("#left mark", { hasText: "The stairs were" }).click();
    assert.match(await page.locator("#right").innerText(), /cannot be read/);
    assert.ok((await selected(page, "left")).startsWith("The stairs"));
  });
});

test("truncated texts say so", () =>
  visit(example("--text_limit", "700"), async (page) => {
    assert.match(await page.locator("main").innerText(), /text of the document is truncated/);
    assert.match(await page.locator("main").innerText(), /passages are not marked/);
  }));

test("texts and names that look like markup stay text", () => {
  const name = "<img src=x onerror='window.hacked=5'>&amp;.txt";
  const text = `${HOSTILE_TEXT} and five more words here`;
  return visit(searchOf("hostile-search", { [name]: `x ${text}` }, { [name]: text }, ["-m", "5"]), async (page) => {
    await page.keyboard.press("n");
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("#left p").first().textContent(), text);
    assert.equal(await page.locator("#right p").first().textContent(), `x ${text}`);
    assert.ok((await beside(page)).endsWith(name));
    assert.equal(await page.locator("main img, main svg").count(), 0);
  });
});

test("text from right to left keeps its direction and its passages", () => {
  const { left } = SCRIPTS.find(({ name }) => name === "arabic");
  return visit(searchOf("rtl", { "arabic.txt": `مقدمة أخرى. ${left}` }, { "suspect.txt": left }, ["-m", "5"]), async (page) => {
    await page.locator("#left mark").first().click();
    assert.equal(await page.locator("#left p").first().evaluate((line) => getComputedStyle(line).direction), "rtl");
    assert.equal(await selected(page, "right"), await selected(page, "left"));
    assert.ok((await selected(page, "left")).length > 80);
  });
});

test("several documents are a list", () =>
  visit(searchOf("several", sources(), { "suspect.txt": exampleText("suspect.txt"), "own.txt": "Nothing of this text was ever copied from anywhere at all." }), async (page) => {
    assert.equal(await page.locator(".listing tbody tr").count(), 2);
    await page.getByRole("link", { name: "suspect.txt" }).click();
    await page.waitForSelector("#left mark");
    await page.keyboard.press("k");
    await page.waitForFunction(() => document.querySelector(".path li:last-child").textContent === "Document 1 of 2");
    assert.match(await page.locator("main").innerText(), /No source was found/);
    await page.keyboard.press("n");
    await page.keyboard.press("1");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".listing a.open");
  }));

test("themes switch, and narrow screens do not scroll sideways", () =>
  visit(example(), async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.querySelector("#left mark")).backgroundColor);
    const light = await background();
    await page.keyboard.press("d");
    assert.notEqual(await background(), light);
    await page.keyboard.press("p");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.waitForTimeout(300);
    assert.ok((await isVisible(page, "left")) && (await isVisible(page, "right")));
  }, { viewport: { width: 400, height: 800 } }));
