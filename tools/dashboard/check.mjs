// Drives the dashboard as a person would, and as an attacker would. Prints one line for each check that fails, and how many there were.
import fs from "node:fs";
import path from "node:path";
import { attack, hostile } from "./attack.mjs";
import { Checks, launch, memory, prepareStory, serve } from "./browser.mjs";
import { apply, review } from "./decide.mjs";
import { changes, keys } from "./live.mjs";
import { lookAtAll, lookAtNothing } from "./look.mjs";

const short = process.argv.includes("--short");
const workspace = (name) => path.join(process.env.WORK, name);
const checks = new Checks();
const browser = await launch();

const story = await prepareStory(workspace("story"));
let server = await serve(story);
await lookAtAll(checks, browser, server, short);
await keys(checks, browser, server);
await apply(checks, browser, server, story);
server = await changes(checks, browser, server, story, () => serve(story, { port: server.port }));
const unguarded = await serve(story, { args: ["--allow-host", "evil.example"] });
await attack(checks, browser, server, unguarded);
await Promise.all([server.stop(), unguarded.stop()]);

const empty = workspace("empty");
fs.mkdirSync(empty);
server = await serve(empty);
await lookAtNothing(checks, browser, server, short);
await server.stop();

const pairs = workspace("pairs");
await memory(pairs, "consolidate", "--limit", "1000", "--quiet");
server = await serve(pairs);
await review(checks, browser, server, short ? 10 : 50);
await server.stop();

server = await serve(workspace("hostile"));
await hostile(checks, browser, server);
await server.stop();

for (const name of ["story", "pairs", "hostile"]) {
  await memory(workspace(name), "reindex", "--quiet");
  await memory(workspace(name), "check", "--quiet").catch((e) => checks.that(`${name} is sound at the end`, false, e.message));
}
await browser.close();
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exit(checks.failed || checks.passed < 100 ? 1 : 0);
