// Keys of every page, and word of changes: what is typed, focused and scrolled to stays.
import fs from "node:fs";
import path from "node:path";
import { leads } from "./browser.mjs";

export async function keys(checks, browser, server) {
  const context = await browser.newContext();
  const page = await context.newPage();
  checks.watch(page, server.origin);
  await page.goto(await server.open());
  const goTo = { p: "/plan", r: "/review", l: "/memories", h: "/runs", f: "/forecast", n: "/links", t: "/trends", c: "/receipts", s: "/schedules", o: "/" };
  for (const [key, to] of Object.entries(goTo)) {
    await leads(page, async () => { await page.keyboard.press("g"); await page.keyboard.press(key); });
    checks.that(`g ${key} opens ${to}`, new URL(page.url()).pathname === to, page.url());
  }
  await page.keyboard.press("?");
  checks.that("? lists the keys", await page.locator("dialog[open]").isVisible());
  await page.keyboard.press("Escape");
  checks.that("Escape closes the list", (await page.locator("dialog[open]").count()) === 0);
  await leads(page, () => page.keyboard.press("/"));
  await page.keyboard.type("export");
  await leads(page, () => page.keyboard.press("Enter"));
  checks.that("/ searches", page.url().includes("q=export") && (await page.locator("tbody tr").count()) > 0);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await leads(page, () => page.keyboard.press("Enter"));
  checks.that("j, k and Enter open a memory", page.url().includes("/memories/"));
  await page.goto(server.origin + "/memories");
  await leads(page, () => page.keyboard.press("]"));
  checks.that("] turns the page", page.url().includes("from=100"));
  await leads(page, () => page.keyboard.press("["));
  checks.that("[ turns it back", !page.url().includes("from="));
  await context.close();
}

const connected = (page) => page.waitForFunction(() => document.querySelector("#connection")?.textContent === "connected");

export async function changes(checks, browser, server, workspace, restart) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 600 } });
  const page = await context.newPage();
  checks.watch(page, server.origin, /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY|net::ERR|401/);
  await page.goto(await server.open());
  const write = (id, text) => fs.writeFileSync(path.join(workspace, "global", `${id}.json`), `{"id":"${id}","type":"factual","created_at":"2026-03-01T08:00:00Z","content":"${text}"}\n`);

  // A list renews itself: the new row is there, and the person is where she was.
  await page.goto(server.origin + "/memories");
  await connected(page);
  await page.locator("input[name=tag]").fill("half typed");
  const row = page.locator("tbody tr").nth(40);
  const line = await row.textContent();
  await row.locator("a").focus();
  await page.evaluate(() => scrollTo(0, 900));
  const top = await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).getBoundingClientRect().top);
  write("mem_told_once", "Told while a list is open.");
  await page.locator("tbody a", { hasText: "Told while a list is open." }).waitFor({ state: "attached" });
  checks.that("a list renews itself and keeps what is typed", (await page.locator("input[name=tag]").inputValue()) === "half typed");
  const focused = await page.evaluate(() => document.activeElement?.closest("tr")?.textContent);
  checks.that("the focus stays on its row", focused === line, String(focused));
  const now = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? 0);
  checks.that("what is looked at stays in its place", Math.abs(now - top) < 60, `${top} then ${now}`);

  // A page on which a person decides says so, and stays as it is.
  await page.goto(server.origin + "/plan");
  await connected(page);
  const shown = await page.locator("main form").last().getAttribute("action");
  write("mem_told_twice", "Told while a plan is open.");
  await page.locator("#changed").waitFor({ state: "visible" });
  checks.that("a plan stays as it is shown", (await page.locator("main form").last().getAttribute("action")) === shown);

  // The server goes and comes back.
  await page.goto(server.origin + "/memories");
  await connected(page);
  await server.stop("SIGKILL");
  await page.locator("#lost").waitFor({ state: "visible" });
  checks.that("a lost connection is told", true);
  write("mem_told_later", "Told when the server is back.");
  const again = await restart();
  const other = await context.newPage();
  await other.goto(again.link);
  await page.locator("tbody a", { hasText: "Told when the server is back." }).waitFor({ state: "attached", timeout: 40_000 });
  checks.that("a page renews itself when the server is back", await page.locator("#lost").isHidden());
  await context.close();
  return again;
}
