import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import {
  findExpiredSubscriptions,
  setSubscription,
  subscriptionAccess,
  deleteExpiredCredentials,
} from "#auth/index.ts";
import { readConfig } from "#config.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { pausePostsForSubscription } from "#post-status/subscription/pause-posts-for-subscription.ts";
import { resumePostsForSubscription } from "#post-status/subscription/resume-posts-for-subscription.ts";
import { createTestContext, createTestUser } from "./test-context.ts";
import { obtainTokens, createServiceFixture } from "./service-fixture.ts";

const services = createTestContext();

afterEach(() => {
  vi.useRealTimers();
});

interface TestOwner {
  readonly userId: string;
  readonly workspaceId: string;
}

async function insertAccount(owner: TestOwner, status: "active" | "needs_reconnect" = "active"): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name, capabilities, missing_scopes, status, connected_at)
     VALUES (?1, ?2, ?3, ?1, 'x', ?1, 'u', 'U', '{}', '[]', ?4, 0)`,
  )
    .bind(id, owner.userId, owner.workspaceId, status)
    .run();
  return id;
}

async function insertPost(
  owner: TestOwner,
  row: { status: string; reason?: string; at?: number; accountId?: string },
): Promise<string> {
  const id = crypto.randomUUID();
  const at = row.at ?? Date.now() + HOUR;
  await env.DB.prepare(
    `INSERT INTO posts (id, workspace_id, user_id, status, paused_reason, scheduled_at, version, watch_at, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, 3, 7, 'text', 'hello', '[]', '["x"]', 'h', ?1, 'api', 0, 0)`,
  )
    .bind(id, owner.workspaceId, owner.userId, row.status, row.reason ?? null, at)
    .run();
  await env.DB.prepare(
    `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
     VALUES (?1, ?2, 'x', 'u', 'hello', '{}', 'pending', ?3, '[]', 0)`,
  )
    .bind(id, row.accountId ?? crypto.randomUUID(), at)
    .run();
  return id;
}

function readPost(id: string) {
  return env.DB.prepare("SELECT status, paused_reason AS reason, version, watch_at AS watch FROM posts WHERE id = ?")
    .bind(id)
    .first();
}

async function endExpiredSubscriptions(context = services): Promise<readonly string[]> {
  const expired = await findExpiredSubscriptions(context);
  if (expired !== null) {
    await pausePostsForSubscription(context, expired.userIds, [expired.statement]);
  }
  return expired?.userIds ?? [];
}

const subscriptionStatus = async (userId: string) =>
  (await env.DB.prepare("SELECT status FROM subscriptions WHERE user_id = ?").bind(userId).first<{ status: string }>())
    ?.status;

describe("a subscription", () => {
  const now = 1_000_000_000_000;
  test.for([
    ["trialing", now + 1, true],
    ["trialing", now, false],
    ["past_due", now + 1, true],
    ["past_due", now, false],
    ["active", null, true],
    ["active", now - 7 * DAY + 1, true],
    ["active", now - 7 * DAY, false],
    ["canceled", null, false],
    ["canceled", now + DAY, false],
  ] as const)("%s until %s has access: %s", ([status, currentPeriodEnd, subscribed], { expect }) => {
    const subscription = { plan: "growth", status, currentPeriodEnd } as const;
    const config = { planForAll: null, limitOverrides: {}, sendsEmail: true };
    expect(subscriptionAccess(config, { subscription, emailVerified: true }, now)).toMatchObject({
      plan: "growth",
      subscribed,
    });
  });

  test("pastPost its end is cancelled by cron in the same write that pauses its scheduled posts", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const owner = await createTestUser(services);
    const otherUser = await createTestUser(services, { subscription: "active" });
    vi.setSystemTime(Date.now() + 7 * DAY);
    const scheduled = await insertPost(owner, { status: "scheduled" });
    const publishing = await insertPost(owner, { status: "publishing" });
    const otherPost = await insertPost(otherUser, { status: "scheduled" });
    expect(await endExpiredSubscriptions()).toContain(owner.userId);
    expect(await subscriptionStatus(owner.userId)).toBe("canceled");
    expect(await subscriptionStatus(otherUser.userId)).toBe("active");
    expect(await readPost(scheduled)).toEqual({ status: "paused", reason: "subscription", version: 4, watch: null });
    expect(await readPost(publishing)).toMatchObject({ status: "publishing", version: 3 });
    expect(await readPost(otherPost)).toMatchObject({ status: "scheduled", version: 3 });
    expect(await endExpiredSubscriptions()).toEqual([]);
  });

  test("that is paid at the same moment is not cancelled", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const owner = await createTestUser(services);
    vi.setSystemTime(Date.now() + 7 * DAY);
    const expired = await findExpiredSubscriptions(services);
    await setSubscription(services, { userId: owner.userId, plan: "growth", status: "active" });
    await pausePostsForSubscription(services, [], [expired!.statement]);
    expect(await subscriptionStatus(owner.userId)).toBe("active");
  });

  test("paid again resumes future posts whose accounts are usable", async ({ expect }) => {
    const owner = await createTestUser(services);
    const activeAccount = await insertAccount(owner);
    const disconnectedAccount = await insertAccount(owner, "needs_reconnect");
    const futurePost = await insertPost(owner, { status: "paused", reason: "subscription", accountId: activeAccount });
    const pastPost = await insertPost(owner, {
      status: "paused",
      reason: "subscription",
      accountId: activeAccount,
      at: Date.now() - 1,
    });
    const pausedByUser = await insertPost(owner, { status: "paused", reason: "user", accountId: activeAccount });
    const withoutAccount = await insertPost(owner, {
      status: "paused",
      reason: "subscription",
      accountId: disconnectedAccount,
    });
    const armedPostIds: string[] = [];
    const armed = {
      ...services,
      arm: (hint: { postId: string }) => Promise.resolve((armedPostIds.push(hint.postId), "armed" as const)),
    };
    await resumePostsForSubscription(armed, [owner.userId]);
    await services.waitForDeferred();
    expect(await readPost(futurePost)).toMatchObject({ status: "scheduled", reason: null, version: 4 });
    expect((await readPost(futurePost))?.["watch"]).toBeGreaterThan(Date.now());
    expect(await readPost(pastPost)).toMatchObject({ status: "paused", reason: "subscription", version: 3 });
    expect(await readPost(pausedByUser)).toMatchObject({ status: "paused", reason: "user", version: 3 });
    expect(await readPost(withoutAccount)).toMatchObject({ status: "paused", reason: "account" });
    expect(armedPostIds).toEqual([futurePost]);
    await resumePostsForSubscription(armed, [owner.userId]);
    expect(await readPost(futurePost)).toMatchObject({ version: 4 });
  });

  test("never ends if the operator gives every user a plan", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const owner = await createTestUser(services);
    vi.setSystemTime(Date.now() + 30 * DAY);
    expect(await endExpiredSubscriptions(createTestContext({ PLAN_FOR_ALL: "scale" }))).toEqual([]);
    expect(await subscriptionStatus(owner.userId)).toBe("trialing");
  });

  test("never ends while no payment is configured, unless the operator wants subscriptions", ({ expect }) => {
    const planForAll = (settings: object) =>
      readConfig({ ...env, PLAN_FOR_ALL: undefined, STRIPE_SECRET_KEY: undefined, ...settings }).planForAll;
    expect(planForAll({})).toBe("scale");
    expect(planForAll({ PLAN_FOR_ALL: "starter" })).toBe("starter");
    expect(planForAll({ PLAN_FOR_ALL: "none" })).toBeNull();
    expect(planForAll({ STRIPE_SECRET_KEY: "sk_test_1" })).toBeNull();
  });

  test("that has ended is found by an index", async ({ expect }) => {
    const { results } = await env.DB.prepare(
      "EXPLAIN QUERY PLAN SELECT user_id FROM subscriptions WHERE current_period_end <= 1 AND (status IN ('trialing', 'past_due') OR (status = 'active' AND current_period_end <= 0)) ORDER BY current_period_end LIMIT 9",
    ).all<{ detail: string }>();
    expect(results.map((row) => row.detail).join()).toContain("subscriptions_lapse");
  });
});

describe("deletion of expired credentials", () => {
  const service = createServiceFixture();
  const count = async (table: string, where: string, id: string) =>
    (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where} = ?`).bind(id).first<{ n: number }>())?.n;

  test("deletes tokens a day after they expire and the grant with its last token", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { userId } = await obtainTokens(service);
    const { id } = (await env.DB.prepare("SELECT id FROM oauth_grants WHERE user_id = ?")
      .bind(userId)
      .first<{ id: string }>())!;
    const rowsAfter = async (offset: number) => {
      vi.setSystemTime(start + offset);
      await deleteExpiredCredentials(services);
      return [await count("oauth_tokens", "grant_id", id), await count("oauth_grants", "id", id)];
    };
    expect(await rowsAfter(HOUR)).toEqual([2, 1]);
    expect(await rowsAfter(HOUR + DAY + 1000)).toEqual([1, 1]);
    expect(await rowsAfter(30 * DAY + 1000)).toEqual([1, 1]);
    expect(await rowsAfter(31 * DAY + 1000)).toEqual([0, 0]);
  });

  test("deletes revoked grants after a day, and sessions when they expire", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { userId, browser } = await obtainTokens(service);
    await browser.post("/dashboard/profile/password", { new_password: "another long password", revoke_all: "yes" });
    await deleteExpiredCredentials(services);
    expect(await count("oauth_grants", "user_id", userId)).toBe(1);
    vi.setSystemTime(start + DAY + 1000);
    await deleteExpiredCredentials(services);
    expect(await count("oauth_grants", "user_id", userId)).toBe(0);
    expect(await count("sessions", "user_id", userId)).toBe(1);
    vi.setSystemTime(start + 30 * DAY);
    await deleteExpiredCredentials(services);
    expect(await count("sessions", "user_id", userId)).toBe(0);
  });
});
