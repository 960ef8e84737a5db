import { env } from "cloudflare:workers";
import { v7 } from "uuid";
import { afterEach, beforeEach, vi } from "vitest";
import { archivePosts } from "#archive/index.ts";
import type { Actor } from "#core/actor.ts";
import { DAY, HOUR, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import type { Plan } from "#core/plan.ts";
import type { PostStatus, TargetState } from "#core/status.ts";
import type { StoredAttempt } from "#db/schema.ts";
import { createTestContext, freezeClock, type TestContext, type TestContextOptions } from "../posts/test-context.ts";

/** In the future of the real clock; finished months of more than a year ago end with May 2030. */
export const NOW = Date.UTC(2031, 5, 15, 12);
/** A day in a month that is archived. */
export const OLD = Date.UTC(2030, 3, 10, 9);

/** Each test begins at `NOW` with no other workspace and a pass that has not begun. */
export function useArchiveClock(): void {
  beforeEach(async () => {
    freezeClock(NOW);
    await forgetWorkspaces();
    await startNextPass();
  });
  afterEach(() => {
    setFailpointHook(undefined);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/** A context of a user whose workspace the archiving finds. */
export async function createArchiveContext(
  options: TestContextOptions & { readonly plan?: Plan } = {},
): Promise<TestContext> {
  const ctx = createTestContext(options);
  const { userId, workspaceId } = ctx.actor;
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO users (id, email, active_workspace_id, created_at) VALUES (?1, ?1 || '@test.example', ?2, 1)",
    ).bind(userId, workspaceId),
    env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'W', 1)").bind(
      workspaceId,
      userId,
    ),
    env.DB.prepare("INSERT INTO subscriptions (user_id, plan, status, updated_at) VALUES (?, ?, 'active', 1)").bind(
      userId,
      options.plan ?? "growth",
    ),
  ]);
  return ctx;
}

export interface OldPost {
  readonly at?: number;
  readonly status?: PostStatus;
  readonly states?: readonly TargetState[];
  readonly accountIds?: readonly string[];
  readonly caption?: string;
  readonly updatedAt?: number;
  readonly id?: string;
}

const ATTEMPT: StoredAttempt = {
  at: 1,
  step: "commit",
  outcome: "published",
  httpStatus: 200,
  platformCode: null,
  message: null,
  nextAttemptAt: null,
};

const MEDIA = JSON.stringify([
  {
    id: "8b0f0f7e-5c1d-4f4e-9a3e-2d7c6b5a4f31",
    type: "image",
    url: "https://almanac.example.org/media/8b0f0f7e-5c1d-4f4e-9a3e-2d7c6b5a4f31/launch.jpg",
    contentType: "image/jpeg",
    sizeBytes: 284113,
    width: 1080,
    height: 1350,
    durationSeconds: null,
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
]);

/** Inserts posts as the publisher leaves them; returns their ids in the given order. */
export async function insertPosts(
  actor: Pick<Actor, "userId" | "workspaceId">,
  posts: readonly OldPost[],
): Promise<string[]> {
  const rows = posts.map((post, index) => {
    const at = post.at ?? OLD;
    const states = post.states ?? ["published"];
    return {
      id: post.id ?? v7({ msecs: at - HOUR }),
      status: post.status ?? "published",
      at,
      updatedAt: post.updatedAt ?? at + SECOND,
      caption: post.caption ?? `The glaze of day ${index}`,
      targets: states.map((state, position) => ({
        accountId: post.accountIds?.[position] ?? `0197a3f0-5b1e-7c42-9d27-3f6c1a2b4d5${position}`,
        position,
        state,
        published: state === "published",
      })),
    };
  });
  const list = JSON.stringify(rows);
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
         confirm_hash, created_via, created_by, changes, created_at, updated_at, finished_at)
       SELECT j.value ->> 'id', ?2, ?3, j.value ->> 'status', j.value ->> 'at', 2, 'image', j.value ->> 'caption', ?4, '["x"]', 'plan',
         'confirm', 'api', '{"kind":"key","id":"0197a3f0-5b1e-7c42-9d27-3f6c1a2b4d5e","name":"Shop"}', '[]', (j.value ->> 'at') - ${HOUR}, j.value ->> 'updatedAt',
         iif(j.value ->> 'status' IN ('published', 'partially_failed', 'failed'), j.value ->> 'updatedAt', NULL) FROM json_each(?1) j`,
    ).bind(list, actor.workspaceId, actor.userId, MEDIA),
    env.DB.prepare(
      `INSERT INTO post_targets (post_id, account_id, position, platform, username, effective_caption, options, requested_options, state, due_at,
         started_at, published_at, attempts, remote_id, remote_url, history, updated_at)
       SELECT j.value ->> 'id', t.value ->> 'accountId', t.value ->> 'position', 'x', 'ada_makes', j.value ->> 'caption', '{"reply_settings":null}', '{}', t.value ->> 'state', j.value ->> 'at',
         j.value ->> 'at', iif(t.value ->> 'published', (j.value ->> 'at') + 900, NULL), 1, iif(t.value ->> 'published', 'remote-1', NULL),
         iif(t.value ->> 'published', 'https://x.example/ada_makes/1', NULL), ?2, j.value ->> 'updatedAt'
       FROM json_each(?1) j, json_each(j.value, '$.targets') t`,
    ).bind(list, JSON.stringify([ATTEMPT])),
    env.DB.prepare(
      "INSERT INTO post_media (media_id, post_id) SELECT '8b0f0f7e-5c1d-4f4e-9a3e-2d7c6b5a4f31', j.value ->> 'id' FROM json_each(?1) j",
    ).bind(list),
  ]);
  return rows.map(({ id }) => id);
}

/** Runs the archiving as often as the cron would until its pass of the day is done; returns how many posts it moved. */
export async function runPass(ctx: TestContext): Promise<number> {
  let posts = 0;
  for (let runs = 0; runs < 50; runs += 1) {
    const run = await archivePosts(ctx);
    if (run === null) {
      return posts;
    }
    posts += run.posts;
  }
  throw new Error("the pass does not end");
}

/** The archiving no longer finds the workspaces of the tests before. */
async function forgetWorkspaces(): Promise<void> {
  await env.DB.prepare("DELETE FROM workspaces").run();
}

/** The next pass begins now instead of tomorrow. */
export async function startNextPass(): Promise<void> {
  await env.DB.prepare("UPDATE service SET archived_day = 0, archived_to = ''").run();
}

/** The ids of the posts that are in the database. */
export async function idsInDatabase({ workspaceId }: Pick<Actor, "workspaceId">): Promise<string[]> {
  const { results } = await env.DB.prepare("SELECT id FROM posts WHERE workspace_id = ? ORDER BY scheduled_at, id")
    .bind(workspaceId)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** The keys of the workspace's files. */
export async function keysInBucket({ workspaceId }: Pick<Actor, "workspaceId">): Promise<string[]> {
  const { objects } = await env.MEDIA.list({ prefix: `archive/${workspaceId}/` });
  return objects.map(({ key }) => key);
}

export const daysLater = (days: number): number => NOW + days * DAY;
