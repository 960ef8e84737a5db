import { chromium } from "playwright-core";
import lighthouse, { desktopConfig, type Flags } from "lighthouse";
import { freePort, withService } from "../service.ts";
import { createDemoWorkspace } from "./demo/demo-workspace.ts";
import { demoPages } from "./demo/pages.ts";
import { openSignedIn } from "./demo/signed-in.ts";

/*
 * Runs Lighthouse over the main pages of a filled workspace, as a phone and as a desk:
 * `npm run lighthouse -- [origin of a running service]`. Fails unless every score is 1.
 */

const PAGES: ReadonlySet<string> = new Set(["front", "calendar", "composer", "post", "accounts"]);
const CATEGORIES = ["performance", "accessibility", "best-practices"] as const;

const allFull = await withService(process.argv[2], async (origin) => {
  const workspace = await createDemoWorkspace(origin);
  const port = await freePort();
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", `--remote-debugging-port=${port}`],
  });
  let isFull = true;
  try {
    const context = await openSignedIn(browser, origin, workspace, {});
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    await context.close();
    console.log("page       form     performance accessibility best practices      bytes");
    for (const { name, path, isPublic } of demoPages(workspace).filter((page) => PAGES.has(page.name))) {
      for (const form of ["phone", "desk"] as const) {
        const flags: Flags = {
          port,
          onlyCategories: [...CATEGORIES],
          // The hosts of simulated avatars exist nowhere; `npm run pages` checks the console.
          skipAudits: ["errors-in-console"],
          logLevel: "error",
          ...(!isPublic && { extraHeaders: { Cookie: cookie } }),
        };
        const result = await lighthouse(origin + path, flags, form === "desk" ? desktopConfig : undefined);
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
