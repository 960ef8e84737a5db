import { call } from "../../service.ts";
import type { PageChecker } from "./page-checker.ts";

const LATER = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);

/** Creates a key of the signed-in user, with which the sandbox connects accounts. */
async function connectAccounts({ page, origin }: PageChecker, platforms: readonly string[]): Promise<string> {
  await page.goto(`${origin}/dashboard/keys`);
  await page.getByLabel("Name").fill("live check");
  await page.getByRole("radio", { name: /Everything/ }).check();
  await page.getByRole("button", { name: "Create key" }).click();
  const apiKey = (await page.locator(".new-key code").textContent()) ?? "";
  for (const platform of platforms) {
    await call(origin, "POST", "/sandbox/connect", { body: { api_key: apiKey, platform } });
  }
  return apiKey;
}

/**
 * The composer while somebody types: fields of chosen accounts without a reload, counters, problems beside their field, likenesses,
 * late responses, and the draft that survives a reload until it is discarded or scheduled.
 */
export async function runLiveCheck(checker: PageChecker): Promise<void> {
  const { page } = checker;
  const key = await connectAccounts(checker, ["x", "bluesky", "youtube"]);
  await checker.open("/dashboard/posts/new");
  checker.expect(
    "nothing is a mistake before it was touched",
    (await page.locator(".field-error:visible").count()) === 0,
  );
  for (const box of await page.getByRole("checkbox", { disabled: false }).filter({ visible: true }).all()) {
    if ((await box.getAttribute("name")) === "account") {
      await box.check();
    }
  }
  await page.locator(".account-tab > label").nth(2).waitFor();
  const caption = page.locator("#caption");
  await caption.pressSequentially("Soup from five, see https://example.com/soup #soup", { delay: 20 });
  await page.getByText(/Closest to its limit: .+ of [\d,]+ /).waitFor();
  await page.locator("[data-likeness] figure").nth(2).waitFor({ state: "attached" });
  await checkTabs(checker);
  const likeness = page.locator("[data-likeness] .likeness-text").first();
  await page.waitForFunction(
    () => document.querySelector(".likeness-mark")?.textContent === "https://example.com/soup",
  );
  checker.expect("the likeness has the text", (await likeness.textContent())?.includes("Soup from five") === true);
  await checker.checkPage("composer-live");

  await caption.fill("too long ".repeat(40));
  await page.locator("#caption-error", { hasText: /Bluesky .*300/ }).waitFor();
  checker.expect("the field is marked", (await caption.getAttribute("aria-invalid")) === "true");
  checker.expect("and described", /caption-error/.test((await caption.getAttribute("aria-describedby")) ?? ""));
  await page.getByText(/fields? to change first/).waitFor();
  await checker.checkPage("composer-live-problems");

  await caption.fill("Soup from five");
  await page.locator("#caption-error .field-error").waitFor({ state: "detached" });
  await checkLateResponses(checker);

  await page.locator("#date").fill(LATER);
  await page.locator("#time").fill("09:30");
  await page.waitForTimeout(800);
  await page.reload();
  await page.getByText("What you wrote here before is restored.").waitFor();
  checker.expect("the text survives a reload", (await caption.inputValue()) === "Soup from five");
  checker.expect("and the time", (await page.locator("#time").inputValue()) === "09:30");
  await page.locator(".account-tab > label").nth(2).waitFor();
  await page.getByRole("button", { name: "Discard it" }).click();
  await page.waitForFunction(() => !document.querySelector(".notice button") && document.readyState === "complete");
  checker.expect("what was discarded is gone", (await caption.inputValue()) === "");
  await checkMediaOrder(checker, key);
  await checkSent(checker);
}

/** On a desk the text and the likeness of every account are seen without scrolling; a phone has a link to it. */
async function checkTabs(checker: PageChecker): Promise<void> {
  const { page } = checker;
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const isDesk = width >= 960;
  await page.setViewportSize({ width, height: isDesk ? 800 : height });
  await page.evaluate(() => scrollTo(0, 0));
  const end = (await page.locator(".composer-actions").boundingBox())?.y ?? 0;
  for (const tab of await page.locator(".account-tab").all()) {
    await tab.locator("label").first().click();
    const name = await tab.locator("label").first().innerText();
    checker.expect(`${name}: one panel is open`, (await page.locator("[data-account]:visible").count()) === 1);
    if (isDesk) {
      for (const part of [tab.locator(".likeness-post").first(), page.locator("#caption")]) {
        const box = await part.boundingBox();
        checker.expect(`${name}: seen without scrolling`, box !== null && box.y >= 0 && box.y + box.height <= end);
      }
    }
  }
  if (!isDesk) {
    await page.getByRole("link", { name: "How it looks" }).click();
    await page.locator(".account-tab > label").first().scrollIntoViewIfNeeded();
    checker.expect(
      "the link leads there",
      await page.locator("#accounts-chosen").evaluate((all) => all.getBoundingClientRect().top < 400),
    );
  }
  await page.locator(".account-tab > label").first().click();
  await page.setViewportSize({ width, height });
}

/** Media move by drag and by buttons without a reload; the form says the same as the list. */
async function checkMediaOrder(checker: PageChecker, key: string): Promise<void> {
  const { page, origin } = checker;
  const names = ["portrait.jpg", "square.png"];
  const body = { urls: names.map((name) => `${origin}/sandbox/media/${name}`) };
  await call(origin, "POST", "/v1/media", { key, body });
  await checker.open("/dashboard/posts/new");
  await page.getByText("Choose from your media").click();
  for (const box of await page.locator("[name=library]").all()) {
    await box.check();
  }
  await page.getByRole("button", { name: "Add what is ticked" }).click();
  const entries = page.locator(".media-list > li");
  await entries.nth(1).waitFor();
  const order = () =>
    page.locator("input[name=media]").evaluateAll((inputs) => inputs.map((input) => input.getAttribute("value")));
  const before = await order();
  await entries.nth(1).dragTo(entries.nth(0));
  await page.waitForFunction(
    (first) => document.querySelector("input[name=media]")?.getAttribute("value") === first,
    before[1],
  );
  checker.expect("a dragged medium is first", (await order()).join(" ") === before.toReversed().join(" "));
  await page.locator('[value="media_down.0"]').click();
  await page.waitForFunction(
    (first) => document.querySelector("input[name=media]")?.getAttribute("value") === first,
    before[0],
  );
  checker.expect("the focus stays", await page.evaluate(() => document.activeElement?.tagName === "BUTTON"));
}

async function checkSent(checker: PageChecker): Promise<void> {
  const { page } = checker;
  await page.getByRole("checkbox", { name: /bsky/ }).check();
  await page.locator("#caption").fill("Two pictures");
  await page.locator("#date").fill(LATER);
  await page.locator("#time").fill("10:30");
  await page.locator("[data-likeness] .likeness-grid").waitFor();
  await checker.checkPage("composer-live-media");
  await page.getByRole("button", { name: "Preview and schedule", exact: true }).last().click();
  await page
    .getByRole("button", { name: /^Schedule/ })
    .first()
    .click();
  await page.waitForURL(/done=scheduled/);
  const kept = await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("unsent/")));
  checker.expect("a scheduled post leaves nothing unsent", kept.length === 0);
}

/** The first of two checks is held back until the second one was answered. */
async function checkLateResponses({ page }: PageChecker): Promise<void> {
  let held: (() => void) | undefined;
  await page.route("**/dashboard/posts/check", async (route) => {
    if (held === undefined) {
      await new Promise<void>((resolve) => (held = resolve));
    }
    await route.continue().catch(() => undefined);
  });
  await page.locator("#caption").fill("Soup from six");
  await page.waitForTimeout(700);
  await page.locator("#caption").fill("Soup from five");
  await page.waitForFunction(() => document.querySelector(".likeness-text")?.textContent === "Soup from five");
  held?.();
  await page.waitForTimeout(500);
  await page.unroute("**/dashboard/posts/check");
  await page.waitForFunction(() => document.querySelector(".likeness-text")?.textContent === "Soup from five");
}
