import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { AxeBuilder } from "@axe-core/playwright";
import { CspEvaluator } from "csp_evaluator";
import { Severity } from "csp_evaluator/dist/finding.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { type Browser, chromium, type Page, type Response } from "playwright-core";
import { withService } from "../service.ts";
import { createDemoWorkspace } from "./demo/demo-workspace.ts";
import { demoPages } from "./demo/pages.ts";
import { openSignedIn } from "./demo/signed-in.ts";

/*
 * Checks every page of a filled workspace, light and dark, with axe, with HTML_CodeSniffer (WCAG 2 AA), its policy with Google's CSP
 * evaluator, and prints what it weighs: `npm run pages -- [origin of a running service]`.
 */

const htmlCodeSniffer = await readFile(
  createRequire(import.meta.url).resolve("html_codesniffer/build/HTMLCS.js"),
  "utf8",
);

/**
 * Rules of 2011 that know no `aria-label`, no `hidden` and no upload that begins with the choice of files; axe checks names too. The first
 * also refuses the autofill name `username` of an e-mail field, which the HTML standard allows, and lacks the sentence for it.
 */
const IGNORED_RULES = ["1_3_5.H98", "1_1_1.H30.2", "3_2_2.H32.2", "4_1_2.H91.InputText.Name"];

const RUN_CODE_SNIFFER = `const translate = HTMLCS.getTranslation;
HTMLCS.getTranslation = (key) => translate.call(HTMLCS, key) ?? key;
new Promise((resolve) => HTMLCS.process("WCAG2AA", document, () => resolve(
  HTMLCS.getMessages().filter(({ type, code }) => type === HTMLCS.ERROR && !${JSON.stringify(IGNORED_RULES)}.some((rule) => code.endsWith(rule)))
    .map(({ code, msg, element }) => code + " " + msg + " " + (element.outerHTML ?? "").slice(0, 160)))))`;

async function findAccessibilityProblems(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  await page.evaluate(htmlCodeSniffer);
  const sniffed = await page.evaluate<string[]>(RUN_CODE_SNIFFER);
  return [
    ...violations.map(({ id, nodes }) => `axe ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    ...sniffed.map((message) => `htmlcs ${message}`),
  ];
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

async function checkPages(origin: string, browser: Browser): Promise<string[]> {
  const workspace = await createDemoWorkspace(origin);
  const findings: string[] = [];
  console.log("page             html     css      js   (bytes, compressed)");
  for (const colorScheme of ["light", "dark"] as const) {
    const options = { colorScheme, viewport: { width: 1280, height: 900 } };
    const signedIn = await openSignedIn(browser, origin, workspace, options);
    const stranger = await browser.newContext(options);
    for (const { name, path, isPublic } of demoPages(workspace)) {
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
        ...(await findAccessibilityProblems(page)),
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

const findings = await withService(process.argv[2], async (origin) => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    return await checkPages(origin, browser);
  } finally {
    await browser.close();
  }
});
for (const finding of findings) {
  console.error(finding);
}
console.log(findings.length === 0 ? "no findings" : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
