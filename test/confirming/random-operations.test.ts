import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import { HOUR, MINUTE } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import {
  cancelPost,
  disconnectAccount,
  pausePostsOfAccounts,
  pausePost,
  resumePostsOfAccounts,
  resumePost,
} from "#post-status/index.ts";
import { confirmEdit, confirmSchedule, previewEdit, previewSchedule } from "#confirming/index.ts";
import { listPosts } from "#posts/index.ts";
import { expectedDayCounters, storedDayCounters } from "../posts/summary/day-counters.ts";
import {
  createAccount,
  planHashOfRows,
  type TestContext,
  createTestContext,
  NOON,
  refusalsIn,
  schedulePost,
  freezeClock,
  updateAccountRow,
} from "../posts/test-context.ts";

beforeEach(() => freezeClock());

interface RandomRun {
  readonly ctx: TestContext;
  readonly accounts: readonly string[];
  readonly posts: string[];
  /** Tokens of all previews, including used ones. */
  readonly tokens: { readonly kind: "schedule" | "edit"; readonly confirmationToken: string }[];
}

type Step = (run: RandomRun) => Promise<unknown>;

const elementAt = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)];

const index = fc.nat(20);
const preview = fc
  .tuple(index, index, fc.integer({ min: 0, max: 50 }))
  .map(([a, b, hours]): Step => async ({ ctx, accounts, tokens }) => {
    const accountIds = [...new Set([elementAt(accounts, a)!, elementAt(accounts, b)!])];
    const input = { caption: "Hello", scheduledAt: ctx.clock.now() + hours * HOUR, accountIds };
    tokens.push({ kind: "schedule", ...(await previewSchedule(ctx, input)) });
  });

const edit = fc
  .tuple(index, index, index, fc.integer({ min: -30, max: 60 * 30 }))
  .map(([first, second, how, minutes]): Step => async ({ ctx, accounts, posts, tokens }) => {
    const postIds = [...new Set([elementAt(posts, first)!, elementAt(posts, second)!])].slice(0, 1 + (how % 2));
    const scheduledAt = ctx.clock.now() + minutes * MINUTE;
    const edits = [
      { caption: `Edit ${minutes}`, scheduledAt },
      { shiftMinutes: minutes },
      { caption: `Edit ${minutes}` },
      { scheduledAt, accountIds: [elementAt(accounts, first)!] },
      { targets: [{ accountId: elementAt(accounts, second)!, caption: "Own" }] },
      { targetOptions: [{ accountId: elementAt(accounts, first)!, platformOptions: { minutes } }] },
    ];
    tokens.push({ kind: "edit", ...(await previewEdit(ctx, { postIds, ...elementAt(edits, how)! })) });
  });

const confirm = fc
  .tuple(index, fc.integer({ min: 1, max: 3 }))
  .map(([which, times]): Step => async ({ ctx, posts, tokens }) => {
    const token = elementAt(tokens.slice(-3), which);
    if (!token) {
      return;
    }
    const confirmToken = token.kind === "schedule" ? confirmSchedule : confirmEdit;
    const results = await Promise.allSettled(Array.from({ length: times }, () => confirmToken(ctx, token)));
    const [confirmed, ...others] = results.flatMap((result) =>
      result.status === "fulfilled" ? [result.value.posts] : [],
    );
    if (others.length > 0) {
      throw new Error("a token worked more than once");
    }
    posts.push(...(confirmed ?? []).map(({ id }) => id).filter((id) => !posts.includes(id)));
    // A confirm may only return posts or refuse; any other error is thrown here.
    refusalsIn(results);
  });

const changeStatusStep = (changeStatus: typeof cancelPost | typeof pausePost | typeof resumePost) =>
  index.map(
    (which): Step =>
      ({ ctx, posts }) =>
        changeStatus(ctx, { id: elementAt(posts, which)! }),
  );

const disconnect = index.map(
  (which): Step =>
    ({ ctx, accounts }) =>
      disconnectAccount(ctx, { accountId: elementAt(accounts, which)! }),
);

const blockAccount = index.map((which): Step => async ({ ctx, accounts }) => {
  const id = elementAt(accounts, which)!;
  await updateAccountRow(id, { status: "needs_reconnect" });
  await pausePostsOfAccounts(ctx, [id]);
});

const reconnect = index.map((which): Step => async ({ ctx, accounts }) => {
  const id = elementAt(accounts, which)!;
  await updateAccountRow(id, { status: "active", disconnected_at: null });
  await resumePostsOfAccounts(ctx, [id]);
});

/** Ends a run of a due post like the publisher: the first target is published unless all failed. */
const publish = fc
  .tuple(index, fc.constantFrom("published", "partially_failed", "failed"))
  .map(([which, status]): Step => async ({ ctx, posts }) => {
    const [id, now] = [elementAt(posts, which)!, ctx.clock.now()];
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

const advanceClock = fc.integer({ min: 1, max: 150 }).map((minutes): Step => async ({ ctx }) => {
  vi.setSystemTime(ctx.clock.now() + minutes * MINUTE);
});

const step = fc.oneof(
  { weight: 2, arbitrary: preview },
  { weight: 6, arbitrary: edit },
  { weight: 7, arbitrary: confirm },
  { weight: 1, arbitrary: changeStatusStep(cancelPost) },
  { weight: 2, arbitrary: changeStatusStep(pausePost) },
  { weight: 2, arbitrary: changeStatusStep(resumePost) },
  { weight: 1, arbitrary: disconnect },
  { weight: 1, arbitrary: blockAccount },
  { weight: 3, arbitrary: reconnect },
  { weight: 4, arbitrary: publish },
  { weight: 2, arbitrary: advanceClock },
);

test("after any sequence of operations, counters, watch_at, versions and plan hashes are consistent", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 35, size: "max" }), async (steps) => {
      freezeClock();
      const ctx = createTestContext();
      const accounts = [await createAccount(ctx), await createAccount(ctx), await createAccount(ctx, "instagram")];
      const posts: string[] = [];
      for (let hours = 1; hours <= 4; hours++) {
        const accountIds = accounts.slice(hours % 2, 3);
        posts.push((await schedulePost(ctx, { accountIds, scheduledAt: NOON + hours * HOUR })).id);
      }
      const randomRun: RandomRun = { ctx, accounts, posts, tokens: [] };
      const versions = new Map<string, number>();
      for (const runStep of steps) {
        await runStep(randomRun).catch((error: unknown) => {
          if (!(error instanceof RefusalError)) {
            throw error;
          }
        });
        await ctx.waitForDeferred();
        await assertInvariants(randomRun, versions);
      }
    }),
    { numRuns: 10 },
  );
}, 120_000);

async function assertInvariants({ ctx, posts }: RandomRun, versions: Map<string, number>): Promise<void> {
  const { workspaceId } = ctx.actor;
  expect(await storedDayCounters(workspaceId)).toEqual(await expectedDayCounters(workspaceId));
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
    expect(await planHashOfRows(post.id)).toBe(post.plan_hash);
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
