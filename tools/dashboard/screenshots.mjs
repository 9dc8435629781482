// Takes the pictures in docs/dashboard/: each page, light and dark. With SHOTS=DIR, each page at three widths into that directory.
import fs from "node:fs";
import path from "node:path";
import { addresses, launch, pages, prepareStory, serve } from "./browser.mjs";

const { OUT, SHOTS, WORK } = process.env;
const story = await prepareStory(path.join(WORK, "story"));
const server = await serve(story);
const browser = await launch();
const page = await browser.newPage();
await page.goto(server.link);
const all = await addresses(page, server.origin);
const widths = SHOTS ? [1280, 768, 320] : [1120];
fs.mkdirSync(SHOTS ?? OUT, { recursive: true });
for (const [name, address] of Object.entries(all)) {
  if (!SHOTS && !(name in pages) && name !== "memory") continue;
  for (const width of widths) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 760 });
      await page.emulateMedia({ colorScheme });
      await page.goto(server.origin + address);
      await page.waitForFunction(() => document.querySelector("#connection")?.textContent === "connected" || !document.body.dataset.kinds);
      await page.screenshot({ path: `${SHOTS ?? OUT}/${name}${SHOTS ? `-${width}` : ""}-${colorScheme}.png`, fullPage: Boolean(SHOTS) });
    }
  }
}
await browser.close();
await server.stop();
