import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { withService } from "../service.ts";
import { createDemoWorkspace } from "./demo/demo-workspace.ts";
import { demoPages } from "./demo/pages.ts";
import { openSignedIn } from "./demo/signed-in.ts";

/*
 * Takes pictures of every page of a filled workspace but the documentation, wide and narrow, light and dark, into docs/pictures:
 * `npm run pictures -- [--page calendar] [origin of a running service]`. Fails if they are larger than 4.5 MB together.
 */

const FOLDER = join(import.meta.dirname, "..", "..", "docs", "pictures");
const MAX_TOTAL_BYTES = 4_500_000;
const MAX_HEIGHT = 1500;
const QUALITY = 0.3;

const FORMS = [
  { form: "1280-light", width: 1280, height: 900, colorScheme: "light" },
  { form: "1280-dark", width: 1280, height: 900, colorScheme: "dark" },
  { form: "390-light", width: 390, height: 844, colorScheme: "light" },
  { form: "390-dark", width: 390, height: 844, colorScheme: "dark" },
] as const;

const { values, positionals } = parseArgs({
  options: { page: { type: "string", multiple: true } },
  allowPositionals: true,
});
const isWanted = (name: string) => values.page?.includes(name) ?? !/^docs\b/.test(name);

/** Those that a browser would load only when somebody scrolls to them. */
const LOAD_IMAGES = `Promise.allSettled([...document.images].map((image) => {
  image.loading = "eager";
  return image.decode();
}))`;

/** The browser encodes: a picture as WebP is a quarter of the PNG. */
async function toWebp(encoder: Page, png: Buffer): Promise<Buffer> {
  const base64 = await encoder.evaluate<string>(`(async () => {
    const bytes = Uint8Array.fromBase64("${png.toString("base64")}");
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: ${QUALITY} });
    return new Uint8Array(await blob.arrayBuffer()).toBase64();
  })()`);
  return Buffer.from(base64, "base64");
}

async function takePictures(origin: string, browser: Browser): Promise<number> {
  const workspace = await createDemoWorkspace(origin);
  const encoder = await browser.newPage();
  let total = 0;
  for (const { form, width, height, colorScheme } of FORMS) {
    const options = { viewport: { width, height }, colorScheme };
    const signedIn = await openSignedIn(browser, origin, workspace, options);
    const stranger = await browser.newContext(options);
    for (const { name, path, isPublic } of demoPages(workspace).filter((page) => isWanted(page.name))) {
      const page = await (isPublic ? stranger : signedIn).newPage();
      await page.goto(origin + path, { waitUntil: "networkidle" });
      const pageHeight = await page.evaluate<number>("document.documentElement.scrollHeight");
      // A window as high as the page: parts that stick to its edge are where they are at the end of scrolling.
      await page.setViewportSize({ width, height: Math.min(MAX_HEIGHT, Math.max(height, pageHeight)) });
      await page.evaluate(LOAD_IMAGES);
      const png = await page.screenshot();
      if (process.env["SHOTS"] !== undefined) {
        await writeFile(join(process.env["SHOTS"], `${name}-${form}.png`), png);
      }
      const webp = await toWebp(encoder, png);
      total += webp.length;
      await writeFile(join(FOLDER, `${name}-${form}.webp`), webp);
      await page.close();
    }
    await signedIn.close();
    await stranger.close();
  }
  return total;
}

if (values.page === undefined) {
  await rm(FOLDER, { recursive: true, force: true });
}
await mkdir(FOLDER, { recursive: true });
const total = await withService(positionals[0], async (origin) => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    return await takePictures(origin, browser);
  } finally {
    await browser.close();
  }
});
console.log(`docs/pictures: ${Math.round(total / 1000)} KB`);
process.exitCode = total < MAX_TOTAL_BYTES ? 0 : 1;
