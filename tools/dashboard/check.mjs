// Drives the dashboard as a person would, and as an attacker would. Prints one line for each check that fails, and how many there were.
import path from "node:path";
import { attack, hostile } from "./attack.mjs";
import { Checks, launch, memory, prepareStory, serve } from "./browser.mjs";
import { apply, conflicts, review } from "./decide.mjs";
import { changes, keys } from "./live.mjs";
import { lookAtAll, lookAtNothing } from "./look.mjs";

const short = process.argv.includes("--short");
const workspace = (name) => path.join(process.env.WORK, name);
const checks = new Checks();
const browser = await launch();

/** What is done with each workspace. */
const parts = {
  async story(name) {
    const story = await prepareStory(workspace(name));
    let server = await serve(story);
    await lookAtAll(checks, browser, server, short);
    await keys(checks, browser, server);
    await apply(checks, browser, server, story);
    server = await changes(checks, browser, server, story, () => serve(story, { port: server.port }));
    await server.stop();
  },
  async empty(name) {
    await memory(workspace(name), "init", "--no-hosts", "--quiet");
    const server = await serve(workspace(name));
    await lookAtNothing(checks, browser, server, short);
    await server.stop();
  },
  async pairs(name) {
    await memory(workspace(name), "consolidate", "--max", "1000", "--quiet");
    const server = await serve(workspace(name));
    await review(checks, browser, server, short ? 10 : 50, !short);
    await server.stop();
  },
  async conflicts(name) {
    await memory(workspace(name), "reindex", "--quiet");
    const server = await serve(workspace(name));
    await conflicts(checks, browser, server, workspace(name));
    await server.stop();
  },
  async hostile(name) {
    const [server, unguarded] = await Promise.all([serve(workspace(name)), serve(workspace(name), { args: ["--allow-host", "evil.example"] })]);
    await hostile(checks, browser, server, short);
    await attack(checks, browser, server, unguarded);
    await Promise.all([server.stop(), unguarded.stop()]);
  },
};

// How long the long form takes to decide fifty pairs is measured, so that nothing else runs beside it.
const begun = Object.entries(parts).map(([name, part]) => () => part(name));
if (short) await Promise.all(begun.map((part) => part()));
else for (const part of begun) await part();

for (const name of ["story", "pairs", "hostile"]) {
  await memory(workspace(name), "reindex", "--quiet");
  await memory(workspace(name), "check", "--quiet").catch((e) => checks.that(`${name} is sound at the end`, false, e.message));
}
await browser.close();
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exit(checks.failed || checks.passed < 200 ? 1 : 0);
