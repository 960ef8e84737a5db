import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { withService } from "../service.ts";
import { AVATAR } from "./demo/avatar.ts";
import { createDemoWorkspace, type DemoWorkspace } from "./demo/demo-workspace.ts";
import { demoPages } from "./demo/pages.ts";
import { openSignedIn } from "./demo/signed-in.ts";
import { runAccountPages } from "./pages/account-pages.ts";
import { runChoiceFlow } from "./pages/choice-flow.ts";
import { runConnectFlow } from "./pages/connect-flow.ts";
import { runConsentFlow } from "./pages/consent-flow.ts";
import { runDocsFlow } from "./pages/docs-flow.ts";
import { findFirefoxProblems } from "./pages/firefox-pages.ts";
import { runLiveCheck } from "./pages/live-check.ts";
import { PageChecker } from "./pages/page-checker.ts";
import { runPasskeyFlow } from "./pages/passkey-flow.ts";
import { runSelectionFlow } from "./pages/selection-flow.ts";

/*
 * Checks the pages in Chromium: `npm run pages -- [--short] [--page webhook] [origin of a running service]`. Three windows walk through
 * connecting, signing up, consent, the documentation and the composer; two more open every page of a filled workspace, light and dark.
 * Fails on a finding of axe or HTML CodeSniffer, a weak or violated policy, a page wider than its window, a console error or an
 * expectation that does not hold. Firefox ESR opens every page too, but not in the short form. `--page` checks only these of the
 * workspace; `SHOTS=<folder>` saves screenshots.
 */

const WINDOWS = [
  ["script-light", { javaScriptEnabled: true, colorScheme: "light", viewport: { width: 1280, height: 900 } }],
  ["script-dark-phone", { javaScriptEnabled: true, colorScheme: "dark", viewport: { width: 390, height: 844 } }],
  ["no-script", { javaScriptEnabled: false, colorScheme: "light", viewport: { width: 1280, height: 900 } }],
] as const;
const COLOR_SCHEMES = ["light", "dark"] as const;

const {
  values: { short: isShort, page: wanted },
  positionals: [runningOrigin],
} = parseArgs({
  options: { short: { type: "boolean", default: false }, page: { type: "string", multiple: true } },
  allowPositionals: true,
});

const launch = (): Promise<Browser> => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

/** What a person does, in a browser of its own: windows of one browser share its clipboard. */
async function walkInWindow(origin: string, [name, options]: (typeof WINDOWS)[number]): Promise<readonly string[]> {
  const browser = await launch();
  try {
    const context = await browser.newContext({ ...options, permissions: ["clipboard-read", "clipboard-write"] });
    // Pictures of accounts at the simulated platforms; no request leaves the machine.
    await context.route(
      (url) => url.origin !== origin && url.hostname !== "127.0.0.1",
      (route) => route.fulfill({ contentType: "image/svg+xml", body: AVATAR }),
    );
    // The web app of the tests is served here.
    await context.route("https://app.example/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: "<!doctype html><html lang=en><title>App</title><h1>App</h1></html>",
      }),
    );
    const checker = await PageChecker.start(context, { origin, name, hasScript: options.javaScriptEnabled });
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
    return checker.findings;
  } finally {
    await browser.close();
  }
}

/** Every page of the workspace, or those that are wanted. */
async function openEveryPage(
  origin: string,
  workspace: DemoWorkspace,
  colorScheme: (typeof COLOR_SCHEMES)[number],
): Promise<readonly string[]> {
  const browser = await launch();
  try {
    const options = { colorScheme, viewport: { width: 1280, height: 900 } };
    const start = { origin, name: `1280-${colorScheme}`, hasScript: true };
    const signedIn = await PageChecker.start(await openSignedIn(browser, origin, workspace, options), start);
    const stranger = await PageChecker.start(await browser.newContext(options), start);
    for (const { name, path, isPublic } of demoPages(workspace)) {
      if (wanted?.includes(name) ?? true) {
        const checker = isPublic ? stranger : signedIn;
        await checker.open(path);
        await checker.page.waitForLoadState("networkidle");
        await checker.checkPage(name);
      }
    }
    if (wanted?.includes("accounts-choice") ?? true) {
      await runChoiceFlow(signedIn);
    }
    if (wanted?.includes("selection") ?? true) {
      await runSelectionFlow(signedIn, workspace);
    }
    return [...signedIn.findings, ...stranger.findings];
  } finally {
    await browser.close();
  }
}

async function checkWorkspace(origin: string): Promise<readonly string[]> {
  const workspace = await createDemoWorkspace(origin);
  const findings = await Promise.all(COLOR_SCHEMES.map((scheme) => openEveryPage(origin, workspace, scheme)));
  return [...findings.flat(), ...(isShort ? [] : await findFirefoxProblems(origin, workspace))];
}

if (process.env["SHOTS"] !== undefined) {
  await mkdir(process.env["SHOTS"], { recursive: true });
}
const findings = await withService(runningOrigin, async (origin) => {
  const walks = wanted === undefined ? WINDOWS.map((window) => walkInWindow(origin, window)) : [];
  const checks = await Promise.allSettled([checkWorkspace(origin), ...walks]);
  return checks.flatMap((check) =>
    check.status === "fulfilled" ? check.value : [`stopped: ${(check.reason as Error).stack}`],
  );
});
for (const finding of findings) {
  console.error(finding);
}
console.log(findings.length === 0 ? "no findings" : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
