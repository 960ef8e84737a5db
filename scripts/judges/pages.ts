import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { AxeBuilder } from "@axe-core/playwright";
import { CspEvaluator } from "csp_evaluator";
import { Severity } from "csp_evaluator/dist/finding.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import pa11y from "pa11y";
import { type Browser, chromium, type Page, type Response } from "playwright-core";
import { withService } from "../service.ts";
import { findFirefoxProblems } from "./browser/firefox-pages.ts";
import { createDemoWorkspace, type DemoWorkspace } from "./demo/demo-workspace.ts";
import { demoPages } from "./demo/pages.ts";
import { launchPuppeteer, openPuppeteerPage } from "./demo/puppeteer-page.ts";
import { signInCookie } from "./demo/sign-in-cookie.ts";
import { openSignedIn } from "./demo/signed-in.ts";

/*
 * Checks every page of a filled workspace, light and dark, with axe and pa11y, its policy with Google's CSP evaluator, its console in
 * Chromium and in Firefox ESR, and prints what it weighs: `npm run pages -- [--short] [--page webhook] [origin of a running service]`. The
 * short form leaves out Firefox, and the dark form for pa11y.
 */

const COLOR_SCHEMES = ["light", "dark"] as const;
type ColorScheme = (typeof COLOR_SCHEMES)[number];

const {
  values: { short: isShort, page: wanted },
  positionals: [runningOrigin],
} = parseArgs({
  options: { short: { type: "boolean", default: false }, page: { type: "string", multiple: true } },
  allowPositionals: true,
});

/** All pages, or those that were asked for. */
const wantedPages = (workspace: DemoWorkspace) =>
  demoPages(workspace).filter(({ name }) => wanted?.includes(name) ?? true);

const PA11Y_TIMEOUT_MS = 60_000;

async function findAxeProblems(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `axe ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

/** Runs pa11y (HTML_CodeSniffer and axe, WCAG 2 AA) over every page; returns its errors. */
async function findPa11yProblems(
  origin: string,
  workspace: DemoWorkspace,
  colorSchemes: readonly ColorScheme[],
): Promise<readonly string[]> {
  const cookie = await signInCookie(origin, workspace);
  const browser = await launchPuppeteer();
  const findings: string[] = [];
  try {
    for (const colorScheme of colorSchemes) {
      for (const { name, path, isPublic } of wantedPages(workspace)) {
        const page = await openPuppeteerPage(browser);
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: colorScheme }]);
        await page.setExtraHTTPHeaders(isPublic ? {} : { cookie });
        const { issues } = await pa11y(origin + path, {
          browser,
          page,
          standard: "WCAG2AA",
          runners: ["htmlcs", "axe"],
          viewport: { width: 1280, height: 900 },
          timeout: PA11Y_TIMEOUT_MS,
          // What axe cannot compute is no finding of axe: the contrast of text in drawings and in a closed menu.
          levelCapWhenNeedsReview: "warning",
        });
        for (const { runner, code, message, selector, context } of issues) {
          findings.push(
            `${name} (${colorScheme}): pa11y ${runner} ${code}: ${message} ${selector} ${context?.slice(0, 160)}`,
          );
        }
        await page.close();
      }
    }
  } finally {
    await browser.close();
  }
  return findings;
}

function findPolicyProblems(policy: string): readonly string[] {
  return new CspEvaluator(new CspParser(policy).csp)
    .evaluate()
    .filter(({ severity }) => severity < Severity.MEDIUM)
    .map(({ description, directive }) => `csp ${directive}: ${description}`);
}

const sizeOf = async (response: Response): Promise<number> =>
  gzipSync(await response.body().catch(() => Buffer.alloc(0))).length;

/** The compressed sizes of what a page loads from the service, by kind. */
async function weigh(responses: readonly Response[]): Promise<Record<"document" | "stylesheet" | "script", number>> {
  const weights = { document: 0, stylesheet: 0, script: 0 };
  for (const response of responses) {
    const kind = response.request().resourceType();
    if (kind === "document" || kind === "stylesheet" || kind === "script") {
      weights[kind] += await sizeOf(response);
    }
  }
  return weights;
}

async function checkPages(origin: string, workspace: DemoWorkspace, browser: Browser): Promise<string[]> {
  const findings: string[] = [];
  console.log("page             html     css      js   (bytes, compressed)");
  for (const colorScheme of COLOR_SCHEMES) {
    const options = { colorScheme, viewport: { width: 1280, height: 900 } };
    const signedIn = await openSignedIn(browser, origin, workspace, options);
    const stranger = await browser.newContext(options);
    for (const { name, path, isPublic } of wantedPages(workspace)) {
      const page = await (isPublic ? stranger : signedIn).newPage();
      const report = (text: string) => findings.push(`${name} (${colorScheme}): ${text}`);
      const responses: Response[] = [];
      page.on("response", (response) => responses.push(response));
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) {
          report(`console: ${message.text()}`);
        }
      });
      page.on("pageerror", (error) => report(`script error: ${error.message}`));
      const response = await page.goto(origin + path, { waitUntil: "networkidle" });
      if (response?.status() !== 200) {
        report(`status ${response?.status()}`);
      }
      for (const problem of [
        ...(await findAxeProblems(page)),
        ...findPolicyProblems(response?.headers()["content-security-policy"] ?? ""),
      ]) {
        report(problem);
      }
      if (colorScheme === "light") {
        const { document, stylesheet, script } = await weigh(responses);
        console.log(
          [name.padEnd(14), ...[document, stylesheet, script].map((size) => String(size).padStart(7))].join(" "),
        );
      }
      await page.close();
    }
    await signedIn.close();
    await stranger.close();
  }
  return findings;
}

const findings = await withService(runningOrigin, async (origin) => {
  const workspace = await createDemoWorkspace(origin);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    return [
      ...(await checkPages(origin, workspace, browser)),
      ...(await findPa11yProblems(origin, workspace, isShort ? ["light"] : COLOR_SCHEMES)),
      ...(isShort ? [] : await findFirefoxProblems(origin, workspace)),
    ];
  } finally {
    await browser.close();
  }
});
for (const finding of findings) {
  console.error(finding);
}
console.log(findings.length === 0 ? "no findings" : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
