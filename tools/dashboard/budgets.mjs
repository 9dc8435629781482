// How long pages of a workspace of many memories take, against the budgets: answers of the server, and what a person sees in a browser.
// Prints a table; exits with 1 where a budget is not kept.
import path from "node:path";
import { launch, serve } from "./browser.mjs";

const rounds = Number(process.env.ROUNDS ?? 60);
const server = await serve(path.join(process.env.WORK, "many"));
const rows = [];

/** The value below which so many of a hundred lie. @param {number[]} all @param {number} percent */
function quantile(all, percent) {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)];
}

function tell(what, value, budget, unit = "ms") {
  rows.push({ what, value, budget, unit, kept: value <= budget });
  console.log(`| ${what} | ${value.toFixed(value < 10 ? 1 : 0)} ${unit} | ≤ ${budget} ${unit} | ${value <= budget ? "kept" : "NOT KEPT"} |`);
}

async function get(address) {
  const begun = performance.now();
  const answer = await fetch(server.origin + address, { headers: server.headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${text.slice(0, 200)}`);
  return { took: performance.now() - begun, text };
}

const [{ id }] = JSON.parse((await get("/api/v1/list?sort=score")).text);
const words = ["export", "deadline of the release", "port", "checkout latency", "nightly backup", "error budget"];
const some = (n) => (n * 7919) % 100_000;

// What is worked out beside the requests is there when nothing is said of it any more. Until then the overview answers without it.
const waiting = [];
for (const address of ["/", "/forecast"]) {
  for (;;) {
    const answer = await get(address);
    if (!answer.text.includes("being worked out")) break;
    if (address === "/") waiting.push(answer.took);
    await new Promise((done) => setTimeout(done, 200));
  }
}
const addresses = {
  "overview": () => "/", "review": () => "/review", "memories": () => "/memories", "memories, jump anywhere": (n) => `/memories?from=${some(n)}`,
  "memories, filtered": (n) => `/memories?type=${["factual", "semantic", "episodic"][n % 3]}&sort=score`, "memories, search": (n) => `/memories?q=${encodeURIComponent(words[n % words.length])}`,
  "a memory": () => `/memories/${id}`, "runs": () => "/runs", "forecast": () => "/forecast", "links": () => `/links?id=${id}&depth=3`,
  "trends": () => "/trends", "trends, ten years": () => "/trends?days=3660", "receipts": () => "/receipts", "schedules": () => "/schedules",
};
console.log("| what | measured | budget | |\n|---|--:|--:|---|");
let largest = 0;
tell(`overview while a plan is worked out, median of ${waiting.length}`, quantile(waiting, 50), 150);
for (const [name, address] of Object.entries(addresses)) {
  for (let n = 0; n < 6; n++) await get(address(n)); // warm
  const took = [];
  for (let n = 0; n < rounds; n++) {
    const answer = await get(address(n));
    took.push(answer.took);
    largest = Math.max(largest, answer.text.length);
  }
  tell(`${name}, p99 of ${rounds}`, quantile(took, 99), name.endsWith("search") ? 60 : 150);
  if (name.endsWith("anywhere")) tell(`${name}, p95`, quantile(took, 95), 50);
}
const plan = await get("/plan");
largest = Math.max(largest, plan.text.length);
console.log(`| plan (what a plan takes) | ${plan.took.toFixed(0)} ms | | |`);
tell("the largest answer", largest / 1024, 300, "KB");

/** Opens an address in a new browser. */
async function opened(address) {
  const browser = await launch();
  const page = await (await browser.newContext()).newPage();
  const begun = performance.now();
  await page.goto(address, { waitUntil: "load" });
  return { browser, page, took: performance.now() - begun };
}

const bare = await opened(`${server.origin}/healthz`);
await bare.browser.close();
console.log(`| two letters in a cold browser | ${bare.took.toFixed(0)} ms | | |`);
const { browser, page, took } = await opened(await server.open());
tell("first view usable, cold browser", took, 1000);
await page.goto(server.origin + "/memories");
tell("elements of the list", await page.locator("*").count(), 1500, "");
const drawn = async (address) => {
  await page.goto(server.origin + address);
  return page.evaluate(() => {
    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    const start = performance.now();
    main.style.display = "none"; // lay out and paint anew what stands there
    void main.offsetHeight;
    main.style.display = "";
    void main.getBoundingClientRect().height;
    return performance.now() - start;
  });
};
tell("links laid out in the browser", await drawn(`/links?id=${id}&depth=3`), 400);
tell("ten years of days drawn", await drawn("/trends?days=3660"), 40);
await browser.close();
await server.stop();
process.exit(rows.every((row) => row.kept) ? 0 : 1);
