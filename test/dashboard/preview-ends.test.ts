import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY } from "#core/clock.ts";
import { withSandboxCredentials } from "#sandbox/index.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";
import { createAccount, createTestContext, schedulePost } from "../posts/test-context.ts";

const NOW = Date.UTC(2030, 4, 15, 12, 0);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const BILLED = { ...withSandboxCredentials(env) };

const textOf = async (response: Response) => (await response.text()).replaceAll(/<[^>]+>/g, "");

/** A person on trial whose login ends in ten days. */
async function createPerson(settings: Record<string, unknown> = {}) {
  const service = createServiceFixture({ ...BILLED, ...settings });
  const user = await signInNewUser(service, { subscription: "trialing" });
  const ctx = createTestContext({ actor: { userId: user.userId, workspaceId: user.workspaceId } });
  const account = await createAccount(ctx, "x");
  await env.DB.prepare(
    "UPDATE connections SET ends_at = ?1 WHERE id = (SELECT connection_id FROM accounts WHERE id = ?2)",
  )
    .bind(NOW + 10 * DAY, account)
    .run();
  return { ...user, ctx, account };
}

/** The text of the preview of a new post on that day. */
async function preview(date: string, settings: Record<string, unknown> = {}) {
  const { browser, account } = await createPerson(settings);
  const fields = { intent: "preview", caption: "Hi", account, date, time: "09:30" };
  const response = await browser.post("/dashboard/posts/preview", fields);
  expect(response.status).toBe(200);
  return textOf(response);
}

/** The texts of the two pages that preview another time of a scheduled post: the composer's and the calendar's. */
async function previewsOfEdit(date: string, settings: Record<string, unknown> = {}) {
  const { browser, ctx, account } = await createPerson(settings);
  const { id } = await schedulePost(ctx, { accountIds: [account], scheduledAt: NOW + DAY, caption: "Hi" });
  const fields = { intent: "preview", post_id: id, caption: "Hi", account, date, time: "09:30" };
  const responses = [
    await browser.post("/dashboard/posts/preview", fields),
    await browser.post(`/dashboard/posts/${id}/move`, { date, time: "09:30", next: "/dashboard" }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  return Promise.all(responses.map(textOf));
}

const LOGIN = "this login ends on Sat, 25 May 2030, before this post. Reconnect it in time";
const TRIAL = "Your free trial ends on Wed, 22 May 2030. If you have no plan by then, this post is paused.";

describe("the preview warns", () => {
  test("when the login and the trial end before the post's time", async () => {
    const text = await preview("2030-05-28");
    expect(text).toContain(LOGIN);
    expect(text).toContain(TRIAL);
  });

  test("not while both last", async () => {
    expect(await preview("2030-05-20")).not.toMatch(/login ends|trial ends/);
  });

  test("of no trial where no plan is needed", async () => {
    const text = await preview("2030-05-28", { PLAN_FOR_ALL: "growth" });
    expect(text).toContain(LOGIN);
    expect(text).not.toContain("trial ends");
  });
});

describe("the previews of an edit warn", () => {
  test("when the login and the trial end before the new time", async () => {
    for (const text of await previewsOfEdit("2030-05-28")) {
      expect(text).toContain(LOGIN);
      expect(text).toContain(TRIAL);
    }
  });

  test("not while both last", async () => {
    for (const text of await previewsOfEdit("2030-05-20")) {
      expect(text).not.toMatch(/login ends|trial ends/);
    }
  });
});

test("the previews warn of the end of a plan whose payment failed", async () => {
  const { browser, userId, account } = await createPerson();
  await env.DB.prepare("UPDATE subscriptions SET status = 'past_due', current_period_end = ?1 WHERE user_id = ?2")
    .bind(NOW + 5 * DAY, userId)
    .run();
  const fields = { intent: "preview", caption: "Hi", account, date: "2030-05-28", time: "09:30" };
  expect(await textOf(await browser.post("/dashboard/posts/preview", fields))).toContain(
    "The last payment failed, and your plan ends on Mon, 20 May 2030. If it is not paid by then, this post is paused.",
  );
});
