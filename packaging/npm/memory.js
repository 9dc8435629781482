#!/usr/bin/env node
// Runs the program of this platform, which an optional dependency carries.
"use strict";
const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;
const name = `@memoryd/memory-${platform}`;
let program;
try {
  program = require.resolve(`${name}/bin/memory${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`memory: the package ${name} is not installed
hint: install again without --omit=optional; if there is no such package, nothing is built for ${platform}: see docs/install.md for other ways`);
  process.exit(1);
}
// The program stands between the terminal and this process: signals reach it by itself.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
// MEMORY_LAUNCHER tells it that not this process is the host of a session, but the one above.
const env = { ...process.env, MEMORY_LAUNCHER: String(process.pid) };
const result = spawnSync(program, process.argv.slice(2), { stdio: "inherit", env });
if (result.error) {
  console.error(`memory: start ${program}: ${result.error.message}`);
  process.exit(1);
}
process.exit(result.signal ? 128 + constants.signals[result.signal] : result.status);
