import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { CspEvaluator } from "csp_evaluator";
import { Severity } from "csp_evaluator/dist/finding.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import type { BrowserContext, Page } from "playwright-core";
import { findCalendarOutliers } from "./calendar-geometry.ts";

interface CheckerOptions {
  readonly origin: string;
  readonly name: string;
  readonly hasScript: boolean;
}

const SCREENSHOT_FOLDER = process.env["SHOTS"];

const HTML_CODE_SNIFFER = await readFile(
  fileURLToPath(import.meta.resolve("@pa11y/html_codesniffer/build/HTMLCS.js")),
  "utf8",
);
/** Its errors, without warnings and notices. */
const SNIFF = `new Promise((resolve) => HTMLCS.process("WCAG2AA", document, () => resolve(
  HTMLCS.getMessages()
    .filter(({ type }) => type === HTMLCS.ERROR)
    .map(({ code, msg, element }) => code + ": " + msg + " " + element.outerHTML.slice(0, 160)))))`;

/** A browser window that records accessibility findings, weak policies, console errors and failed expectations. */
export class PageChecker {
  readonly findings: string[] = [];
  readonly options: CheckerOptions;
  readonly context: BrowserContext;
  readonly page: Page;

  private constructor(options: CheckerOptions, context: BrowserContext, page: Page) {
    this.options = options;
    this.context = context;
    this.page = page;
  }

  static async start(context: BrowserContext, options: CheckerOptions): Promise<PageChecker> {
    const page = await context.newPage();
    // Colours that are still changing are not measured.
    await page.emulateMedia({ reducedMotion: "reduce" });
    page.setDefaultTimeout(10_000);
    const checker = new PageChecker(options, context, page);
    page.on("pageerror", (error) => checker.report(`script error: ${error.message}`));
    page.on("console", (message) => {
      // A refused form responds with 400, which the browser reports in its console.
      const refusedForm = /Failed to load resource.* 400 /.test(message.text());
      if (["error", "warning"].includes(message.type()) && !refusedForm) {
        checker.report(`console: ${message.text()}`);
      }
    });
    return checker;
  }

  get origin(): string {
    return this.options.origin;
  }

  report(text: string): void {
    this.findings.push(`[${this.options.name}] ${this.page.url()}: ${text}`);
  }

  expect(expectation: string, condition: boolean): void {
    if (!condition) {
      this.report(`expected: ${expectation}`);
    }
  }

  /** Opens a page that must be there, and checks its policy. */
  async open(path: string): Promise<void> {
    const response = await this.page.goto(`${this.origin}${path}`);
    this.expect(`status 200, not ${response?.status()}`, response?.status() === 200);
    const { csp } = new CspParser(response?.headers()["content-security-policy"] ?? "");
    for (const { severity, description, directive } of new CspEvaluator(csp).evaluate()) {
      if (severity < Severity.MEDIUM) {
        this.report(`csp ${directive}: ${description}`);
      }
    }
  }

  /** Checks the current page: accessibility, horizontal overflow; takes a screenshot. */
  async checkPage(name: string): Promise<void> {
    const { page, options } = this;
    // An element can be there before the stylesheet is: its colours would be the browser's own.
    await page.waitForLoadState("load");
    // The checkers need JavaScript; without it the pages have the same markup.
    const problems = options.hasScript
      ? [...(await findAxeProblems(page)), ...(await findSnifferProblems(page)), ...(await findCalendarOutliers(page))]
      : [];
    for (const problem of problems) {
      this.report(`${name}: ${problem}`);
    }
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    this.expect(`${name} fits the viewport; its width is ${width}`, width <= (page.viewportSize()?.width ?? 0));
    if (SCREENSHOT_FOLDER !== undefined) {
      await page.screenshot({ path: join(SCREENSHOT_FOLDER, `${name}-${options.name}.png`), fullPage: true });
    }
  }
}

async function findAxeProblems(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `axe ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

async function findSnifferProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(HTML_CODE_SNIFFER);
  return await page.evaluate<readonly string[]>(SNIFF);
}
