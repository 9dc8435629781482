// What the checks, the pictures and the budgets share: a server of a workspace, and a browser that has opened its link.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";

const { BROWSER, MEMORY, WORK } = process.env;

/** When the story of the sample plays. */
const storyTime = "2026-03-01T09:00:00Z";
const patience = 120_000; // in milliseconds: the machine may be busy
const token = "a token of the checks 0123456789";
const tokenFile = path.join(WORK, "token");
fs.writeFileSync(tokenFile, token + "\n", { mode: 0o600 });

export const pages = {
  overview: "/", review: "/review", plan: "/plan", memories: "/memories", runs: "/runs", forecast: "/forecast",
  links: "/links", trends: "/trends?days=365", receipts: "/receipts", schedules: "/schedules",
};

/** Runs a command of memory. */
export function memory(workspace, ...args) {
  return new Promise((done, failed) => {
    const child = spawn(MEMORY, [...args, "--workspace", workspace], { env: environment(storyTime), stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (text) => { said += text; });
    child.on("exit", (code) => (code === 0 ? done() : failed(new Error(`memory ${args.join(" ")}: ${said}`))));
  });
}

/** Gives the story a past: a run, a summary of a cluster, an edge that a person has stated, and sessions that were given memories. */
export async function prepareStory(workspace) {
  await memory(workspace, "consolidate", "--max", "4", "--quiet");
  await memory(workspace, "enrich", "--quiet");
  await memory(workspace, "link", "mem_hotfixrefoq4", "DEPENDS_ON", "mem_flamegraqlas", "--quiet");
  for (const [session, agent] of [["checkout-1", "DEV-001"], ["checkout-2", "QA-001"]]) {
    await memory(workspace, "context", "--session", session, "--agent", agent, "--budget", "600", "--quiet");
  }
  return workspace;
}

function environment(at) {
  return { ...process.env, XDG_CACHE_HOME: path.join(WORK, "cache"), ...(at ? { MEMORY_AT: at } : {}) };
}

/** Serves a workspace. The link of what it gives works once. */
export async function serve(workspace, { args = [], port = 0, at = storyTime } = {}) {
  const child = spawn(MEMORY, ["serve", "--workspace", workspace, "--addr", `127.0.0.1:${port}`, "--token-file", tokenFile, ...args], { env: environment(at), stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("exit", done));
  const link = await new Promise((done, failed) => {
    child.stdout.on("data", (text) => done(String(text).split("\n")[0]));
    child.on("exit", (code) => failed(new Error(`memory serve ended with ${code}`)));
  });
  const url = new URL(link);
  return {
    link, origin: url.origin, port: Number(url.port), headers: { Authorization: `Bearer ${token}` },
    /** A new link. */
    async open() {
      const answer = await fetch(`${url.origin}/api/v1/key`, { method: "POST", headers: { Authorization: `Bearer ${token}` } });
      return (await answer.json()).url;
    },
    async stop(signal = "SIGTERM") { child.kill(signal); await ended; },
  };
}

/**
 * What of the browser is left out. For each window, so for each context, Chromium loads the list below its address bar, a page of 140 scripts, beside
 * the page that is measured and checked. The rest asks other hosts, or changes what is asked for; playwright-core names these too, but the last such list counts.
 */
const leftOut = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "PreloadTopChromeWebUI", "HttpsUpgrades", "MediaRouter", "OptimizationHints", "Translate"];

/** Opens a browser; a name is mapped to this machine, as a hostile page might have it. */
export function launch() {
  return chromium.launch({
    executablePath: BROWSER,
    args: ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--host-resolver-rules=MAP evil.example 127.0.0.1", `--disable-features=${leftOut.join(",")}`],
  });
}

/** Waits until what do does has led to another page. */
export async function leads(page, act) {
  const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: "load" }), act()]);
  return answer;
}

/** The addresses of all pages, and of one memory, run, action and so on. Each page of the menu where there is nothing more. */
export async function addresses(page, origin) {
  const first = async (at, selector) => {
    await page.goto(origin + at);
    const found = page.locator(selector).first();
    return (await found.count()) ? found.getAttribute("href") : null;
  };
  // What needs all memories is worked out next to the requests: on a busy machine the page has it a moment later.
  const computed = async (at, selector) => {
    for (const end = Date.now() + patience; Date.now() < end; await page.waitForTimeout(500)) {
      const found = await first(at, selector);
      if (found) return found;
    }
    return null;
  };
  const all = {
    ...pages,
    search: "/memories?q=export&state=all",
    memory: await first("/memories", "td.line a"),
    archived: await first("/memories?state=archived", "td.line a"),
    action: await first("/plan", "article.action a:has-text('word by word')"),
    run: await first("/runs", "td.when a"),
    undo: await first("/runs", "td.when a").then((run) => run && first(run, "a[data-key=u]")),
    links: await first("/links", "main ul.plain a"),
    group: await first("/review", "a[href*='group=']"),
    schedule: "/schedules?key=schedules.nightly&when=daily+02:00",
    day: await computed("/forecast", ".months a"),
    receipt: await first("/receipts", "td.when a"),
  };
  for (const [name, address] of Object.entries(all)) if (!address) delete all[name];
  return all;
}

/** Counts what holds and what doesn't, and names the latter. */
export class Checks {
  passed = 0;
  failed = 0;

  that(name, ok, detail = "") {
    if (ok) this.passed++;
    else { this.failed++; console.log(`FAIL ${name} ${detail}`); }
  }

  /** Holds against a page what must never happen on one: words on the console, errors, requests to others. What is expected is given as a pattern. */
  watch(page, origin, expected = /$^/) {
    page.context().setDefaultTimeout(patience);
    const tell = (text) => { if (!expected.test(text)) this.that("nothing goes wrong in the browser", false, `${page.url()}: ${text}`); };
    page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") tell(m.text()); });
    page.on("pageerror", (e) => tell(e.message));
    page.on("request", (r) => { if (new URL(r.url()).origin !== origin && !r.url().startsWith("data:")) tell(`asked ${r.url()}`); });
  }
}
