import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import { HOUR, MINUTE } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import {
  cancelPost,
  confirmEdit,
  confirmSchedule,
  disconnectAccount,
  listPosts,
  pauseForAccounts,
  pausePost,
  previewEdit,
  previewSchedule,
  readmitAccounts,
  resumePost,
} from "#posting/index.ts";
import { counted, kept } from "./counted.ts";
import { account, hashOfRows, type House, house, NOON, refusalsIn, schedule, stopTheClock } from "./test-context.ts";

beforeEach(() => stopTheClock());

interface Walk {
  readonly ctx: House;
  readonly accounts: readonly string[];
  readonly posts: string[];
  /** Previewed and not confirmed yet, some of them used already. */
  readonly tokens: { readonly kind: "schedule" | "edit"; readonly confirmationToken: string }[];
}

type Step = (walk: Walk) => Promise<unknown>;

const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)];

/** One step in the life of an account: what the accounts room writes and then tells this one. */
async function setAccount(id: string, columns: string): Promise<void> {
  await env.DB.prepare(`UPDATE accounts SET ${columns} WHERE id = ?`).bind(id).run();
}

const n = fc.nat(20);
const preview = fc
  .tuple(n, n, fc.integer({ min: 0, max: 50 }))
  .map(([a, b, hours]): Step => async ({ ctx, accounts, tokens }) => {
    const accountIds = [...new Set([pick(accounts, a)!, pick(accounts, b)!])];
    const input = { caption: "Hello", scheduledAt: ctx.clock.now() + hours * HOUR, accountIds };
    tokens.push({ kind: "schedule", ...(await previewSchedule(ctx, input)) });
  });

const edit = fc
  .tuple(n, n, n, fc.integer({ min: -30, max: 60 * 30 }))
  .map(([first, second, how, minutes]): Step => async ({ ctx, accounts, posts, tokens }) => {
    const postIds = [...new Set([pick(posts, first)!, pick(posts, second)!])].slice(0, 1 + (how % 2));
    const scheduledAt = ctx.clock.now() + minutes * MINUTE;
    const edits = [
      { caption: `Edit ${minutes}`, scheduledAt },
      { shiftMinutes: minutes },
      { caption: `Edit ${minutes}` },
      { scheduledAt, accountIds: [pick(accounts, first)!] },
      { targets: [{ accountId: pick(accounts, second)!, caption: "Own" }] },
      { targetOptions: [{ accountId: pick(accounts, first)!, platformOptions: { minutes } }] },
    ];
    tokens.push({ kind: "edit", ...(await previewEdit(ctx, { postIds, ...pick(edits, how)! })) });
  });

const confirm = fc
  .tuple(n, fc.integer({ min: 1, max: 3 }))
  .map(([which, times]): Step => async ({ ctx, posts, tokens }) => {
    const token = pick(tokens.slice(-3), which);
    if (!token) {
      return;
    }
    const verb = token.kind === "schedule" ? confirmSchedule : confirmEdit;
    const ends = await Promise.allSettled(Array.from({ length: times }, () => verb(ctx, token)));
    const [made, ...more] = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value.posts] : []));
    if (more.length > 0) {
      throw new Error("a token worked more than once");
    }
    posts.push(...(made ?? []).map(({ id }) => id).filter((id) => !posts.includes(id)));
    // Nothing else may come out of a confirm than a post or a refusal.
    refusalsIn(ends);
  });

const move = (verb: typeof cancelPost | typeof pausePost | typeof resumePost) =>
  n.map(
    (which): Step =>
      ({ ctx, posts }) =>
        verb(ctx, { id: pick(posts, which)! }),
  );

const disconnect = n.map(
  (which): Step =>
    ({ ctx, accounts }) =>
      disconnectAccount(ctx, { accountId: pick(accounts, which)! }),
);

const block = n.map((which): Step => async ({ ctx, accounts }) => {
  const id = pick(accounts, which)!;
  await setAccount(id, "status = 'needs_reconnect'");
  await pauseForAccounts(ctx, [id]);
});

const reconnect = n.map((which): Step => async ({ ctx, accounts }) => {
  const id = pick(accounts, which)!;
  await setAccount(id, "status = 'active', disconnected_at = NULL");
  await readmitAccounts(ctx, [id]);
});

/** As the publisher ends a run of a post that is due: its first target is public unless all failed. */
const run = fc
  .tuple(n, fc.constantFrom("published", "partially_failed", "failed"))
  .map(([which, status]): Step => async ({ ctx, posts }) => {
    const [id, now] = [pick(posts, which)!, ctx.clock.now()];
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE posts SET status = 'publishing' WHERE id = ?1 AND status = 'scheduled' AND scheduled_at <= ?2",
      ).bind(id, now),
      env.DB.prepare(
        `UPDATE post_targets SET published_at = ?3, started_at = ?3, state = iif(?2 = 'published' OR (?2 = 'partially_failed'
             AND account_id = (SELECT min(account_id) FROM post_targets WHERE post_id = ?1)), 'published', 'failed')
           WHERE post_id = ?1 AND state = 'pending' AND (SELECT status FROM posts WHERE id = ?1) = 'publishing'`,
      ).bind(id, status, now),
      env.DB.prepare("UPDATE posts SET status = ?2, watch_at = NULL WHERE id = ?1 AND status = 'publishing'").bind(
        id,
        status,
      ),
    ]);
  });

const wait = fc.integer({ min: 1, max: 150 }).map((minutes): Step => async ({ ctx }) => {
  vi.setSystemTime(ctx.clock.now() + minutes * MINUTE);
});

const step = fc.oneof(
  { weight: 2, arbitrary: preview },
  { weight: 6, arbitrary: edit },
  { weight: 7, arbitrary: confirm },
  { weight: 1, arbitrary: move(cancelPost) },
  { weight: 2, arbitrary: move(pausePost) },
  { weight: 2, arbitrary: move(resumePost) },
  { weight: 1, arbitrary: disconnect },
  { weight: 1, arbitrary: block },
  { weight: 3, arbitrary: reconnect },
  { weight: 4, arbitrary: run },
  { weight: 2, arbitrary: wait },
);

test("whatever happens to posts: counters, watches, versions and plan hashes stay true", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 35, size: "max" }), async (walkSteps) => {
      stopTheClock();
      const ctx = house();
      const accounts = [await account(ctx), await account(ctx), await account(ctx, "instagram")];
      const posts: string[] = [];
      for (let hours = 1; hours <= 4; hours++) {
        const accountIds = accounts.slice(hours % 2, 3);
        posts.push((await schedule(ctx, { accountIds, scheduledAt: NOON + hours * HOUR })).id);
      }
      const walk: Walk = { ctx, accounts, posts, tokens: [] };
      const versions = new Map<string, number>();
      for (const take of walkSteps) {
        await take(walk).catch((error: unknown) => {
          if (!(error instanceof RefusalError)) {
            throw error;
          }
        });
        await ctx.settled();
        await check(walk, versions);
      }
    }),
    { numRuns: 10 },
  );
}, 120_000);

async function check({ ctx, posts }: Walk, versions: Map<string, number>): Promise<void> {
  const { workspaceId } = ctx.actor;
  expect(await kept(workspaceId)).toEqual(await counted(workspaceId));
  const { results } = await env.DB.prepare(
    `SELECT p.*, (SELECT count(*) FROM post_targets t WHERE t.post_id = p.id) AS targets FROM posts p WHERE workspace_id = ?`,
  )
    .bind(workspaceId)
    .all<{
      id: string;
      status: string;
      watch_at: number | null;
      paused_reason: string | null;
      version: number;
      plan_hash: string;
      targets: number;
    }>();
  expect(results.map(({ id }) => id).toSorted()).toEqual(posts.toSorted());
  for (const post of results) {
    expect(post.watch_at !== null).toBe(post.status === "scheduled" || post.status === "publishing");
    expect(post.paused_reason !== null).toBe(post.status === "paused");
    expect(post.targets).toBeGreaterThan(0);
    expect(post.version).toBeGreaterThanOrEqual(versions.get(post.id) ?? 1);
    expect(await hashOfRows(post.id)).toBe(post.plan_hash);
    versions.set(post.id, post.version);
  }
  const { pagination } = await listPosts(ctx, {
    limit: 1,
    offset: 0,
    fields: "summary",
    order: "asc",
    includePast: true,
  });
  expect(pagination.total).toBe(results.filter(({ status }) => status !== "cancelled").length);
}
