import { type Browser, launch, type Page } from "puppeteer-core";
import { AVATAR } from "./avatar.ts";

/* Lighthouse drives the browser with Puppeteer. */

export const launchPuppeteer = (): Promise<Browser> =>
  launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

/** A page in which the avatars of simulated platforms load. */
export async function openPuppeteerPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  const session = await page.createCDPSession();
  // Only requests to other hosts pause; requests to the service keep their speed.
  await session.send("Fetch.enable", { patterns: [{ urlPattern: "https://*" }] });
  session.on("Fetch.requestPaused", ({ requestId }) => {
    void session.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: "content-type", value: "image/svg+xml" }],
      body: Buffer.from(AVATAR).toString("base64"),
    });
  });
  return page;
}
