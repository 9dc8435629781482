// Drives the dashboard as a person would, and as an attacker would. Prints one line for each check that fails, and how many there were.
import fs from "node:fs";
import path from "node:path";
import { addresses, launch } from "./browser.mjs";

const link = process.argv[2];
const origin = new URL(link).origin;
const port = new URL(link).port;
const workspace = process.env.WORKSPACE;
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
let passed = 0;
let failed = 0;
const check = (name, ok, detail = "") => {
  if (ok) passed++;
  else { failed++; console.log(`FAIL ${name} ${detail}`); }
};

const noise = [];
page.on("console", (m) => { if (m.type() === "error") noise.push(m.text()); });
page.on("pageerror", (e) => noise.push(e.message));
page.on("request", (r) => { if (new URL(r.url()).origin !== origin && !r.url().startsWith("data:")) noise.push(`asked ${r.url()}`); });

/** The files of the workspace but those below ops/, as one text. */
function files(dir = workspace, all = []) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = path.join(dir, entry.name);
    if (entry.isDirectory()) { if (path.relative(workspace, name) !== "ops") files(name, all); }
    else all.push(`${path.relative(workspace, name)} ${fs.readFileSync(name, "utf8")}`);
  }
  return all.join("\n");
}

// Every page: no violation of accessibility, nothing wider than the window, few elements, light and dark, wide and narrow.
await page.goto(link);
check("the link opens the overview", page.url() === origin + "/");
const axe = fs.readFileSync(new URL("./node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const session = await context.newCDPSession(page);
for (const [name, address] of Object.entries(await addresses(page, origin))) {
  for (const [width, colorScheme] of [[1280, "light"], [1280, "dark"], [768, "light"], [320, "dark"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(origin + address);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(`${name} fits ${width}`, wider <= 0, `${wider} px too wide`);
  }
  check(`${name} has few elements`, (await page.locator("*").count()) <= 1500);
  await page.setViewportSize({ width: 1280, height: 900 });
  await session.send("Page.setBypassCSP", { enabled: true }); // for axe only
  await page.goto(origin + address);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  check(`${name} is accessible`, violations.length === 0, violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 100)}`).join("; "));
  await session.send("Page.setBypassCSP", { enabled: false });
}
await page.emulateMedia({ colorScheme: "light" });

// A plan: tick one action by keyboard, apply it, take it back: byte for byte.
const before = files();
await page.goto(origin + "/plan");
await page.keyboard.press("j");
await page.keyboard.press("x");
check("one action is ticked", (await page.locator("#ticked").textContent())?.startsWith("1 of"));
await page.locator("#apply-ticked").click();
await page.waitForURL(/\/runs\/.*done=/);
check("the run is shown", await page.locator(".notice").isVisible());
check("something was written", files() !== before);
await page.keyboard.press("u");
await page.waitForURL(/done=/);
await page.waitForLoadState();
check("undo gives every byte back", files() === before);

// The queue: pairs decided by keyboard, each with an undo in sight; another tab is told.
await page.goto(origin + "/plan");
if (await page.locator("button[name=all]").count()) {
  await page.locator("button[name=all]").click();
  await page.waitForURL(/\/runs\//);
}
await page.goto(origin + "/review");
const waits = async () => Number((await page.locator("main p").first().textContent())?.match(/of (\d+)/)?.[1] ?? 0);
const pairs = await waits();
const other = await context.newPage();
await other.goto(origin + "/review");
let decided = 0;
for (const key of ["b", "2", "s", "1", "b", "b", "b", "b", "b", "b"].slice(0, pairs)) {
  const button = page.locator(`[data-key="${key}"]`);
  const press = (await button.isEnabled()) ? key : "b";
  await Promise.all([page.waitForURL(/done=/), page.keyboard.press(press)]);
  await page.waitForLoadState();
  check(`pair ${++decided} is decided, with an undo in sight`, await page.locator(".notice [data-key=u]").isVisible());
}
check("as many pairs were decided as keys were pressed", pairs === 0 || decided > 0);
if (pairs > 0) {
  await other.locator("[data-key=b]").click();
  await other.waitForLoadState();
  check("the other tab is told", (await other.locator("main").textContent())?.includes("no longer waits"));
}

// Search, the list of keys, and word of a change.
await page.goto(origin + "/memories");
await page.keyboard.press("/");
await page.keyboard.type("export");
await page.keyboard.press("Enter");
await page.waitForURL(/q=export/);
check("a search finds something", (await page.locator("tbody tr").count()) > 0);
await page.locator("h1").click();
await page.keyboard.press("?");
check("the keys are listed", await page.locator("dialog[open]").isVisible());
await page.keyboard.press("Escape");
await page.goto(origin + "/plan");
await page.waitForFunction(() => document.querySelector("#connection")?.textContent === "connected");
fs.mkdirSync(path.join(workspace, "global"), { recursive: true });
fs.writeFileSync(path.join(workspace, "global", "told.json"), `{"id":"mem_told","type":"factual","content":"Told while a page is open."}\n`);
await page.locator("#changed").waitFor({ state: "visible" });
check("a page is told of a change", true);
check("nothing was said on the console, and nobody else was asked", noise.filter((n) => !n.includes("409")).length === 0, noise.join("; "));

// Without scripts: read, decide, apply.
const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
const still = await plain.newPage();
for (const address of ["/", "/plan", "/review", "/memories", "/trends"]) {
  await still.goto(origin + address);
  check(`${address} works without scripts`, await still.locator("h1").isVisible());
}

// Attacks: a page under another name, of another port, without the cookie, with a used key, in a frame.
const status = async (p, url) => (await p.goto(url))?.status();
check("another name is refused", (await status(page, `http://evil.example:${port}/memories`)) === 421);
const stranger = await browser.newContext();
const outside = await stranger.newPage();
check("without a cookie nothing is told", (await status(outside, `${origin}/memories`)) === 401);
check("a used key is refused", (await status(outside, link)) === 401);
await outside.goto("data:text/html,<title>elsewhere</title>");
const read = await outside.evaluate(async (url) => {
  try { return (await fetch(url, { credentials: "include" })).status; } catch { return "refused"; }
}, `${origin}/api/v1/list`);
check("another site can't read", read === "refused", String(read));
const framed = await context.newPage();
await framed.goto(`data:text/html,<iframe src="${origin}/review"></iframe>`);
check("no frame shows a page", !framed.frames().some((f) => f.url().startsWith(origin)) || (await framed.frames().at(-1).locator("h1").count()) === 0);

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
