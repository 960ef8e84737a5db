import type { PageChecker } from "./page-checker.ts";

/** Every kind of page of the documentation, and those with the most parts. */
const PAGES = [
  ["docs-errors", "/docs/error-codes"],
  ["docs-platform", "/docs/platforms/youtube"],
  ["docs-changelog", "/docs/changelog"],
  ["docs-schemas", "/docs/reference/schemas"],
  ["docs-schema", "/docs/reference/schemas/Post"],
  ["docs-operation", "/docs/reference/posts/previewPost"],
] as const;

/** What somebody does who reads for the first time: from the first page to a guide, by search to an operation, as Markdown, and a wrong address. */
export async function runDocsFlow(checker: PageChecker): Promise<void> {
  const { page, origin } = checker;
  await checker.open("/docs");
  await checker.checkPage("docs");
  await page.getByRole("link", { name: "First post" }).first().click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await checker.checkPage("docs-guide");
  const markdown = await page.getAttribute('link[rel="alternate"][type="text/markdown"]', "href");
  const response = await page.request.get(new URL(markdown ?? "", origin).href);
  const title = await page.getByRole("heading", { level: 1 }).textContent();
  checker.expect("the Markdown has the same title", (await response.text()).includes(`# ${title}`));

  await page.getByRole("searchbox").fill("idempotency key");
  await page.getByRole("searchbox").press("Enter");
  await page.getByRole("status").waitFor();
  await checker.checkPage("docs-search");
  const match = page.locator(".docs-matches a").first();
  const target = new URL((await match.getAttribute("href")) ?? "", origin);
  await match.click();
  await page.waitForURL(target.href);
  checker.expect(
    "what was found is on the page",
    target.hash === "" || (await page.locator(`[id="${target.hash.slice(1)}"]`).count()) === 1,
  );
  for (const [name, path] of PAGES) {
    await checker.open(path);
    await checker.checkPage(name);
    checker.expect(
      `${name} is there`,
      (await page.getByRole("heading", { level: 1 }).textContent()) !== "Page not found",
    );
  }
  await checker.open("/docs/search?q=nothing-has-this-word");
  checker.expect(
    "a search without a match says so",
    /Nothing has/.test((await page.getByRole("status").textContent()) ?? ""),
  );
}
