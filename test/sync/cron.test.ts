import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { claimFirstDueConnections, listAccounts, startConnect } from "#accounts/index.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { reconnect, temporary } from "#platforms/fault.ts";
import { runCron } from "#sync/index.ts";
import { completeConnect, createTestServices, queryRows, createTestUser } from "../accounts/test-context.ts";
import { postableAccount, ScriptedPlatform } from "../accounts/scripted-platform.ts";

let start = Date.UTC(2031, 0, 1);
let logged: Record<string, unknown>[] = [];

beforeEach(() => {
  start += 31 * DAY;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(start);
  logged = [];
  for (const method of ["info", "warn", "error"] as const) {
    vi.spyOn(console, method).mockImplementation(
      (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>),
    );
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const summary = () => logged.findLast((line) => line["event"] === "account_sync");

async function connectAccounts(accounts = [postableAccount("1")]) {
  await queryRows("UPDATE connections SET next_sync_at = NULL");
  const platform = new ScriptedPlatform("facebook");
  const ada = platform.addUser("ada", accounts);
  const services = createTestServices(platform);
  const ctx = await createTestUser(services);
  await completeConnect(ctx, "facebook", "ada");
  return { platform, ada, services, ctx };
}

/** A scheduled post of these accounts; returns a function that reads its status. */
async function insertPost(
  ctx: { actor: { userId: string; workspaceId: string } },
  accountIds: readonly string[],
  at: number,
) {
  const id = crypto.randomUUID();
  await queryRows(
    `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at)
     VALUES (?1, ?2, ?3, 'scheduled', ?4, 1, NULL, 'text', 'hello', '[]', '["facebook"]', 'h', ?1, 'api', ?5, ?5)`,
    id,
    ctx.actor.workspaceId,
    ctx.actor.userId,
    at,
    Date.now(),
  );
  for (const accountId of accountIds) {
    await queryRows(
      `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
       VALUES (?1, ?2, 'facebook', 'u', 'hello', '{}', 'pending', ?3, '[]', ?4)`,
      id,
      accountId,
      at,
      Date.now(),
    );
  }
  return async () => (await queryRows("SELECT status, paused_reason FROM posts WHERE id = ?", id))[0];
}

describe("the account sync of cron", () => {
  test("does nothing and logs nothing while nothing is due", async ({ expect }) => {
    const { services, platform } = await connectAccounts();
    await runCron(services);
    expect(platform.calls).toMatchObject({ accounts: 1, refresh: 0 });
    expect(summary()).toBeUndefined();
  });

  test("refreshes a token before it expires, and lists the accounts twice a day", async ({ expect }) => {
    const { services, platform, ctx, ada } = await connectAccounts();
    vi.setSystemTime(start + 2 * HOUR - 5 * MINUTE);
    await runCron(services);
    expect(summary()).toMatchObject({ due: 1, refreshed: 1, listed: 0, failed: 0 });
    expect(platform.calls).toMatchObject({ accounts: 1, refresh: 1 });
    ada.accounts = [postableAccount("1", { displayName: "Renamed" }), postableAccount("2")];
    vi.setSystemTime(start + DAY);
    await runCron(services);
    expect(summary()).toMatchObject({ due: 1, listed: 1, added: 1 });
    expect((await listAccounts(ctx)).map((account) => account.displayName)).toEqual(["Renamed"]);
  });

  test("uses no token of a database that was put back: a newer one may have replaced it", async ({ expect }) => {
    const { services, platform } = await connectAccounts();
    vi.setSystemTime(start + DAY);
    await runCron(services, { isHeld: true });
    expect(platform.calls).toMatchObject({ accounts: 1, refresh: 0 });
    await runCron(services);
    expect(platform.calls.accounts).toBe(2);
  });

  test("calls the platform once when runs are parallel", async ({ expect }) => {
    const { services, platform } = await connectAccounts();
    vi.setSystemTime(start + DAY);
    await Promise.all([runCron(services), runCron(services), runCron(services)]);
    expect(platform.calls.accounts).toBe(2);
  });

  test("syncs the others when one fails, and retries the failed one after a wait", async ({ expect }) => {
    const { services, platform, ctx } = await connectAccounts();
    platform.addUser("bob", [postableAccount("9")]);
    await completeConnect(ctx, "facebook", "bob");
    vi.setSystemTime(start + DAY);
    platform.faults.accounts.push(temporary("The platform did not answer.", { httpStatus: 503 }));
    await runCron(services);
    expect(summary()).toMatchObject({ due: 2, listed: 1, failed: 1 });
    const [failed] = await queryRows(
      "SELECT next_sync_at, sync_failures FROM connections WHERE user_id = ? AND sync_failures > 0",
      ctx.actor.userId,
    );
    expect(failed).toMatchObject({ sync_failures: 1 });
    expect(failed?.["next_sync_at"]).toBeGreaterThanOrEqual(start + DAY + 5 * MINUTE);
    expect(failed?.["next_sync_at"]).toBeLessThan(start + DAY + 7 * MINUTE);
  });

  test("repeats the work of a crashed run", async ({ expect }) => {
    const { services, platform } = await connectAccounts();
    vi.setSystemTime(start + DAY);
    await claimFirstDueConnections(services.db, Date.now());
    await runCron(services);
    expect(platform.calls.accounts).toBe(1);
    vi.setSystemTime(start + DAY + 4 * MINUTE);
    await runCron(services);
    expect(platform.calls.accounts).toBe(2);
  });

  test("pauses the posts of a login that ended, and reports the account as reactivated after a new login", async ({
    expect,
  }) => {
    const { services, platform, ctx } = await connectAccounts();
    const [account] = await listAccounts(ctx);
    const status = await insertPost(ctx, [account!.id], start + 3 * DAY);
    vi.setSystemTime(start + DAY);
    platform.faults.refresh.push(reconnect("Ada withdrew the app.", { httpStatus: 400 }));
    await runCron(services);
    expect(summary()).toMatchObject({ due: 1, ended: 1, blocked: 1 });
    expect(await status()).toMatchObject({ status: "paused", paused_reason: "account" });
    const reconnected = await completeConnect(ctx, "facebook", "ada");
    expect(reconnected.reactivatedAccountIds).toEqual([account!.id]);
  });

  test("pauses the posts of a login that ended while another post was being published", async ({ expect }) => {
    const { services, ctx } = await connectAccounts();
    const [account] = await listAccounts(ctx);
    const status = await insertPost(ctx, [account!.id], start + 3 * DAY);
    await queryRows("UPDATE accounts SET status = 'needs_reconnect', status_reason = 'gone' WHERE id = ?", account!.id);
    await queryRows(
      "UPDATE connections SET status = 'needs_reconnect', next_sync_at = ? WHERE user_id = ?",
      start,
      ctx.actor.userId,
    );
    await runCron(services);
    expect(await status()).toMatchObject({ status: "paused" });
    logged = [];
    vi.setSystemTime(start + DAY);
    await runCron(services);
    expect(summary()).toBeUndefined();
  });
});

describe("the deletion of expired data", () => {
  test("deletes expired states and idempotency records older than a day, nothing newer", async ({ expect }) => {
    const { services, ctx } = await connectAccounts();
    await startConnect(ctx, { platform: "facebook" });
    const insertRecord = async (key: string, createdAt: number) =>
      await queryRows(
        "INSERT INTO idempotency_records (user_id, key, request_hash, created_at, lease_until) VALUES (?, ?, 'h', ?, 0)",
        ctx.actor.userId,
        key,
        createdAt,
      );
    vi.setSystemTime(start + 10 * MINUTE - 1);
    await insertRecord("old", Date.now() + 1 - DAY - 1);
    await insertRecord("recent", Date.now() + 1 - DAY);
    const remaining = async () => ({
      states: (await queryRows("SELECT hash FROM connect_states WHERE user_id = ?", ctx.actor.userId)).length,
      keys: (await queryRows("SELECT key FROM idempotency_records WHERE user_id = ?", ctx.actor.userId)).map(
        (row) => row["key"],
      ),
    });
    await runCron(services);
    expect((await remaining()).states).toBe(2);
    vi.setSystemTime(start + 10 * MINUTE);
    await runCron(services);
    expect(await remaining()).toEqual({ states: 0, keys: ["recent"] });
  });

  test("runs although the sync before it failed", async ({ expect }) => {
    const { services, ctx } = await connectAccounts();
    await startConnect(ctx, { platform: "facebook" });
    vi.setSystemTime(start + DAY);
    await runCron({
      ...services,
      arm: () => Promise.reject(new Error("down")),
      adapterFor: () => {
        throw new Error("broken");
      },
    });
    expect(await queryRows("SELECT hash FROM connect_states WHERE user_id = ?", ctx.actor.userId)).toEqual([]);
  });
});
