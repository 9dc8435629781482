// The browser as an attacker has it: another name for this machine, other sites, other ports, frames, used keys; and hostile memories.
import http from "node:http";

/** Tries each attack, and tells which were refused. */
async function attacks(browser, server) {
  const refused = {}, contexts = [];
  const open = async () => { contexts.push(await browser.newContext()); return contexts.at(-1); };
  const context = await open();
  const page = await context.newPage();
  const link = await server.open();
  await page.goto(link);
  const status = async (p, url) => (await p.goto(url).catch(() => null))?.status();

  // A page that has renamed itself to this machine, and has come by a link.
  const renamed = await open();
  const evil = `http://evil.example:${server.port}`;
  const there = await renamed.newPage();
  const answer = await status(there, (await server.open()).replace(server.origin, evil));
  const read = await there.evaluate(async () => (await fetch("/api/v1/list")).status).catch(() => 0);
  refused["a renamed page signs in and reads"] = answer === 421 && read !== 200;
  refused["another name on every path"] = true;
  for (const path of ["/", "/memories", "/healthz", "/static/app.js", "/api/v1/list", "/nothing"]) {
    if ((await status(there, evil + path)) !== 421) refused["another name on every path"] = false;
  }

  const outside = await (await open()).newPage();
  refused["no cookie"] = (await status(outside, `${server.origin}/memories`)) === 401;
  refused["a used key"] = (await status(outside, link)) === 401;

  // Another port of this machine, whose page the same browser has open: it reads, writes and frames.
  const site = http.createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<title>elsewhere</title>"));
  await new Promise((done) => site.listen(0, "127.0.0.1", () => done(undefined)));
  const elsewhere = await context.newPage();
  await elsewhere.goto(`http://127.0.0.1:${site.address().port}/`);
  const from = (method) => elsewhere.evaluate(async ([url, method]) => {
    try { return (await fetch(url, { method, credentials: "include" })).status; } catch { return "refused"; }
  }, [`${server.origin}/api/v1/list`, method]);
  refused["another port reads"] = (await from("GET")) === "refused";
  refused["another port writes"] = (await from("POST")) === "refused";
  const posted = elsewhere.waitForNavigation();
  await elsewhere.evaluate((url) => {
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action: url });
    document.body.append(form);
    form.submit();
  }, `${server.origin}/review`);
  refused["a form of another port"] = (await posted)?.status() === 403;
  await elsewhere.goto(`http://127.0.0.1:${site.address().port}/`);
  await elsewhere.evaluate((url) => { const f = document.createElement("iframe"); f.src = url; document.body.append(f); return new Promise((done) => { f.onload = done; }); }, `${server.origin}/review`);
  refused["a frame"] = (await elsewhere.frames()[1]?.locator("nav.main").count().catch(() => 0)) === 0;
  site.close();
  refused["a script of a page makes markup"] = await page.evaluate(() => {
    try { document.body.innerHTML = "<b>x</b>"; return false; } catch { return true; }
  });
  await Promise.all(contexts.map((c) => c.close()));
  return refused;
}

/** All attacks are refused; without the first rule those under another name are not, so that the list can fail. */
export async function attack(checks, browser, server, unguarded) {
  for (const [name, ok] of Object.entries(await attacks(browser, server))) checks.that(`refused: ${name}`, ok);
  const through = Object.entries(await attacks(browser, unguarded)).filter(([, ok]) => !ok).map(([name]) => name);
  checks.that("without the first rule, a renamed page comes through", through.join(", ") === "a renamed page signs in and reads, another name on every path", through.join(", "));
}

/** Memories that try to be more than text make no element, and run nothing. */
export async function hostile(checks, browser, server, short) {
  const context = await browser.newContext();
  const page = await context.newPage();
  checks.watch(page, server.origin);
  await page.goto(await server.open());
  await page.goto(server.origin + "/memories");
  const each = await page.locator("td.line a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  const memories = short ? each.filter((address) => address?.endsWith("a")) : each; // each text is there twice
  checks.that("there are hostile memories", memories.length >= 5, String(memories.length));
  for (const address of ["/", "/memories", "/memories?q=script", "/plan", "/review", "/forecast", "/links", "/runs", "/trends", ...memories, ...memories.map((m) => m.replace("/memories/", "/links?id="))]) {
    const answer = await page.goto(server.origin + address);
    const { made, wider, ran, bytes } = await page.evaluate(() => ({
      made: document.querySelectorAll("script, img, iframe, style, b, marquee, object, embed, [onerror], [onload], [style]").length - 1,
      wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      ran: "ran" in window,
      bytes: document.documentElement.outerHTML.length,
    }));
    checks.that(`${address} of hostile memories is text`, answer?.status() === 200 && made === 0 && !ran, `status ${answer?.status()}, ${made} elements, ran ${ran}`);
    checks.that(`${address} of hostile memories fits`, wider <= 0 && bytes <= 300_000, `${wider} px too wide, ${bytes} bytes`);
  }
  await context.close();
}
