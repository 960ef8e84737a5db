import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { firstTotalsStatement } from "#db/first-totals.ts";
import { countServiceHours, getOperations, watchService } from "#metrics/index.ts";
import { cancelPost } from "#post-status/index.ts";
import { confirmEdit, confirmSchedule, listApprovals, previewEdit, previewSchedule } from "#confirming/index.ts";
import {
  getOverview,
  findPostText,
  listAttempts,
  listCalendar,
  listPostTexts,
  summarizeSchedule,
} from "#posts/index.ts";
import { listLimits } from "#quotas/index.ts";
import { POST_JSON } from "#wire/schemas/store-post-json.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { createAccount, createTestContext, freezeClock, NOON, schedulePost, type TestContext } from "./test-context.ts";

/*
 * The rows that D1 counts as read by each operation, in databases of different sizes that the same triggers have filled. `npm run
 * rows-read -- 1000,100000,1000000` prints them.
 */

const SIZES = (import.meta.env["VITE_ROWS_READ_POSTS"] ?? "1000,20000").split(",").map(Number);
const print = (line: string): void => console.log(line); // oxlint-disable-line no-console -- the output of this test
/** More posts are more days of history, more days ahead and more posts on each day. */
const shapeOf = (posts: number) => {
  const past = Math.round(95 * Math.max(1, posts / 1000) ** 0.4);
  const ahead = Math.min(360, Math.round(95 * Math.max(1, posts / 1000) ** 0.25));
  return { past, ahead, perDay: Math.max(5, Math.round(posts / (past + ahead))) };
};
const PER_STATEMENT = 20_000;
const duplicateText = { windowSeconds: 12 * 3600, note: "X refuses the same text for 12 hours" };

interface Filled {
  readonly ctx: TestContext;
  readonly accounts: readonly string[];
  readonly ids: readonly string[];
}

/** Two accounts, and posts at every time of day but noon, where the time of the test is: what is within its quarter hour is counted row by row. */
async function fill(posts: number): Promise<Filled> {
  const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { duplicateText }) } });
  const { userId, workspaceId } = ctx.actor;
  await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Shop', ?)")
    .bind(workspaceId, userId, NOON)
    .run();
  await firstTotalsStatement(env.DB, workspaceId, NOON).run();
  const accounts = [await createAccount(ctx), await createAccount(ctx)];
  const { past, ahead, perDay } = shapeOf(posts);
  const count = (past + ahead) * perDay;
  for (let start = 0; start < count; start += PER_STATEMENT) {
    const rows = [start, Math.min(count, start + PER_STATEMENT), perDay, NOON - (past + 0.5) * DAY] as const;
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT ?3 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?4),
         times AS (SELECT i, CAST(?6 + CAST(i / ?5 AS INTEGER) * ${DAY} + iif((i % ?5) * 2 < ?5, ${HOUR}, ${13 * HOUR})
           + ((i % ?5) * 2 % ?5) * ${10 * HOUR} / ?5 AS INTEGER) AS at FROM n)
         INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms,
           plan_hash, confirm_hash, created_via, created_at, updated_at)
         SELECT ?1 || '-' || i, ?1, ?2, iif(at < ${NOON}, iif(i % 20 = 0, 'failed', 'published'), 'scheduled'), at, 1,
           iif(at < ${NOON}, NULL, at + 60000), 'text', 'Post ' || i, '[]', '["x"]', '', '', 'api', 1, 1 FROM times`,
      ).bind(workspaceId, userId, ...rows),
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT ?2 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3)
         INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, published_at,
           history, updated_at)
         SELECT p.id, a.value, 'x', 'ada', p.caption, '{}', iif(p.status = 'scheduled', 'pending', p.status), p.scheduled_at,
           iif(p.status = 'published', p.scheduled_at, NULL), '[]', 1
         FROM n CROSS JOIN posts p ON p.id = ?1 || '-' || i CROSS JOIN json_each(?4) a`,
      ).bind(workspaceId, rows[0], rows[1], JSON.stringify(accounts)),
    ]);
  }
  const ids: string[] = [];
  for (let hours = 1; hours <= 4; hours += 1) {
    const scheduledAt = NOON + 10 * DAY + hours * MINUTE;
    ids.push((await schedulePost(ctx, { accountIds: accounts, scheduledAt, caption: `Own ${hours}` })).id);
  }
  // As many labelled posts in each database, in the past and ahead.
  await env.DB.batch(
    ["<", ">"].map((side) =>
      env.DB.prepare(
        `INSERT INTO post_annotations (workspace_id, post_id, scheduled_at, external_id, metadata, labels, updated_at)
         SELECT p.workspace_id, p.id, p.scheduled_at, 'campaign', '{}', '["launch"]', 1 FROM posts p
         WHERE p.workspace_id = ?1 AND p.status IN ('published', 'scheduled') AND p.scheduled_at ${side} ${NOON} AND p.id LIKE ?1 || '%' LIMIT 100`,
      ).bind(workspaceId),
    ),
  );
  return { ctx, accounts, ids };
}

async function measure({ ctx, accounts, ids }: Filled): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  const count = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    ctx.counting.reset();
    const result = await work();
    rows[name] = ctx.counting.count.rowsRead;
    await ctx.waitForDeferred();
    return result;
  };
  const list = (input: Partial<Parameters<typeof listPostTexts>[1]>) =>
    listPostTexts(ctx, { limit: 50, offset: 0, order: "asc", fields: "full", ...input }, POST_JSON);
  const [first, second] = ids as [string, string];
  await count("list", () => list({}));
  await count("list, newest first", () => list({ order: "desc" }));
  await count("list, summary", () => list({ fields: "summary" }));
  await count("list, published", () => list({ status: "published" }));
  await count("list, published, newest first", () => list({ status: "published", order: "desc" }));
  await count("list, with the past", () => list({ includePast: true }));
  await count("list, one day", () => list({ from: NOON - DAY + MINUTE, until: NOON - 2 * MINUTE, limit: 3 }));
  await count("list, offset 300", () => list({ includePast: true, offset: 300 }));
  await count("list, offset 5000", () => list({ includePast: true, offset: 5000 }));
  await count("list, label", () => list({ label: "launch" }));
  await count("list, label and external id", () => list({ label: "launch", externalId: "campaign" }));
  await count("list, label, with the past", () => list({ label: "launch", includePast: true, order: "desc" }));
  await count("list, unknown label", () => list({ label: "nothing" }));
  await count("list, search, nothing found", () => list({ search: "nothing" }));
  await count("get", () => findPostText(ctx, { id: first }, POST_JSON));
  await count("attempts", () => listAttempts(ctx, { id: first }));
  await count("summary", () => summarizeSchedule(ctx, {}));
  await count("overview", () => getOverview(ctx, { timeZone: "UTC", subscriptionEndsAt: null }));
  const dayOfOwn = { from: NOON + 10 * DAY, until: NOON + 10 * DAY + 30 * MINUTE };
  await count("calendar, four posts", () => listCalendar(ctx, dayOfOwn));
  await count("limits", () => listLimits(ctx));
  await count("approvals", () => listApprovals(ctx, { limit: 10, offset: 0 }));
  const schedule = { caption: "Hello", scheduledAt: NOON + 20 * DAY, accountIds: accounts };
  const preview = await count("preview", () => previewSchedule(ctx, schedule));
  await count("confirm", () => confirmSchedule(ctx, preview));
  const edit = await count("edit preview", () => previewEdit(ctx, { postIds: [first], shiftMinutes: 24 * 60 }));
  await count("edit confirm", () => confirmEdit(ctx, edit));
  await count("cancel", () => cancelPost(ctx, { id: second }));
  // As after the first runs of the cron, with thirty days of counters: twenty in each hour of the last two days, and in each day before.
  await env.DB.batch([
    env.DB.prepare("UPDATE service_progress SET posts_to = (SELECT max(rowid) FROM posts)"),
    env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${78 * 20})
       INSERT OR IGNORE INTO service_hours (hour, metric, label, count, buckets)
       SELECT ${NOON / HOUR} - iif(i < ${48 * 20}, i / 20, (i / 20 - 46) * 24 + 12), iif(i % 2, 'outcome', 'lateness'), 'p' || (i % 20) || '.published', 1, iif(i % 2, '{}', '{"40":1}') FROM n`,
    ),
  ]);
  await countServiceHours(ctx);
  await count("cron, counting", () => countServiceHours(ctx));
  await count("cron, alerts", () => watchService(ctx));
  await count("page for operators", () => getOperations(ctx));
  return rows;
}

/** A range is read up to the row after its end, which a status without further posts, or a last day, does not have. */
const ROWS_AFTER_RANGES = 6;
/**
 * What depends on the posts around the new one, at most 10 on either side of an account, of which the small database has fewer; and what walks
 * the days before the offset, after which it ends. A search examines 5,000 posts at most, twice: for its page and for their number. The limits read the counters of two months, in more ranges than the others. The sum of bytes that ends a page at 4 MiB reads each of its rows once more.
 */
const BOUNDS = {
  preview: 250,
  "edit preview": 300,
  "list, offset 5000": 1550,
  limits: 85,
  "list, search, nothing found": 20_300,
};

describe("rows read", () => {
  const tables: Record<string, number>[] = [];

  beforeAll(async () => {
    freezeClock();
    for (const size of SIZES) {
      tables.push(await measure(await fill(size)));
    }
    const names = Object.keys(tables[0] ?? {});
    print(
      [["posts", ...SIZES], ...names.map((name) => [name, ...tables.map((table) => table[name])])]
        .map((cells) => `rows-read ${cells.join("\t")}`)
        .join("\n"),
    );
  }, 3_600_000);

  test("are equal, whatever the number of posts, of days and of posts on a day", () => {
    const [smallest = {}, ...others] = tables;
    for (const table of others) {
      for (const [name, rows] of Object.entries(table).filter(([other]) => !(other in BOUNDS))) {
        const difference = Math.abs(rows - (smallest[name] ?? 0));
        expect(difference, `${name}: ${smallest[name]} and ${rows}`).toBeLessThanOrEqual(ROWS_AFTER_RANGES);
      }
    }
  });

  test("are bounded where they depend on what is near", () => {
    for (const table of tables) {
      for (const [name, bound] of Object.entries(BOUNDS)) {
        expect(table[name], name).toBeLessThanOrEqual(bound);
      }
    }
  });
});
