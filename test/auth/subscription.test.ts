import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { dueLapses, setSubscription, standing, sweepIdentity } from "#auth/index.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { pauseForSubscription, resumeForSubscription } from "#posting/status/pause-for-subscription.ts";
import { house, person } from "./test-context.ts";
import { letIn, stage } from "./stage.ts";

const services = house();

afterEach(() => {
  vi.useRealTimers();
});

interface Owner {
  readonly userId: string;
  readonly workspaceId: string;
}

async function account(owner: Owner, status: "active" | "needs_reconnect" = "active"): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name, capabilities, missing_scopes, status, connected_at)
     VALUES (?1, ?2, ?3, ?1, 'x', ?1, 'u', 'U', '{}', '[]', ?4, 0)`,
  )
    .bind(id, owner.userId, owner.workspaceId, status)
    .run();
  return id;
}

async function post(
  owner: Owner,
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

function look(id: string) {
  return env.DB.prepare("SELECT status, paused_reason AS reason, version, watch_at AS watch FROM posts WHERE id = ?")
    .bind(id)
    .first();
}

async function lapse(on = services): Promise<readonly string[]> {
  const due = await dueLapses(on);
  if (due !== null) {
    await pauseForSubscription(on, due.userIds, [due.statement]);
  }
  return due?.userIds ?? [];
}

const statusOf = async (userId: string) =>
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
  ] as const)("%s until %s counts: %s", ([status, currentPeriodEnd, subscribed], { expect }) => {
    expect(standing({ plan: "growth", status, currentPeriodEnd }, null, now)).toEqual({ plan: "growth", subscribed });
  });

  test("that is past its end is ended by cron in the same write that pauses what was scheduled", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const owner = await person(services);
    const bystander = await person(services, { subscription: "active" });
    vi.setSystemTime(Date.now() + 7 * DAY);
    const scheduled = await post(owner, { status: "scheduled" });
    const publishing = await post(owner, { status: "publishing" });
    const theirs = await post(bystander, { status: "scheduled" });
    expect(await lapse()).toContain(owner.userId);
    expect(await statusOf(owner.userId)).toBe("canceled");
    expect(await statusOf(bystander.userId)).toBe("active");
    expect(await look(scheduled)).toEqual({ status: "paused", reason: "subscription", version: 4, watch: null });
    expect(await look(publishing)).toMatchObject({ status: "publishing", version: 3 });
    expect(await look(theirs)).toMatchObject({ status: "scheduled", version: 3 });
    expect(await lapse()).toEqual([]);
  });

  test("that was paid in the same moment does not end", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const owner = await person(services);
    vi.setSystemTime(Date.now() + 7 * DAY);
    const due = await dueLapses(services);
    await setSubscription(services, { userId: owner.userId, plan: "growth", status: "active" });
    await pauseForSubscription(services, [], [due!.statement]);
    expect(await statusOf(owner.userId)).toBe("active");
  });

  test("paid again lets go on what is still ahead and can be posted", async ({ expect }) => {
    const owner = await person(services);
    const live = await account(owner);
    const dead = await account(owner, "needs_reconnect");
    const ahead = await post(owner, { status: "paused", reason: "subscription", accountId: live });
    const past = await post(owner, { status: "paused", reason: "subscription", accountId: live, at: Date.now() - 1 });
    const byUser = await post(owner, { status: "paused", reason: "user", accountId: live });
    const orphan = await post(owner, { status: "paused", reason: "subscription", accountId: dead });
    const hints: string[] = [];
    const armed = {
      ...services,
      arm: (hint: { postId: string }) => Promise.resolve((hints.push(hint.postId), "armed" as const)),
    };
    await resumeForSubscription(armed, [owner.userId]);
    await services.settled();
    expect(await look(ahead)).toMatchObject({ status: "scheduled", reason: null, version: 4 });
    expect((await look(ahead))?.["watch"]).toBeGreaterThan(Date.now());
    expect(await look(past)).toMatchObject({ status: "paused", reason: "subscription", version: 3 });
    expect(await look(byUser)).toMatchObject({ status: "paused", reason: "user", version: 3 });
    expect(await look(orphan)).toMatchObject({ status: "paused", reason: "account" });
    expect(hints).toEqual([ahead]);
    await resumeForSubscription(armed, [owner.userId]);
    expect(await look(ahead)).toMatchObject({ version: 4 });
  });

  test("never ends where the operator gives everybody a plan", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const owner = await person(services);
    vi.setSystemTime(Date.now() + 30 * DAY);
    expect(await lapse(house({ PLAN_FOR_ALL: "scale" }))).toEqual([]);
    expect(await statusOf(owner.userId)).toBe("trialing");
  });

  test("is found by its index, however many there are", async ({ expect }) => {
    const { results } = await env.DB.prepare(
      "EXPLAIN QUERY PLAN SELECT user_id FROM subscriptions WHERE current_period_end <= 1 AND (status IN ('trialing', 'past_due') OR (status = 'active' AND current_period_end <= 0)) ORDER BY current_period_end LIMIT 9",
    ).all<{ detail: string }>();
    expect(results.map((row) => row.detail).join()).toContain("subscriptions_lapse");
  });
});

describe("the sweep of identity", () => {
  const on = stage();
  const count = async (table: string, where: string, id: string) =>
    (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where} = ?`).bind(id).first<{ n: number }>())?.n;

  test("removes tokens a day after their end and the grant with its last token", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { userId } = await letIn(on);
    const { id } = (await env.DB.prepare("SELECT id FROM oauth_grants WHERE user_id = ?")
      .bind(userId)
      .first<{ id: string }>())!;
    const at = async (offset: number) => {
      vi.setSystemTime(start + offset);
      await sweepIdentity(services);
      return [await count("oauth_tokens", "grant_id", id), await count("oauth_grants", "id", id)];
    };
    expect(await at(HOUR)).toEqual([2, 1]);
    expect(await at(HOUR + DAY + 1000)).toEqual([1, 1]);
    expect(await at(30 * DAY + 1000)).toEqual([1, 1]);
    expect(await at(31 * DAY + 1000)).toEqual([0, 0]);
  });

  test("removes revoked grants after a day, and sessions at their end", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { userId, browser } = await letIn(on);
    await browser.post("/dashboard/profile/password", { new_password: "another long password", revoke_all: "yes" });
    await sweepIdentity(services);
    expect(await count("oauth_grants", "user_id", userId)).toBe(1);
    vi.setSystemTime(start + DAY + 1000);
    await sweepIdentity(services);
    expect(await count("oauth_grants", "user_id", userId)).toBe(0);
    expect(await count("sessions", "user_id", userId)).toBe(1);
    vi.setSystemTime(start + 30 * DAY);
    await sweepIdentity(services);
    expect(await count("sessions", "user_id", userId)).toBe(0);
  });
});
