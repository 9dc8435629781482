// What check.mjs and screenshots.mjs share: a browser that has opened the link of a server.
import { chromium } from "playwright-core";

export const pages = {
  overview: "/", review: "/review", plan: "/plan", memories: "/memories", runs: "/runs", forecast: "/forecast",
  links: "/links", trends: "/trends?days=365", receipts: "/receipts", schedules: "/schedules",
};

/** Opens a browser; names are mapped to this machine, as a hostile page might have it. */
export async function launch() {
  return chromium.launch({
    executablePath: process.env.BROWSER,
    args: ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--host-resolver-rules=MAP evil.example 127.0.0.1"],
  });
}

/** The address of the first memory with links, and of the first memory. */
export async function addresses(page, origin) {
  await page.goto(origin + "/links");
  const links = await page.locator("main ul.plain a").first().getAttribute("href");
  await page.goto(origin + "/memories");
  const memory = await page.locator("td.line a").first().getAttribute("href");
  return { ...pages, links: links ?? "/links", memory };
}
