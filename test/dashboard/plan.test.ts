import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { BrowserClient, createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";

const service = createServiceFixture({ OPERATOR_NAME: "Ada & Co", OPERATOR_CONTACT: "ada@example.com" });
const lowered = createServiceFixture({
  QUOTAS: JSON.stringify({ growth: { accounts: 12 }, trial: { accounts: 3, media_bytes: 512 * 1024 ** 2 } }),
});

async function pageOf(browser: BrowserClient, path: string): Promise<string> {
  return await (await browser.get(path)).text();
}

describe("the limits of a trial", () => {
  test("are told at sign-up", async ({ expect }) => {
    expect(await pageOf(new BrowserClient(service), "/signup")).toContain(
      "During the free trial: 5 accounts, 1 GB of media.",
    );
    const page = await pageOf(new BrowserClient(lowered), "/signup");
    expect(page).toContain("12 social accounts");
    expect(page).toContain("During the free trial: 3 accounts, 512 MB of media.");
  });

  test("are told on the page of the plan and beside what they limit", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    expect(await pageOf(browser, "/dashboard/plan")).toContain("During the free trial: 5 accounts, 1 GB of media.");
    expect(await pageOf(browser, "/dashboard/accounts")).toContain("0 of 5 accounts during your free trial.");
    expect(await pageOf(browser, "/dashboard/media")).toContain(
      "of 1 GB used by your workspaces during your free trial.",
    );
  });

  test("are the fewer ones of an e-mail address that is not confirmed, with what confirming it changes", async ({
    expect,
  }) => {
    const mailing = createServiceFixture({ EMAIL: { send: () => Promise.resolve() }, MAIL_FROM: "hello@example.com" });
    const { browser, userId } = await signInNewUser(mailing);
    const page = async () => (await pageOf(browser, "/dashboard/plan")).replaceAll(/<[^>]+>/g, "");
    expect(await page()).toContain(
      "During the free trial: 1 GB of media and, until your e-mail address is confirmed, 2 accounts. Confirm it to connect up to 5.",
    );
    await env.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?1").bind(userId).run();
    expect(await page()).toContain("During the free trial: 5 accounts, 1 GB of media.");
  });

  test("are not told with a paid plan, or where every user has the same plan", async ({ expect }) => {
    const { browser } = await signInNewUser(service, { subscription: "active" });
    const tried = await signInNewUser(service);
    const forAll = new BrowserClient(createServiceFixture({ PLAN_FOR_ALL: "growth" }));
    forAll.session = tried.browser.session;
    for (const one of [browser, forAll]) {
      expect(await pageOf(one, "/dashboard/accounts")).toContain("0 of 20 accounts.");
      expect(await pageOf(one, "/dashboard/media")).toContain("of 50 GB used by your workspaces.");
      expect(await pageOf(one, "/dashboard/plan")).not.toContain("trial");
    }
    expect(await pageOf(forAll, "/signup")).not.toContain("trial");
  });
});

test("where plans can be paid, the page says where the price is shown", async ({ expect }) => {
  const names = ["SECRET_KEY", "WEBHOOK_SECRET", "PRICE_STARTER", "PRICE_GROWTH", "PRICE_SCALE"];
  const settings = Object.fromEntries(names.map((name) => [`STRIPE_${name}`, "value"]));
  const { browser } = await signInNewUser(createServiceFixture(settings));
  const sentence = "The next page, at our payment provider Stripe, shows the price.";
  expect(await pageOf(browser, "/dashboard/plan")).toContain(sentence);
  const { browser: free } = await signInNewUser(service);
  expect(await pageOf(free, "/dashboard/plan")).not.toContain("price");
});

test("without a payment provider the page of the plan says what the end brings, and whom to ask", async ({
  expect,
}) => {
  const { browser } = await signInNewUser(service);
  expect(await pageOf(browser, "/dashboard/plan")).toContain(
    'Scheduled posts are then paused until you have a plan: ask Ada &amp; Co (<a href="mailto:ada@example.com">',
  );
  const { browser: other } = await signInNewUser(lowered);
  expect(await pageOf(other, "/dashboard/plan")).toContain("until you have a plan: ask whoever runs this service.");
});
