// Every page, wide and narrow, light and dark, with scripts and without: nothing wider than the window, few elements, accessible.
import { fileURLToPath } from "node:url";
import { addresses, pages } from "./browser.mjs";

/** What the short form of the check leaves to the long one: rows, days and actions like those before them. */
const alike = ["tbody tr:nth-child(n+9)", "li:nth-child(n+9)", "article:nth-of-type(n+5)", ".months > :nth-child(n+3)", "svg > :nth-child(n+30)"];

/** Puts axe into every page that a context opens from here on: the browser is sent it once, and not for each page. */
const withAxe = (context) => context.addInitScript({ path: fileURLToPath(new URL("./node_modules/axe-core/axe.min.js", import.meta.url)) });
const views = [[1280, "light"], [1280, "dark"], [768, "light"], [768, "dark"], [320, "light"], [320, "dark"]];
// In the middle the short form looks only at whether the page fits.
const shortViews = [[1280, "light"], [768, ""], [320, "dark"]];

/** Looks at every page of a workspace with something in it. */
export async function lookAtAll(checks, browser, server, short) {
  const context = await browser.newContext();
  const page = await context.newPage();
  checks.watch(page, server.origin);
  await page.goto(await server.open());
  checks.that("the link opens the overview", page.url() === server.origin + "/");
  const all = await addresses(page, server.origin);
  await withAxe(context);
  for (const name of ["memory", "archived", "action", "run", "undo", "links", "day", "receipt"]) checks.that(`there is a page to look at: ${name}`, Boolean(all[name]));
  for (const [name, address] of Object.entries(all)) await lookAt(checks, page, name, server.origin + address, short ? shortViews : views, short);

  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState(), viewport: { width: 320, height: 900 } });
  const still = await plain.newPage();
  checks.watch(still, server.origin);
  for (const [name, address] of Object.entries(all)) {
    const answer = await still.goto(server.origin + address);
    checks.that(`${name} works without scripts`, answer?.status() === 200 && (await still.locator("h1").isVisible()));
  }
  await plain.close();
  await context.close();
}

/** Looks at the pages of a workspace with nothing in it, and at those of errors. */
export async function lookAtNothing(checks, browser, server, short) {
  const context = await browser.newContext();
  const page = await context.newPage();
  checks.watch(page, server.origin, /404|400/);
  await page.goto(await server.open());
  await withAxe(context);
  for (const [name, address] of Object.entries({ ...pages, search: "/memories?q=nothing", missing: "/memories/nobody", wrong: "/trends?days=x" })) {
    await lookAt(checks, page, `${name} of nothing`, server.origin + address, short ? [[320, "dark"]] : shortViews, short);
  }
  await context.close();
}

/** Looks at one page in several views, to which it changes as a window does. */
async function lookAt(checks, page, name, address, views, short) {
  await page.goto(address);
  for (const [width, colorScheme] of views) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: colorScheme || "light", reducedMotion: width === 320 ? "reduce" : "no-preference" });
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    checks.that(`${name} fits ${width}`, wider <= 0, `${wider} px too wide`);
    if (!colorScheme) continue;
    // The second theme has other colours; what else is new there comes with the width.
    const again = short && views.length > 1 && colorScheme === "dark";
    const options = { resultTypes: ["violations"], preload: false, ...(again && { runOnly: ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"] }) };
    const where = { include: [["html"]], exclude: short ? alike.map((selector) => [selector]) : [] };
    const { violations } = await page.evaluate(([where, options]) => window.axe.run(where, options), [where, options]);
    checks.that(`${name} is accessible, ${width} ${colorScheme}`, violations.length === 0, violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 3).join(" ")}`).join("; "));
  }
  const [all, loaded] = await page.evaluate(() => [document.querySelectorAll("*").length, document.querySelectorAll("script, style, link, img, iframe, object, embed").length]);
  checks.that(`${name} has few elements`, all <= 1500, String(all));
  checks.that(`${name} has the scripts and styles of the page only`, loaded === 5, String(loaded));
}
