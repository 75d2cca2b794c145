// Saves screenshots of the report on exp/sample, of pairs in other scripts, of copied sections, and of sources, to a folder.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { open, startBrowser } from "./browser.js";
import { SCRIPTS, exampleText, pageOf, sample, scriptPair, searchOf, sectionsOf } from "./collections.js";
import { copiedThesis } from "./theses.js";

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: node screenshots.js FOLDER");
mkdirSync(folder, { recursive: true });

const { address } = sample("--title", "A hundred chapters in three translations");
const narrow = { viewport: { width: 400, height: 800 } };
const screenshots = [
  ["overview", "", {}],
  ["cluster", "#cluster=1", {}],
  ["pair", "#cluster=1&pair=1", {}],
  ["dark", "#cluster=1&pair=2", { colorScheme: "dark" }],
  ["dark-overview", "", { colorScheme: "dark" }],
  ["narrow-overview", "", narrow],
  ["narrow-pair", "#cluster=1&pair=1", narrow],
];
const browser = await startBrowser();
for (const [name, hash, settings] of screenshots) {
  const { page } = await open(browser, address + hash, settings);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.context().close();
}
for (const script of SCRIPTS) {
  const { page } = await open(browser, `${pageOf(script.name, scriptPair(script))}#cluster=1&pair=1`);
  await page.screenshot({ path: join(folder, `${script.name}.png`) });
  await page.context().close();
}
const sections = sectionsOf("sections", copiedThesis(), ["--no_early_stop"]);
for (const [name, settings] of [["sections", {}], ["sections-dark", { colorScheme: "dark" }], ["sections-narrow", narrow]]) {
  const { page } = await open(browser, sections, settings);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await page.click("#next");
  await page.waitForTimeout(200);
  await page.locator(".texts").screenshot({ path: join(folder, `${name}-texts.png`) });
  await page.context().close();
}
const example = Object.fromEntries(["source.txt", "diary.txt"].map((name) => [name, exampleText(name)]));
const sources = searchOf("sources", example, { "suspect.txt": exampleText("suspect.txt") });
for (const [name, settings] of [["sources", {}], ["sources-dark", { colorScheme: "dark" }], ["sources-narrow", narrow]]) {
  const { page } = await open(browser, sources, settings);
  // Lines are painted when they are in view.
  await page.locator("#left").scrollIntoViewIfNeeded();
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await page.keyboard.press("p");
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(folder, `${name}-passage.png`) });
  await page.context().close();
}
const list = searchOf("source-list", example, { "suspect.txt": exampleText("suspect.txt"), "own.txt": "Nothing of this text was ever copied from anywhere." });
const { page } = await open(browser, list);
await page.screenshot({ path: join(folder, "sources-list.png") });
await browser.close();
