import lighthouse, { desktopConfig, type Flags } from "lighthouse";
import { parseArgs } from "node:util";
import { withService } from "../service.ts";
import { createDemoWorkspace } from "./demo/demo-workspace.ts";
import { demoPages } from "./demo/pages.ts";
import { launchPuppeteer, openPuppeteerPage } from "./demo/puppeteer-page.ts";
import { signInCookie } from "./demo/sign-in-cookie.ts";

/*
 * Runs Lighthouse over the main pages of a filled workspace, as a phone and as a desk:
 * `npm run lighthouse -- [--page composer] [origin of a running service]`. Fails unless every score is 1.
 */

const PAGES: ReadonlySet<string> = new Set([
  "front",
  "calendar",
  "composer",
  "post",
  "accounts",
  "approval",
  "webhook",
  "docs",
  "docs-guide",
  "docs-reference",
]);
const CATEGORIES = ["performance", "accessibility", "best-practices"] as const;

const { values, positionals } = parseArgs({ options: { page: { type: "string" } }, allowPositionals: true });

const allFull = await withService(positionals[0], async (origin) => {
  const workspace = await createDemoWorkspace(origin);
  const browser = await launchPuppeteer();
  let isFull = true;
  try {
    const cookie = await signInCookie(origin, workspace);
    const pages = demoPages(workspace).filter(({ name }) =>
      values.page === undefined ? PAGES.has(name) : name === values.page,
    );
    console.log("page       form     performance accessibility best practices      bytes");
    for (const { name, path, isPublic } of pages) {
      for (const form of ["phone", "desk"] as const) {
        const flags: Flags = {
          onlyCategories: [...CATEGORIES],
          logLevel: "error",
          ...(!isPublic && { extraHeaders: { Cookie: cookie } }),
        };
        const page = await openPuppeteerPage(browser);
        const result = await lighthouse(origin + path, flags, form === "desk" ? desktopConfig : undefined, page);
        await page.close();
        if (result === undefined) {
          throw new Error(`Lighthouse has no result for ${path}`);
        }
        const { categories, audits } = result.lhr;
        const scores = CATEGORIES.map((category) => categories[category]?.score ?? 0);
        isFull &&= scores.every((score) => score === 1);
        const bytes = audits["total-byte-weight"]?.numericValue ?? 0;
        console.log(
          [
            name.padEnd(10),
            form.padEnd(8),
            ...scores.map((score) => String(score).padStart(12)),
            String(bytes).padStart(14),
          ].join(" "),
        );
        for (const audit of Object.values(audits)) {
          if (audit.score !== null && audit.score < 1 && audit.scoreDisplayMode !== "informative") {
            console.log(`  ${audit.id} ${audit.score}: ${audit.displayValue ?? audit.title}`);
          }
        }
      }
    }
  } finally {
    await browser.close();
  }
  return isFull;
});
process.exitCode = allFull ? 0 : 1;
