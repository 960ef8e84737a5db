import { env } from "cloudflare:workers";
import { beforeEach, test } from "vitest";
import { DAY } from "#core/clock.ts";
import { listPosts, previewSchedule, previewEdit, getPost, cancelPost, summarizeSchedule, confirmEdit, disconnectAccount, pauseForAccounts, readmitAccounts } from "#posting/index.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { account, house, NOON, schedule, stopTheClock, inAnHour } from "./house.ts";
beforeEach(() => stopTheClock());
test("probe", async () => {
  const ctx = house({ adapters: { x: scriptedAdapter("x", { dailyCaps: [{ count: 50000, windowHours: 24, what: "p" }] }) } });
  const x = await account(ctx);
  const y = await account(ctx);
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) ids.push((await schedule(ctx, { accountIds: [x, y], scheduledAt: inAnHour(ctx) + i * DAY })).id);
  const n = 20000;
  await env.DB.prepare(`WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<${n}) INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms,
         plan_hash, confirm_hash, created_via, created_at, updated_at)
       SELECT 'p'||i||?1, ?1, ?2, 'published', ?3 - 86400000*2 - i*100000, 1, NULL, 'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1 FROM s`).bind(ctx.actor.workspaceId, ctx.actor.userId, NOON).run();
  await env.DB.prepare(`INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at) SELECT id, ?2, 'x', '', '', '{}', 'published', scheduled_at, '[]', 1 FROM posts WHERE workspace_id = ?1 AND status='published'`).bind(ctx.actor.workspaceId, x).run();
  const show = async (name: string, work: () => Promise<unknown>) => { ctx.counting.reset(); await work(); const c = { ...ctx.counting.count }; await ctx.settled(); console.log(name, JSON.stringify(c), "after", JSON.stringify(ctx.counting.count)); };
  const base = { limit: 50, offset: 0, fields: "full", order: "asc" } as const;
  await show("list", () => listPosts(ctx, base));
  await show("list past", () => listPosts(ctx, { ...base, includePast: true }));
  await show("list past desc summary", () => listPosts(ctx, { ...base, includePast: true, order: "desc", fields: "summary" }));
  await show("list deep 10000", () => listPosts(ctx, { ...base, includePast: true, offset: 10000 }));
  await show("list 900", () => listPosts(ctx, { ...base, includePast: true, offset: 900 }));
  await show("get", () => getPost(ctx, { id: ids[0]! }));
  let t = "";
  await show("preview", async () => { t = (await previewSchedule(ctx, { caption: "x", scheduledAt: inAnHour(ctx), platforms: ["x"] })).confirmationToken; });
  await show("schedule", () => schedule(ctx, { accountIds: [x, y] }));
  await show("edit preview", async () => { t = (await previewEdit(ctx, { postIds: ids, shiftMinutes: 10 })).confirmationToken; });
  await show("edit confirm", () => confirmEdit(ctx, { confirmationToken: t }));
  await show("summary", () => summarizeSchedule(ctx, { timezone: "Europe/Berlin" }));
  await show("cancel", () => cancelPost(ctx, { id: ids[1]! }));
  await env.DB.prepare("UPDATE accounts SET status='needs_reconnect' WHERE id=?").bind(x).run();
  await show("pauseFor", () => pauseForAccounts(ctx, [x]));
  await env.DB.prepare("UPDATE accounts SET status='active' WHERE id=?").bind(x).run();
  await show("readmit", () => readmitAccounts(ctx, [x]));
  await show("disconnect", () => disconnectAccount(ctx, { accountId: x }));
});
