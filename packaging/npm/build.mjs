// Makes the npm packages: one for each platform, which carries its program, and one that
// depends on them and starts the right one. No script runs when they are installed.
//
//   node build.mjs PROGRAMS OUT VERSION
//
// PROGRAMS holds <goos>-<goarch>/memory[.exe], as packaging/release.sh makes them. The packages
// are written to OUT as tarballs, by npm pack.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const [programs, out, version] = process.argv.slice(2);
if (!version) {
  console.error("usage: node build.mjs PROGRAMS OUT VERSION");
  process.exit(2);
}
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const root = path.join(here, "../..");
// How Node names what Go builds for.
const platforms = { linux: "linux", darwin: "darwin", windows: "win32" };
const cpus = { amd64: "x64", arm64: "arm64" };

const about = {
  version,
  description: "Keeps folders of coding agents' memories healthy",
  license: "Apache-2.0",
  repository: { type: "git", url: "git+https://github.com/memoryd/memoryd.git" },
};
const work = fs.mkdtempSync(path.join(os.tmpdir(), "memory-npm-"));
try {
  const carried = {};
  for (const built of fs.readdirSync(programs).sort()) {
    const [goos, goarch] = built.split("-");
    const [platform, cpu] = [platforms[goos], cpus[goarch]];
    if (!platform || !cpu) throw new Error(`${built}: npm has no name for this platform`);
    const program = goos === "windows" ? "memory.exe" : "memory";
    const name = `@memoryd/memory-${platform}-${cpu}`;
    carried[name] = version;
    pack({ ...about, name, os: [platform], cpu: [cpu], files: ["bin"], preferUnplugged: true },
      { [`bin/${program}`]: fs.readFileSync(path.join(programs, built, program)) });
  }
  pack({ ...about, name: "@memoryd/memory", bin: { memory: "memory.js" }, files: ["memory.js"], engines: { node: ">=18" }, optionalDependencies: carried },
    { "memory.js": fs.readFileSync(path.join(here, "memory.js")), "README.md": fs.readFileSync(path.join(root, "README.md")) });
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}

// pack makes the tarball of a package of these files.
function pack(manifest, files) {
  const dir = path.join(work, manifest.name);
  for (const [name, text] of Object.entries({ ...files, LICENSE: fs.readFileSync(path.join(root, "LICENSE")), "package.json": JSON.stringify(manifest, null, 2) + "\n" })) {
    fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    fs.writeFileSync(path.join(dir, name), text, { mode: name.startsWith("bin/") || name === "memory.js" ? 0o755 : 0o644 });
  }
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["pack", "--silent", "--pack-destination", path.resolve(out)], { cwd: dir, stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" });
}
