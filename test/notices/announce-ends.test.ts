import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { SubscriptionStatus } from "#core/plan.ts";
import { openDb } from "#db/client.ts";
import { announceEnds, deleteOldNotices, describeNotice, dismissNotice, listNotices } from "#notices/index.ts";
import {
  endingUsersStatement,
  loginEndStatements,
  oldNoticesStatement,
  subscriptionEndStatements,
} from "#notices/store-upkeep.ts";
import { cancelPost, disconnectAccount } from "#post-status/index.ts";
import { pausePostsForSubscription } from "#post-status/subscription/pause-posts-for-subscription.ts";
import { resumePostsForSubscription } from "#post-status/subscription/resume-posts-for-subscription.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  schedulePost,
  type TestContext,
  updateAccountRow,
} from "../posts/test-context.ts";
import { costlySteps, explainingD1 } from "../support/explaining-d1.ts";
import { createOwner, insertNotice } from "./test-context.ts";

beforeEach(async () => {
  freezeClock();
  await env.DB.batch([
    env.DB.prepare("UPDATE connections SET ends_at = NULL"),
    env.DB.prepare("DELETE FROM subscriptions"),
  ]);
});

const createContext = () => createTestContext({ config: { planForAll: null } });
const iso = (instant: number) => new Date(instant).toISOString();

async function setLoginEnd(accountId: string, endsAt: number | null): Promise<void> {
  await env.DB.prepare(
    "UPDATE connections SET ends_at = ? WHERE id = (SELECT connection_id FROM accounts WHERE id = ?)",
  )
    .bind(endsAt, accountId)
    .run();
}

async function announcedEnd(accountId: string): Promise<number | null> {
  return await env.DB.prepare(
    "SELECT c.end_announced AS at FROM accounts a JOIN connections c ON c.id = a.connection_id WHERE a.id = ?",
  )
    .bind(accountId)
    .first<number | null>("at");
}

async function recordEvents({ actor }: TestContext): Promise<void> {
  await env.DB.prepare("INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at) VALUES (?, 1, 1, ?)")
    .bind(actor.workspaceId, NOON + DAY)
    .run();
}

async function eventsOf({ actor }: TestContext): Promise<unknown[]> {
  const { results } = await env.DB.prepare(
    "SELECT subject_id FROM events WHERE workspace_id = ? AND type = 'account.expires_soon'",
  )
    .bind(actor.workspaceId)
    .all<{ subject_id: string }>();
  return results.map((row) => row.subject_id);
}

const listed = async (ctx: TestContext) =>
  (await listNotices(ctx)).notices.map((notice) => ({ ...notice, text: describeNotice(notice, iso) }));

describe("a login that ends within seven days", () => {
  test("is an event, and a notice that names the posts after its end", async () => {
    const ctx = createContext();
    await recordEvents(ctx);
    const [account, idle] = [await createAccount(ctx), await createAccount(ctx)];
    const endsAt = NOON + 7 * DAY;
    for (const [days, caption] of [
      [6, "before"],
      [12, "fifth"],
      [8, "first"],
      [9, "second"],
      [10, "third"],
    ] as const) {
      await schedulePost(ctx, { accountIds: [account], caption, scheduledAt: NOON + days * DAY });
    }
    await setLoginEnd(account, endsAt);
    await setLoginEnd(idle, endsAt);
    await announceEnds(ctx);
    expect(new Set(await eventsOf(ctx))).toEqual(new Set([account, idle]));
    const notices = await listed(ctx);
    expect(notices).toMatchObject([{ kind: "account_expires_soon", subjectId: account }]);
    expect(notices[0]?.text.title).toMatch(new RegExp(`^The login of X \\(account-\\d+\\) ends on ${iso(endsAt)}$`));
    expect(notices[0]?.text.lines).toEqual([
      "4 posts after that need it:",
      `“first”, ${iso(NOON + 8 * DAY)}`,
      `“second”, ${iso(NOON + 9 * DAY)}`,
      `“third”, ${iso(NOON + 10 * DAY)}`,
      "and 1 more.",
      "Connect the account again before then.",
    ]);
  });

  test("is announced once, and again when its end has moved", async () => {
    const ctx = createContext();
    await recordEvents(ctx);
    const account = await createAccount(ctx);
    await schedulePost(ctx, { accountIds: [account], scheduledAt: NOON + 30 * DAY });
    await setLoginEnd(account, NOON + 3 * DAY);
    await announceEnds(ctx);
    await announceEnds(ctx);
    expect(await eventsOf(ctx)).toHaveLength(1);
    const [notice] = await listed(ctx);
    await dismissNotice(ctx, notice!);
    await setLoginEnd(account, NOON + 4 * DAY);
    freezeClock(NOON + MINUTE);
    await announceEnds(ctx);
    expect(await eventsOf(ctx)).toHaveLength(2);
    expect(await listed(ctx)).toMatchObject([{ at: NOON + MINUTE }]);
  });

  test("is settled by a new login, by one that is renewed by itself and by disconnecting", async () => {
    const ctx = createContext();
    const account = await createAccount(ctx);
    await schedulePost(ctx, { accountIds: [account], scheduledAt: NOON + 30 * DAY });
    for (const settle of [
      () => setLoginEnd(account, NOON + 60 * DAY),
      () => setLoginEnd(account, null),
      () => disconnectAccount(ctx, { accountId: account }),
    ]) {
      await setLoginEnd(account, NOON + 3 * DAY);
      await env.DB.prepare("UPDATE connections SET end_announced = NULL").run();
      await announceEnds(ctx);
      expect(await listed(ctx)).toHaveLength(1);
      await settle();
      expect(await listed(ctx)).toEqual([]);
    }
  });

  test("is not told of later ends, ended logins, disconnected accounts and those that need a login already", async () => {
    const ctx = createContext();
    await recordEvents(ctx);
    const [later, ended, disconnected, blocked] = await Promise.all(
      Array.from({ length: 4 }, () => createAccount(ctx)),
    );
    await setLoginEnd(later!, NOON + 7 * DAY + 1);
    await setLoginEnd(ended!, NOON);
    await setLoginEnd(disconnected!, NOON + DAY);
    await updateAccountRow(disconnected!, { disconnected_at: NOON });
    await setLoginEnd(blocked!, NOON + DAY);
    await env.DB.prepare(
      "UPDATE connections SET status = 'needs_reconnect' WHERE id = (SELECT connection_id FROM accounts WHERE id = ?)",
    )
      .bind(blocked!)
      .run();
    await announceEnds(ctx);
    expect(await eventsOf(ctx)).toEqual([]);
    for (const account of [later, ended, disconnected, blocked]) {
      expect(await announcedEnd(account!)).toBeNull();
    }
  });
});

interface Ending {
  readonly status: SubscriptionStatus;
  readonly endsAt: number | null;
  /** When its post is scheduled. */
  readonly postAt?: number;
}

async function createUserWhosePlanEnds({ status, endsAt, postAt }: Ending) {
  const ctx = createContext();
  await createOwner(ctx, { subscription: { status, currentPeriodEnd: endsAt } });
  const account = await createAccount(ctx);
  const posts = postAt === undefined ? [] : [await schedulePost(ctx, { accountIds: [account], scheduledAt: postAt })];
  return { ctx, account, post: posts[0] };
}

/** An hour of cron runs. */
async function runForAnHour(ctx: TestContext, from: number): Promise<void> {
  for (let minute = 0; minute < 60; minute++) {
    freezeClock(from + minute * MINUTE);
    await announceEnds(ctx);
  }
}

async function setSubscription({ actor }: TestContext, status: SubscriptionStatus, endsAt: number | null) {
  await env.DB.prepare(
    "UPDATE subscriptions SET status = ?2, current_period_end = ?3, updated_at = ?4 WHERE user_id = ?1",
  )
    .bind(actor.userId, status, endsAt, Date.now())
    .run();
}

describe("a subscription that ends within seven days", () => {
  test.each([
    ["trialing", 2 * DAY, "Your free trial ends on"],
    ["past_due", 7 * DAY - 2 * HOUR, "The last payment failed, and your plan ends on"],
    ["trialing", 2 * HOUR, "Your free trial ends on"],
  ] as const)("%s, in %i ms: told while posts are scheduled after it", async (status, inMs, title) => {
    const endsAt = NOON + inMs;
    const { ctx } = await createUserWhosePlanEnds({ status, endsAt, postAt: endsAt });
    await runForAnHour(ctx, NOON);
    const notices = await listed(ctx);
    expect(notices).toMatchObject([{ kind: "subscription_ends", subjectId: ctx.actor.userId }]);
    expect(notices[0]?.text.title).toBe(`${title} ${iso(endsAt)}`);
  });

  test.each([
    ["without posts after it", { status: "trialing", endsAt: NOON + 2 * DAY, postAt: NOON + DAY }],
    ["later than in seven days", { status: "trialing", endsAt: NOON + 8 * DAY, postAt: NOON + 9 * DAY }],
    ["of a paid period, which is renewed", { status: "active", endsAt: NOON + 2 * DAY, postAt: NOON + 3 * DAY }],
    ["that has no end", { status: "active", endsAt: null, postAt: NOON + 3 * DAY }],
  ] as const)("is not told %s", async (_, ending) => {
    const { ctx } = await createUserWhosePlanEnds(ending);
    await runForAnHour(ctx, NOON);
    expect(await listed(ctx)).toEqual([]);
  });

  test("is not told where the operator gives everyone a plan", async () => {
    const { ctx } = await createUserWhosePlanEnds({ status: "trialing", endsAt: NOON + DAY, postAt: NOON + 2 * DAY });
    await runForAnHour({ ...ctx, config: { ...ctx.config, planForAll: "scale" } }, NOON);
    expect(await listed(ctx)).toEqual([]);
  });

  test("is told once, also when it is dismissed or another workspace becomes active", async () => {
    const { ctx } = await createUserWhosePlanEnds({ status: "trialing", endsAt: NOON + DAY, postAt: NOON + 2 * DAY });
    await runForAnHour(ctx, NOON);
    const [notice] = await listed(ctx);
    await dismissNotice(ctx, notice!);
    await env.DB.prepare("UPDATE users SET active_workspace_id = 'other' WHERE id = ?").bind(ctx.actor.userId).run();
    await runForAnHour(ctx, NOON + HOUR);
    const { results } = await env.DB.prepare("SELECT dismissed_at FROM notices WHERE subject_id = ?")
      .bind(ctx.actor.userId)
      .all();
    expect(results).toEqual([{ dismissed_at: expect.any(Number) }]);
  });

  test("is settled when no post is scheduled after it any more, and told again when one is", async () => {
    const endsAt = NOON + 2 * DAY;
    const { ctx, post, account } = await createUserWhosePlanEnds({
      status: "trialing",
      endsAt,
      postAt: NOON + 3 * DAY,
    });
    await runForAnHour(ctx, NOON);
    expect(await listed(ctx)).toHaveLength(1);
    await cancelPost(ctx, { id: post!.id });
    await runForAnHour(ctx, NOON + HOUR);
    expect(await listed(ctx)).toEqual([]);
    await schedulePost(ctx, { accountIds: [account], scheduledAt: NOON + 4 * DAY });
    await runForAnHour(ctx, NOON + 2 * HOUR);
    expect(await listed(ctx)).toHaveLength(1);
  });

  test("is settled by a payment", async () => {
    const { ctx } = await createUserWhosePlanEnds({ status: "trialing", endsAt: NOON + DAY, postAt: NOON + 2 * DAY });
    await runForAnHour(ctx, NOON);
    await setSubscription(ctx, "active", NOON + 30 * DAY);
    expect(await listed(ctx)).toEqual([]);
  });

  test("when it has ended: told with its paused posts, until it is paid", async () => {
    const { ctx } = await createUserWhosePlanEnds({ status: "past_due", endsAt: NOON + DAY, postAt: NOON + 2 * DAY });
    await pausePostsForSubscription(ctx, [ctx.actor.userId]);
    await setSubscription(ctx, "canceled", null);
    expect((await listed(ctx)).map(({ text }) => text.title)).toEqual(["Your subscription has ended"]);
    await setSubscription(ctx, "active", null);
    await resumePostsForSubscription(ctx, [ctx.actor.userId]);
    expect(await listed(ctx)).toEqual([]);
  });

  test("when it has ended without posts ahead: not told", async () => {
    const { ctx } = await createUserWhosePlanEnds({ status: "past_due", endsAt: NOON + DAY });
    await setSubscription(ctx, "canceled", null);
    expect(await listed(ctx)).toEqual([]);
  });
});

test("every subscription of the seven days is looked at within two hours, whenever the hour begins", async () => {
  const endings = await Promise.all(
    [1, 167, 168, 169, 4321, 5040, 9911].map(async (minutes) => {
      const endsAt = NOON + 2 * HOUR + minutes * MINUTE;
      return { endsAt, ...(await createUserWhosePlanEnds({ status: "trialing", endsAt, postAt: NOON + 20 * DAY })) };
    }),
  );
  await runForAnHour(endings[0]!.ctx, NOON + 17 * MINUTE);
  await runForAnHour(endings[0]!.ctx, NOON + 77 * MINUTE);
  for (const { ctx, endsAt } of endings) {
    expect(await listed(ctx), iso(endsAt)).toMatchObject([{ subject: { endsAt } }]);
  }
});

describe("notices older than 30 days", () => {
  test("are deleted, a bounded number per call", async () => {
    const ctx = createContext();
    await insertNotice(ctx, "post_failed", "old", NOON - 30 * DAY - 1);
    await insertNotice(ctx, "post_failed", "kept", NOON - 30 * DAY);
    expect(await deleteOldNotices(ctx)).toBe(1);
    expect(await deleteOldNotices(ctx)).toBe(0);
  });
});

describe("the cost", () => {
  test("is one round trip, and does not grow with the logins and subscriptions that end at other times", async () => {
    const ctx = createContext();
    const account = await createAccount(ctx);
    await setLoginEnd(account, NOON + 8 * DAY);
    const measure = async () => {
      ctx.counting.reset();
      await announceEnds(ctx);
      return { ...ctx.counting.count };
    };
    const before = await measure();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
       INSERT INTO subscriptions (user_id, plan, status, current_period_end, updated_at)
       SELECT 'user-' || i, 'growth', 'trialing', ?1 + i * 60000, 1 FROM n`,
    )
      .bind(NOON + 5 * DAY)
      .run();
    expect(await measure()).toEqual(before);
    expect(before).toMatchObject({ roundTrips: 1, rowsRead: expect.toSatisfy((rows) => rows < 12), rowsWritten: 0 });
  });

  test("no statement scans a table", async () => {
    const db = { db: openDb(explainingD1(env.DB)) }.db;
    const plans = await env.DB.batch([
      ...loginEndStatements(db, { now: 1, until: 2, limit: 1 }),
      endingUsersStatement(db, { from: 1, until: 2 }),
      ...subscriptionEndStatements(db, { now: 1, from: 1, until: 2, users: [] }),
      oldNoticesStatement(db, 1, 1),
    ]);
    expect(costlySteps(plans).filter((step) => step !== "SCAN e" && !step.startsWith("SCAN u VIRTUAL"))).toEqual([]);
  });
});
