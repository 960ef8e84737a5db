import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";
import { runConnectFlow } from "./browser/connect-flow.ts";
import { runConsentFlow } from "./browser/consent-flow.ts";
import { runDocsFlow } from "./browser/docs-flow.ts";
import { runPasskeyFlow } from "./browser/passkey-flow.ts";
import { runAccountPages } from "./browser/account-pages.ts";
import { runLiveCheck } from "./browser/live-check.ts";
import { PageChecker } from "./browser/page-checker.ts";
import { withService } from "../service.ts";

/*
 * Drives the account pages and the documentation in Chromium, with and without JavaScript: `npm run browser -- [origin of a
 * running service]`. Fails on any axe finding, console error or violation of the content policy.
 * `SHOTS=<folder>` saves screenshots.
 */

const screenshotFolder = process.env["SHOTS"] ?? null;
if (screenshotFolder !== null) {
  await mkdir(screenshotFolder, { recursive: true });
}

const WINDOWS = [
  ["script, light", { javaScriptEnabled: true, colorScheme: "light", viewport: { width: 1280, height: 900 } }],
  ["script, dark, phone", { javaScriptEnabled: true, colorScheme: "dark", viewport: { width: 390, height: 844 } }],
  ["no script", { javaScriptEnabled: false, colorScheme: "light", viewport: { width: 1280, height: 900 } }],
] as const;

/** All that one window checks, in a browser of its own: windows of one browser share its clipboard. */
async function checkInWindow(origin: string, [name, options]: (typeof WINDOWS)[number]): Promise<readonly string[]> {
  const started = Date.now();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const checker = await PageChecker.start(browser, { origin, name, screenshotFolder, contextOptions: options });
    const user = {
      email: `user-${randomBytes(6).toString("hex")}@example.com`,
      password: `correct horse ${randomBytes(6).toString("hex")}`,
    };
    // First, because a browser in which another user is signed in is refused.
    await runConnectFlow(checker);
    await checker.open("/");
    await checker.checkPage("front");
    await runAccountPages(checker, user);
    await runConsentFlow(checker);
    await runDocsFlow(checker);
    if (options.javaScriptEnabled) {
      await runLiveCheck(checker);
      await runPasskeyFlow(checker, user);
    }
    const findings = await checker.finish();
    console.log(`${name}: done in ${Date.now() - started} ms`);
    return findings;
  } finally {
    await browser.close();
  }
}

/** The windows at the same time: each has its own user, and most of its time is waiting. */
async function checkPages(origin: string): Promise<string[]> {
  const checks = await Promise.allSettled(WINDOWS.map((window) => checkInWindow(origin, window)));
  return checks.flatMap((check, at) =>
    check.status === "fulfilled" ? check.value : [`[${WINDOWS[at]?.[0]}] stopped: ${String(check.reason)}`],
  );
}

const findings = await withService(process.argv[2], checkPages);
for (const finding of findings) {
  console.error(finding);
}
console.log(findings.length === 0 ? "no findings" : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
