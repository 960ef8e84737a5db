import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { DAY } from "#core/clock.ts";
import type { Mail } from "#core/mailer.ts";
import { runCron } from "#sync/index.ts";
import { createOwner, endTarget, insertNotice } from "../notices/test-context.ts";
import { createAccount, createTestContext, freezeClock, NOON, schedulePost } from "../posts/test-context.ts";

beforeEach(() => {
  freezeClock();
  vi.spyOn(console, "info").mockImplementation(() => undefined);
});

test("one run announces what ends, mails what is new and deletes what is old", async () => {
  const ctx = createTestContext();
  const [email, account] = [await createOwner(ctx), await createAccount(ctx)];
  const { workspaceId } = ctx.actor;
  await schedulePost(ctx, { accountIds: [account], scheduledAt: NOON + 9 * DAY });
  await endTarget((await schedulePost(ctx, { accountIds: [account] })).id, account, "failed", null);
  await insertNotice(ctx, "post_failed", "old", NOON - 31 * DAY);
  await env.DB.batch([
    env.DB.prepare("UPDATE connections SET ends_at = ? WHERE workspace_id = ?").bind(NOON + DAY, workspaceId),
    env.DB.prepare("INSERT INTO event_logs (workspace_id, recording, sweep_at) VALUES (?, 0, 0)").bind(workspaceId),
    env.DB.prepare("INSERT INTO events VALUES (?, 1, 'post.scheduled', 's', 1, '{}')").bind(workspaceId),
  ]);
  const sent: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void sent.push(mail) };
  await runCron({ ...ctx, mailer });
  const { results } = await env.DB.prepare("SELECT kind FROM notices WHERE workspace_id = ? ORDER BY kind")
    .bind(workspaceId)
    .all<{ kind: string }>();
  expect(results.map(({ kind }) => kind)).toEqual(["account_expires_soon", "post_failed"]);
  expect(sent.map(({ to }) => to)).toEqual([email]);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM events").first("n")).toBe(0);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM event_logs").first("n")).toBe(0);
});
