import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { HOUR, MINUTE } from "#core/clock.ts";
import { previewEdit, previewSchedule } from "#confirming/index.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  refusalOf,
  type TestContext,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

const AT = NOON + 100 * HOUR;

/** Posts of the account at these distances from `AT`; every fifth is cancelled and does not count. */
async function insertPosts(ctx: TestContext, accountId: string, distances: readonly number[]): Promise<string[]> {
  const posts = distances.map((distance, index) => ({
    id: crypto.randomUUID(),
    at: AT + distance,
    status: index % 5 === 4 ? "cancelled" : "scheduled",
    text: `Text ${index}`,
  }));
  const { userId, workspaceId } = ctx.actor;
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms,
         plan_hash, confirm_hash, created_via, created_at, updated_at)
       SELECT value ->> 'id', ?1, ?2, value ->> 'status', value ->> 'at', 1, iif(value ->> 'status' = 'scheduled', value ->> 'at', NULL),
         'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1 FROM json_each(?3)`,
    ).bind(workspaceId, userId, JSON.stringify(posts)),
    env.DB.prepare(
      `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, requested_options, state, due_at, history, updated_at)
       SELECT value ->> 'id', ?1, 'x', 'ada', value ->> 'text', '{}', '{}', 'pending', value ->> 'at', '[]', 1 FROM json_each(?2)`,
    ).bind(accountId, JSON.stringify(posts)),
  ]);
  return posts.filter(({ status }) => status !== "cancelled").map(({ id }) => id);
}

const preview = (accountId: string, caption = "Hello") => ({ caption, scheduledAt: AT, accountIds: [accountId] });

async function isRefused(work: Promise<unknown>): Promise<boolean> {
  const [result] = await Promise.allSettled([work]);
  return result.status === "rejected";
}

describe("a daily cap is decided as if every post of the window were read", () => {
  const cap = { count: 3, windowHours: 24, what: "posts" };
  const distance = fc.integer({ min: -26 * 60, max: 26 * 60 }).map((minutes) => minutes * MINUTE);

  test("for random times of other posts, also when they are many times the cap", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(distance, { maxLength: 40, size: "max" }), async (distances) => {
        const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { dailyCaps: [cap] }) } });
        const x = await createAccount(ctx);
        await insertPosts(ctx, x, distances);
        const counted = distances.filter((_, index) => index % 5 !== 4);
        const windowMs = cap.windowHours * HOUR;
        // Every window that contains the post and begins with a post.
        const starts = [0, ...counted.filter((start) => start <= 0 && start > -windowMs)];
        const most = Math.max(
          ...starts.map((start) => 1 + counted.filter((time) => time >= start && time < start + windowMs).length),
        );
        expect(await isRefused(previewSchedule(ctx, preview(x)))).toBe(most > cap.count);
      }),
      { numRuns: 60 },
    );
  });
});

describe("what is read of the posts around a post does not grow with them", () => {
  const duplicateText = { windowSeconds: 12 * 3600, note: "X refuses the same text for 12 hours" };
  const dailyCaps = [{ count: 20, windowHours: 24, what: "posts" }];

  async function measure(count: number): Promise<{ preview: number; edit: number }> {
    const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { dailyCaps, duplicateText }) } });
    const x = await createAccount(ctx);
    const distances = Array.from({ length: count }, (_, index) => (index - count / 2) * ((20 * HOUR) / count));
    const [first] = (await insertPosts(ctx, x, distances)) as [string];
    ctx.counting.reset();
    await refusalOf(previewSchedule(ctx, preview(x)));
    const ofPreview = ctx.counting.count.rowsRead;
    ctx.counting.reset();
    await refusalOf(previewEdit(ctx, { postIds: [first], scheduledAt: AT }));
    return { preview: ofPreview, edit: ctx.counting.count.rowsRead };
  }

  test("by a preview and by the preview of an edit", async () => {
    const [many, few] = [await measure(2000), await measure(500)];
    // A search of an index reads one row more where another workspace follows, whose id is random.
    expect(Math.abs(many.preview - few.preview)).toBeLessThan(10);
    expect(Math.abs(many.edit - few.edit)).toBeLessThan(10);
  });

  test("the nearest post with the same text is named, of the 10 posts on either side", async () => {
    const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { duplicateText }) } });
    const x = await createAccount(ctx);
    const ids = await insertPosts(
      ctx,
      x,
      Array.from({ length: 40 }, (_, index) => (index + 1) * MINUTE),
    );
    const warningsOf = async (caption: string) =>
      (await previewSchedule(ctx, preview(x, caption))).preview.targets.flatMap(({ warnings }) => warnings);
    expect(await warningsOf("Text 0")).toMatchObject([
      { code: "duplicate_text", message: expect.stringContaining(ids[0]!) },
    ]);
    expect(await warningsOf("Text 10")).toHaveLength(1);
    expect(await warningsOf("Text 38")).toEqual([]);
  });
});
