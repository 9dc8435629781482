// Takes the pictures in docs/dashboard/: each page, light and dark.
import fs from "node:fs";
import { addresses, launch } from "./browser.mjs";

const link = process.argv[2];
const origin = new URL(link).origin;
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1120, height: 760 } });
await page.goto(link);
fs.mkdirSync(process.env.OUT, { recursive: true });
for (const [name, path] of Object.entries(await addresses(page, origin))) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.goto(origin + path);
    await page.screenshot({ path: `${process.env.OUT}/${name}-${colorScheme}.png` });
  }
}
await browser.close();
