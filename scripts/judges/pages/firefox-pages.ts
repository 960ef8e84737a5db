import { launch, type Page } from "puppeteer-core";
import type { DemoWorkspace } from "../demo/demo-workspace.ts";
import { demoPages } from "../demo/pages.ts";

/** Firefox has no command for this yet: 0 is dark, 1 is light. */
const COLOR_SCHEMES = { light: 1, dark: 0 } as const;

async function signIn(page: Page, origin: string, { email, password }: DemoWorkspace): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.type('[name="email"]', email);
  await page.type('[name="password"]', password);
  await Promise.all([page.waitForNavigation(), page.click('form[action="/login"] button')]);
}

/** Opens every page in Firefox ESR, light and dark; returns its errors and warnings, of scripts and of the content policy. */
export async function findFirefoxProblems(origin: string, workspace: DemoWorkspace): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const [name, value] of Object.entries(COLOR_SCHEMES)) {
    const browser = await launch({
      browser: "firefox",
      executablePath: "/usr/bin/firefox-esr",
      extraPrefsFirefox: { "layout.css.prefers-color-scheme.content-override": value },
    });
    try {
      const stranger = await browser.createBrowserContext();
      const signedIn = await browser.createBrowserContext();
      await signIn(await signedIn.newPage(), origin, workspace);
      for (const { name: pageName, path, isPublic } of demoPages(workspace)) {
        const page = await (isPublic ? stranger : signedIn).newPage();
        const report = (text: string) => findings.push(`${pageName} (Firefox, ${name}): ${text}`);
        page.on("console", (message) => {
          if (["error", "warn"].includes(message.type())) {
            report(`console: ${message.text()}`);
          }
        });
        // Firefox reports violations of the policy here too.
        page.on("pageerror", (error) => report(`script error: ${String(error)}`));
        const response = await page.goto(origin + path, { waitUntil: "networkidle0" });
        const isDark = await page.$eval("html", (html) => {
          return html.ownerDocument.defaultView?.matchMedia("(prefers-color-scheme: dark)").matches;
        });
        if (response?.status() !== 200 || isDark !== (name === "dark") || response.url() !== origin + path) {
          report(`status ${response?.status()} of ${response?.url()}, ${isDark ? "dark" : "light"}`);
        }
        await page.close();
      }
    } finally {
      await browser.close();
    }
  }
  return findings;
}
