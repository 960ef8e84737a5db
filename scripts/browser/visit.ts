import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

interface Plan {
  readonly origin: string;
  readonly name: string;
  readonly shots: string | null;
  readonly options: BrowserContextOptions & {
    readonly javaScriptEnabled: boolean;
    readonly viewport: { readonly width: number; readonly height: number };
  };
}

/** One browser window with everything it complains about. */
export class Visit {
  readonly #findings: string[] = [];
  #shot = 0;

  readonly plan: Plan;
  readonly context: BrowserContext;
  readonly page: Page;

  private constructor(plan: Plan, context: BrowserContext, page: Page) {
    this.plan = plan;
    this.context = context;
    this.page = page;
  }

  static async begin(browser: Browser, plan: Plan): Promise<Visit> {
    const context = await browser.newContext({ ...plan.options, permissions: ["clipboard-read", "clipboard-write"] });
    // What the tests call an app on the web answers here; nothing leaves the machine.
    await context.route("https://app.example/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: "<!doctype html><html lang=en><title>App</title><h1>App</h1></html>",
      }),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const visit = new Visit(plan, context, page);
    page.on("pageerror", (error) => visit.complain(`script error: ${error.message}`));
    page.on("console", (message) => {
      // A refused form is a 400 by intention, and the browser says so in its console.
      const refusedForm = /Failed to load resource.* 400 /.test(message.text());
      if (["error", "warning"].includes(message.type()) && !refusedForm) {
        visit.complain(`console: ${message.text()}`);
      }
    });
    return visit;
  }

  get origin(): string {
    return this.plan.origin;
  }

  complain(text: string): void {
    this.#findings.push(`[${this.plan.name}] ${this.page.url()}: ${text}`);
  }

  check(what: string, good: boolean): void {
    if (!good) {
      this.complain(`expected: ${what}`);
    }
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`);
  }

  /** Looks at the page as it stands: accessibility, overflow, a picture. */
  async look(name: string): Promise<void> {
    const { page, plan } = this;
    // axe is a script itself; the pages are the same ones without it.
    const { violations } = plan.options.javaScriptEnabled
      ? await new AxeBuilder({ page }).analyze()
      : { violations: [] };
    for (const violation of violations) {
      this.complain(
        `axe ${violation.id} on ${name}: ${violation.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`,
      );
    }
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    this.check(`${name} fits its window, not ${width}`, width <= plan.options.viewport.width);
    if (plan.shots !== null) {
      const number = String(++this.#shot).padStart(2, "0");
      const file = `${plan.shots}/${plan.name.replaceAll(/\W+/g, "-")}-${number}-${name}.png`;
      await page.screenshot({ path: file, fullPage: true });
    }
  }

  async end(): Promise<readonly string[]> {
    await this.context.close();
    return this.#findings;
  }
}
