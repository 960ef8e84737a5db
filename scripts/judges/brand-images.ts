import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium, type PageScreenshotOptions } from "playwright-core";

/*
 * Draws `social-card.jpg` (what link previews show) and `favicon.ico` from the icon and the style sheets of the pages:
 * `npm run brand-images`. Run it after a change to the icon, the colours or the drawing of the calendar; the results are committed.
 */

const STATIC = join(import.meta.dirname, "../../src/dashboard/static");
const ICON_SIZE = 32;

const read = (name: string): Promise<string> => readFile(join(STATIC, name), "utf8");

const CARD_CSS = `
  body { display: grid; grid-template-columns: 25rem 1fr; gap: 3.5rem; align-items: center; width: 1200px; height: 630px;
    padding: 0 0 0 4.5rem; overflow: hidden; }
  .brand { font-size: 2.4rem; gap: 1rem; } .brand svg { width: 3.5rem; height: 3.5rem; }
  h1 { font-size: 3.1rem; line-height: 1.1; margin: 2rem 0 1.25rem; } p { font-size: 1.45rem; color: var(--text-muted); }
  .drawing { width: 900px; height: auto; aspect-ratio: 700 / 444; }`;

async function screenshot(
  browser: Browser,
  html: string,
  viewport: { width: number; height: number },
  options: PageScreenshotOptions,
): Promise<Buffer> {
  const page = await browser.newPage({ viewport, colorScheme: "light" });
  await page.setContent(html);
  const image = await page.screenshot(options);
  await page.close();
  return image;
}

/** An icon file with one image, which may be a PNG: https://learn.microsoft.com/previous-versions/ms997538(v=msdn.10) */
function toIco(png: Buffer): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(ICON_SIZE, 6);
  header.writeUInt8(ICON_SIZE, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

const origin = process.argv[2];
if (origin === undefined) {
  throw new Error("usage: npm run brand-images -- <origin of a running service>");
}
const [front, icon, appCss, frontCss] = await Promise.all([
  fetch(origin).then((response) => response.text()),
  read("icon.svg"),
  read("app.css"),
  read("front.css"),
]);
const drawing = /<svg class="drawing".*?<\/svg>/s.exec(front)?.[0];
const title = /property="og:title" content="([^"]+)"/.exec(front)?.[1];
if (drawing === undefined || title === undefined) {
  throw new Error(`${origin} does not serve the front page`);
}
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const card = `<!doctype html><style>${appCss}${frontCss}${CARD_CSS}</style>
    <div><span class="brand">${icon}Almanac</span><h1>${title}</h1><p>Once, on time, exactly as previewed.</p></div>${drawing}`;
  await writeFile(
    join(STATIC, "social-card.jpg"),
    await screenshot(browser, card, { width: 1200, height: 630 }, { type: "jpeg", quality: 74 }),
  );
  const favicon = `<!doctype html><style>body{margin:0}svg{display:block;width:${ICON_SIZE}px}</style>${icon}`;
  await writeFile(
    join(STATIC, "favicon.ico"),
    toIco(await screenshot(browser, favicon, { width: ICON_SIZE, height: ICON_SIZE }, { omitBackground: true })),
  );
} finally {
  await browser.close();
}
