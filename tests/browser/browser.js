// Chromium, and a page in it that notes what it asks for and what goes wrong.
import { chromium } from "playwright-core";

// Without these Chromium looks for its maker's hosts whenever it starts.
const QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// A container's root has no sandbox to put pages into.
const SANDBOX = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

export const startBrowser = () =>
  chromium.launch({ executablePath: process.env.NEARSIG_BROWSER ?? "/usr/bin/chromium", args: [...QUIET, ...SANDBOX] });

// Opens an address. `asked` collects what the page asks for beyond itself, `wrong` what it throws or complains of.
export async function open(browser, address, settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light", ...settings });
  const page = await context.newPage();
  const [asked, wrong] = [[], []];
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address.split("#")[0]) asked.push(request.url());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) wrong.push(message.text());
  });
  await page.goto(address);
  await page.waitForSelector("h1");
  return { page, asked, wrong };
}
