// Deciding and applying, by keyboard and without scripts; every byte comes back.
import fs from "node:fs";
import path from "node:path";
import { leads } from "./browser.mjs";

/** The files of a workspace but those below ops/, as one text. */
export function filesOf(workspace, dir = workspace, all = []) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = path.join(dir, entry.name);
    if (entry.isDirectory()) { if (path.relative(workspace, name) !== "ops") filesOf(workspace, name, all); }
    else all.push(`${path.relative(workspace, name)} ${fs.readFileSync(name, "utf8")}`);
  }
  return all.join("\n");
}

const hasUndo = (page) => page.locator(".notice [data-key=u]").isVisible();

/** A plan: one action ticked by keyboard, applied, taken back; then all of them, without scripts. */
export async function apply(checks, browser, server, workspace) {
  const context = await browser.newContext();
  const page = await context.newPage();
  checks.watch(page, server.origin);
  await page.goto(await server.open());
  const before = filesOf(workspace);
  await page.goto(server.origin + "/plan");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  checks.that("one action is ticked", (await page.locator("#ticked").textContent())?.startsWith("1 of"));
  await leads(page, () => page.keyboard.press("a"));
  checks.that("a applies what is ticked, with an undo in sight", /\/runs\/.*done=/.test(page.url()) && (await hasUndo(page)), page.url());
  checks.that("something was written", filesOf(workspace) !== before);
  await leads(page, () => page.keyboard.press("u"));
  checks.that("undo gives every byte back", filesOf(workspace) === before);

  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
  const still = await plain.newPage();
  checks.watch(still, server.origin);
  await still.goto(server.origin + "/plan");
  await leads(still, () => still.locator("button[name=all]").click());
  checks.that("without scripts a plan is applied", /\/runs\/.*done=/.test(still.url()) && filesOf(workspace) !== before);
  await leads(still, () => still.locator(".notice button").click());
  checks.that("and taken back", filesOf(workspace) === before);
  await leads(still, async () => { await still.goto(server.origin + "/review"); await still.locator("button[value=keep_both]").first().click(); });
  checks.that("without scripts a pair is decided", /done=/.test(still.url()));
  await leads(still, () => still.locator(".notice button").click());
  await plain.close();
  await context.close();
}

/** The queue: pairs decided by keyboard alone, each with an undo in sight, u takes one back, and another tab is told. */
export async function review(checks, browser, server, pairs, timed) {
  const context = await browser.newContext();
  const page = await context.newPage();
  checks.watch(page, server.origin);
  await page.goto(await server.open());
  await leads(page, async () => { await page.keyboard.press("g"); await page.keyboard.press("r"); });
  checks.that("g r opens the queue", page.url() === server.origin + "/review");
  const waits = async () => Number((await page.locator("#place").textContent())?.match(/of ([\d,]+)/)?.[1].replace(",", "") ?? 0);
  const begun = await waits();
  checks.that("enough pairs wait", begun > pairs, String(begun));

  const shown = () => page.locator("input[name=pair]").first().getAttribute("value");
  const first = await shown();
  await leads(page, () => page.keyboard.press("j"));
  checks.that("j leaves a pair for later", (await shown()) !== first);
  await leads(page, () => page.keyboard.press("k"));
  checks.that("k goes back", (await shown()) === first);
  await leads(page, () => page.keyboard.press("b"));
  await leads(page, () => page.keyboard.press("u"));
  checks.that("u takes a decision back", (await waits()) === begun, `${await waits()} of ${begun}`);

  const other = await context.newPage();
  await other.goto(`${server.origin}/review?pair=${encodeURIComponent((await shown()) ?? "")}`);
  const start = performance.now();
  let undoable = 0;
  const keys = ["b", "2", "1", "s", "m"];
  for (let n = 0; n < pairs; n++) {
    const key = keys[n % keys.length];
    const can = await page.locator(`[data-key="${key}"]`).isEnabled();
    await leads(page, () => page.keyboard.press(can ? key : "b"));
    if (await hasUndo(page)) undoable++;
  }
  const seconds = (performance.now() - start) / 1000;
  console.log(`${pairs} pairs were decided by keyboard alone in ${seconds.toFixed(1)} s`);
  if (timed) checks.that(`${pairs} pairs are decided within two minutes`, seconds < 120, `${seconds} s`);
  checks.that("each with an undo in sight", undoable === pairs, `${undoable} of ${pairs}`);
  const left = await waits();
  checks.that("no pair was asked about twice", left <= begun - pairs, `${left} left of ${begun}`);
  await leads(other, () => other.keyboard.press("b"));
  checks.that("the later of two tabs is told", (await other.locator("main").textContent())?.includes("no such pair waits"));

  const group = page.locator("form:has(input[name=group]) button[value=keep_both]");
  if (await group.count()) {
    await leads(page, () => group.first().click());
    checks.that("a group is decided at once", await hasUndo(page));
    await leads(page, () => page.keyboard.press("u"));
    checks.that("and taken back at once", (await waits()) === left, `${await waits()} of ${left}`);
  }
  await context.close();
}

/** What two machines made of one memory: each is decided by its keys, and taken back. */
export async function conflicts(checks, browser, server, workspace) {
  const context = await browser.newContext();
  const page = await context.newPage();
  checks.watch(page, server.origin);
  await page.goto(await server.open());
  await page.goto(server.origin + "/review");
  const before = filesOf(workspace);
  const met = [];
  for (;;) {
    const address = page.url();
    const heading = (await page.locator("#older").textContent()) ?? "";
    met.push(heading);
    for (const key of await page.locator("button[name=verdict][data-key]").evaluateAll((all) => all.map((b) => b.dataset.key ?? ""))) {
      checks.that(`${heading}: ${key} says what it writes`, /changes|moves|writes/.test((await page.locator(`details:has-text("${(await page.locator(`button[data-key="${key}"]`).textContent())?.replace(/ .$/, "")}")`).first().textContent()) ?? ""));
      await leads(page, () => page.keyboard.press(key));
      checks.that(`${heading}: ${key} decides`, (await hasUndo(page)) && filesOf(workspace) !== before);
      await leads(page, () => page.keyboard.press("u"));
      checks.that(`${heading}: ${key} is taken back`, filesOf(workspace) === before);
      await page.goto(address);
    }
    if ((await page.locator("[data-key=j]").count()) === 0) break;
    await leads(page, () => page.keyboard.press("j"));
  }
  checks.that("conflicts of all kinds wait", new Set(met).size === 3, met.join(", "));
  await context.close();
}
