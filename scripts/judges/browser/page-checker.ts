import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

interface CheckerOptions {
  readonly origin: string;
  readonly name: string;
  readonly screenshotFolder: string | null;
  readonly contextOptions: BrowserContextOptions & {
    readonly javaScriptEnabled: boolean;
    readonly viewport: { readonly width: number; readonly height: number };
  };
}

/** A browser window that records accessibility findings, console errors and failed expectations. */
export class PageChecker {
  readonly #findings: string[] = [];
  #screenshotCount = 0;

  readonly options: CheckerOptions;
  readonly context: BrowserContext;
  readonly page: Page;

  private constructor(options: CheckerOptions, context: BrowserContext, page: Page) {
    this.options = options;
    this.context = context;
    this.page = page;
  }

  static async start(browser: Browser, options: CheckerOptions): Promise<PageChecker> {
    const context = await browser.newContext({
      ...options.contextOptions,
      // Colours that are still changing are not measured.
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    // The web app of the tests is served here; no request leaves the machine.
    await context.route("https://app.example/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: "<!doctype html><html lang=en><title>App</title><h1>App</h1></html>",
      }),
    );
    const page = await context.newPage();
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
    this.#findings.push(`[${this.options.name}] ${this.page.url()}: ${text}`);
  }

  expect(expectation: string, condition: boolean): void {
    if (!condition) {
      this.report(`expected: ${expectation}`);
    }
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`);
  }

  /** Checks the current page: accessibility, horizontal overflow; takes a screenshot. */
  async checkPage(name: string): Promise<void> {
    const { page, options } = this;
    // An element can be there before the stylesheet is: its colours would be the browser's own.
    await page.waitForLoadState("load");
    // axe needs JavaScript; without it the pages have the same markup.
    const { violations } = options.contextOptions.javaScriptEnabled
      ? await new AxeBuilder({ page }).analyze()
      : { violations: [] };
    for (const violation of violations) {
      this.report(
        `axe ${violation.id} on ${name}: ${violation.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`,
      );
    }
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    this.expect(`${name} fits the viewport; its width is ${width}`, width <= options.contextOptions.viewport.width);
    if (options.screenshotFolder !== null) {
      const number = String(++this.#screenshotCount).padStart(2, "0");
      const file = `${options.screenshotFolder}/${options.name.replaceAll(/\W+/g, "-")}-${number}-${name}.png`;
      await page.screenshot({ path: file, fullPage: true });
    }
  }

  async finish(): Promise<readonly string[]> {
    await this.context.close();
    return this.#findings;
  }
}
