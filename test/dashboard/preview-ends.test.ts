import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY } from "#core/clock.ts";
import { withSandboxCredentials } from "#sandbox/index.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";
import { createAccount, createTestContext } from "../posting/test-context.ts";

const NOW = Date.UTC(2030, 4, 15, 12, 0);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const BILLED = { ...withSandboxCredentials(env) };

/** The text of the preview of a post on that day, for a person on trial whose login ends in ten days. */
async function preview(date: string, settings: Record<string, unknown> = {}) {
  const service = createServiceFixture({ ...BILLED, ...settings });
  const user = await signInNewUser(service, { subscription: "trialing" });
  const ctx = createTestContext({ actor: { userId: user.userId, workspaceId: user.workspaceId } });
  const account = await createAccount(ctx, "x");
  await env.DB.prepare(
    "UPDATE connections SET ends_at = ?1 WHERE id = (SELECT connection_id FROM accounts WHERE id = ?2)",
  )
    .bind(NOW + 10 * DAY, account)
    .run();
  const fields = { intent: "preview", caption: "Hi", account, date, time: "09:30" };
  const response = await user.browser.post("/dashboard/posts/preview", fields);
  expect(response.status).toBe(200);
  return (await response.text()).replaceAll(/<[^>]+>/g, "");
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
