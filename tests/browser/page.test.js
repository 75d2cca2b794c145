// Tests of the report on exp/sample: sorting, filtering, navigation, keys, themes, addresses, widths.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, startBrowser } from "./browser.js";
import { sample } from "./collections.js";

let browser;
let address;
let collection;
before(async () => {
  collection = sample("--title", "Three Bibles");
  address = collection.address;
  browser = await startBrowser();
});
after(() => browser?.close());

// Opens the report, acts, and checks that there were no errors and no requests.
async function visit(hash, act, settings) {
  const { page, requests, errors } = await open(browser, address + hash, settings);
  await act(page);
  assert.deepEqual(requests, [], "no requests");
  assert.deepEqual(errors, [], "no errors");
  await page.context().close();
}

const column = (page, name) => page.locator(`.clusters tbody td.column-${name}`).allInnerTexts();
const numbers = (texts) => texts.map((text) => parseFloat(text));
const isSorted = (list) => list.every((value, at) => at === 0 || list[at - 1] <= value);

test("the overview shows counts and a histogram", () =>
  visit("", async (page) => {
    assert.equal(await page.title(), "Three Bibles");
    const told = await page.locator(".figures").innerText();
    for (const text of ["300\ndocuments", "0\nexact duplicates", `${collection.pairs.length}\npairs`, "0.8000\nthreshold"]) {
      assert.ok(told.includes(text), `${text} in ${told}`);
    }
    const bars = page.locator(".histogram .bar");
    assert.equal(await bars.count(), 20);
    const counts = await page.locator(".histogram .bar title").allTextContents();
    const sum = counts.map((text) => Number(text.match(/: (\d+) pair/)[1])).reduce((a, b) => a + b);
    assert.equal(sum, collection.pairs.length);
    await bars.nth(10).hover();
    assert.match(await page.locator("figcaption .told").innerText(), /^0\.90 to 0\.91: \d+ pairs?$/);
  }));

test("a click on a column header sorts, a second click reverses", () =>
  visit("", async (page) => {
    const sizes = numbers(await column(page, "size"));
    assert.ok(isSorted([...sizes].reverse()), "largest first");
    await page.click("#sort-smallest");
    const smallest = numbers(await column(page, "smallest"));
    assert.ok(isSorted(smallest), String(smallest));
    assert.equal(await page.locator("th.column-smallest").getAttribute("aria-sort"), "ascending");
    await page.click("#sort-smallest");
    const largest = numbers(await column(page, "smallest"));
    assert.ok(isSorted([...largest].reverse()) && largest[0] > smallest[0]);
    assert.equal(await page.evaluate(() => document.activeElement.id), "sort-smallest");
    await page.click("#sort-id");
    const ids = (await page.locator(".clusters tbody .id").allInnerTexts()).slice();
    assert.deepEqual(ids, [...ids].sort());
  }));

test("filters apply to ids, sizes and similarities", () =>
  visit("", async (page) => {
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "filter-text");
    await page.keyboard.type("WEB/genesis");
    const count = await page.locator(".clusters tbody tr").count();
    assert.ok(count > 0 && count < 10, String(count));
    assert.ok((await column(page, "id")).every((text) => text.includes("genesis")));
    assert.match(await page.locator("#clusters > .told").innerText(), new RegExp(`^${count} clusters of \\d+$`));
    await page.fill("#filter-text", "no such id");
    assert.equal(await page.locator(".clusters tbody tr").count(), 0);
    await page.fill("#filter-text", "");
    await page.fill("#filter-size", "3");
    await page.fill("#filter-low", "0.85");
    assert.ok(numbers(await column(page, "size")).every((size) => size >= 3));
    assert.ok(numbers(await column(page, "smallest")).every((smallest) => smallest >= 0.85));
    await page.fill("#filter-size", "");
    await page.fill("#filter-low", "");
    await page.fill("#filter-high", "0.8");
    assert.ok(numbers(await column(page, "smallest")).every((smallest) => smallest <= 0.8));
  }));

test("clicks navigate from table to cluster to pair and back", () =>
  visit("", async (page) => {
    await page.locator(".clusters tbody tr").first().click();
    await page.waitForSelector(".pairs");
    const pairs = await page.locator(".pairs tbody tr").count();
    assert.equal(pairs, 3);
    await page.locator(".pairs tbody a.open").first().click();
    await page.waitForSelector(".comparison");
    assert.match(await page.locator("h1").innerText(), /^Pair 1 of 3/);
    const first = await page.locator(".side-head .id").allInnerTexts();
    await page.click("#next");
    await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("Pair 2 of 3"));
    assert.notDeepEqual(await page.locator(".side-head .id").allInnerTexts(), first);
    await page.click("#previous");
    await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("Pair 1 of 3"));
    await page.locator(".path a").first().click();
    await page.waitForSelector(".clusters");
  }));

test("keys navigate too, across clusters", () =>
  visit("", async (page) => {
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("k");
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("href"));
    const links = await page.locator(".clusters a.open").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.equal(await focused(), links[0]);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".pairs");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".comparison");
    for (const [key, title] of [["j", "Pair 2 of 3"], ["ArrowRight", "Pair 3 of 3"], ["k", "Pair 2 of 3"], ["j", "Pair 3 of 3"]]) {
      await page.keyboard.press(key);
      await page.waitForFunction((text) => document.querySelector("h1").textContent.startsWith(text), title);
    }
    await page.keyboard.press("j");
    await page.waitForFunction((link) => location.hash === `${link}&pair=1`, links[1]);
    await page.keyboard.press("k");
    await page.waitForFunction((link) => location.hash === `${link}&pair=3`, links[0]);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".pairs");
    assert.equal(await focused(), `${links[0]}&pair=3`, "the last open pair has the focus");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".clusters");
    assert.equal(await focused(), links[0]);
    await page.keyboard.press("?");
    assert.ok(await page.locator("#help").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator("#help").isVisible()));
  }));

test("a pair shows both full texts, their differences and top terms", () =>
  visit("#cluster=1&pair=1", async (page) => {
    const plain = (text) => text.replace(/\s+/g, "");
    const ids = await page.locator(".side-head .id").allInnerTexts();
    for (const [at, side] of ["left", "right"].entries()) {
      const cells = await page.locator(`.rows .cell.${side}`).allTextContents();
      assert.equal(plain(cells.join("")), plain(collection.textOf(ids[at])));
    }
    assert.ok((await page.locator(".rows .cell.left del").count()) > 0 && (await page.locator(".rows .cell.right ins").count()) > 0);
    assert.equal(await page.locator(".rows .cell.left ins, .rows .cell.right del").count(), 0);
    assert.equal(await page.locator(".weights tbody tr").count(), 10);
    const score = Number(await page.locator(".score").innerText());
    const [, , expected] = collection.pairs.find(([left, right]) => left === ids[0] && right === ids[1]);
    assert.ok(Math.abs(score - expected) < 1e-7);
    const tops = await page.locator(".rows .row.changed").first().locator(".cell").evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().top));
    assert.equal(tops[0], tops[1], "passages stand beside each other");
    await page.keyboard.press("n");
    assert.equal(await page.locator(".row.current").count(), 1);
    await page.keyboard.press("u");
    assert.ok((await page.locator(".unified .row.changed .cell del").count()) > 0);
    assert.equal(await page.locator(".unified .cell.right").count(), 0);
  }));

test("an address opens its pair; an unknown one gives a message", async () => {
  await visit("#cluster=2&pair=3", async (page) => assert.match(await page.locator("h1").innerText(), /^Pair 3 of 3/));
  await visit("#cluster=2", async (page) => assert.equal(await page.locator("h1").innerText(), "Cluster 2"));
  await visit("#cluster=2&pair=9", async (page) => assert.match(await page.locator("[role=alert]").innerText(), /no pair 9/));
  await visit("#cluster=12345", async (page) => assert.match(await page.locator("[role=alert]").innerText(), /no cluster 12345/));
});

const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test("the theme follows the system, then the remembered button", async () => {
  let [light, dark] = ["", ""];
  await visit("", async (page) => { light = await paper(page); });
  await visit("", async (page) => { dark = await paper(page); }, { colorScheme: "dark" });
  assert.notEqual(light, dark);
  await visit("", async (page) => {
    await page.click("#theme");
    assert.equal(await paper(page), dark);
    await page.reload();
    await page.waitForSelector("h1");
    assert.equal(await paper(page), dark, "remembered");
    await page.keyboard.press("d");
    assert.equal(await paper(page), light);
  });
});

test("without storage, the address remembers the theme", () =>
  visit("#cluster=1", async (page) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } });
    });
    await page.reload();
    await page.waitForSelector("h1");
    const light = await paper(page);
    await page.click("#theme");
    assert.notEqual(await paper(page), light);
    assert.equal(await page.evaluate(() => location.hash), "#cluster=1&theme=dark");
    await page.locator("a.open").first().click();
    await page.waitForSelector(".comparison");
    assert.equal(await page.evaluate(() => location.hash), "#cluster=1&pair=1&theme=dark");
    await page.reload();
    await page.waitForSelector(".comparison");
    assert.notEqual(await paper(page), light);
  }));

// The contrast of two colours by WCAG.
function contrast(first, second) {
  const light = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low, high] = [light(first), light(second)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

test("text has enough contrast in both themes", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await visit("#cluster=1&pair=1", async (page) => {
      const colours = await page.evaluate(() => {
        const backgroundOf = (element) => {
          const colour = getComputedStyle(element).backgroundColor;
          return colour === "rgba(0, 0, 0, 0)" && element.parentElement ? backgroundOf(element.parentElement) : colour;
        };
        const all = ["h1", ".score", ".id", ".size", ".legend", "del", "ins", ".row.same .cell", ".row.changed .cell", ".weights th", "button", ".path a", ".brand"];
        return all.map((name) => document.querySelector(name)).filter(Boolean).map((element) => [element.className || element.tagName, getComputedStyle(element).color, backgroundOf(element)]);
      });
      for (const [name, colour, background] of colours) {
        assert.ok(contrast(colour, background) >= 4.5, `${name} in ${colorScheme}: ${colour} on ${background}`);
      }
    }, { colorScheme });
  }
});

test("at a width of 400 pixels nothing overflows and texts are stacked", async () => {
  for (const hash of ["", "#cluster=1", "#cluster=1&pair=1"]) {
    await visit(hash, async (page) => {
      const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(content <= window, `${hash}: ${content} of ${window}`);
      if (!hash.includes("pair")) return;
      const boxes = await page.locator(".rows .row.changed").first().locator(".cell").evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().toJSON()));
      assert.ok(boxes[1].top >= boxes[0].bottom && boxes[0].left === boxes[1].left);
    }, { viewport: { width: 400, height: 800 } });
  }
});

test("controls have accessible names and a visible focus", () =>
  visit("", async (page) => {
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, a, input")].filter((element) => !(element.textContent.trim() || element.getAttribute("aria-label") || element.labels?.length)).length);
    assert.equal(nameless, 0);
    await page.keyboard.press("j");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, "solid");
  }));
