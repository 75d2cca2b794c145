// Starts a browser and opens pages that record their requests and errors.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

// Keep Chromium from contacting hosts at start.
const QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// Chromium's sandbox does not run as root in a container.
const SANDBOX = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

export const startBrowser = () =>
  chromium.launch({ executablePath: process.env.NEARSIG_BROWSER ?? "/usr/bin/chromium", args: [...QUIET, ...SANDBOX] });

// Opens an address. `requests` collects requests other than for the page itself, `errors` exceptions and console messages.
export async function open(browser, address, settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light", ...settings });
  const page = await context.newPage();
  const [requests, errors] = [[], []];
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address.split("#")[0]) requests.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) errors.push(message.text());
  });
  await page.goto(address);
  await page.waitForSelector("h1");
  return { page, requests, errors };
}

// Returns a function that opens an address, acts, and checks that there were no errors and no requests. `browserOf` is called when the browser runs.
export const visitor = (browserOf) => async (address, act, settings) => {
  const { page, requests, errors } = await open(browserOf(), address, settings);
  await act(page);
  assert.deepEqual(requests, [], "no requests");
  assert.deepEqual(errors, [], "no errors");
  await page.context().close();
};
