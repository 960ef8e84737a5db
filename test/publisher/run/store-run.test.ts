import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DAY } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import {
  claimPostRow,
  failMissedPost,
  type RunResults,
  selectPublishRun,
  takeOverRun,
  writeRunResults,
} from "#publisher/run/store-run.ts";
import { createTargetRun, type TargetRun } from "#publisher/run/target-run.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const db = { db: openDb(env.DB) }.db;

/** A post with two targets, `a` and `b`. */
async function insertPost(
  overrides: { status?: string; scheduledAt?: number; runId?: string | null; a?: string } = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const target = (accountId: string, state: string) =>
    env.DB.prepare(
      `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
       VALUES (?, ?, 'x', 'ada', 'c', '{"k":1}', ?, ?, '[]', 0)`,
    ).bind(id, accountId, state, NOW);
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, run_id, watch_at, post_type, caption, media, platforms,
         plan_hash, confirm_hash, created_via, created_at, updated_at)
       VALUES (?1, ?1, 'u', ?2, ?3, 1, ?4, 1, 'text', 'c', '[]', '["x"]', '', '', 'api', 0, 0)`,
    ).bind(id, overrides.status ?? "scheduled", overrides.scheduledAt ?? NOW, overrides.runId ?? null),
    target("a", overrides.a ?? "pending"),
    target("b", "pending"),
  ]);
  return id;
}

const claim = (postId: string, runId = "own-run", now = NOW) =>
  claimPostRow(db, { postId, runId, version: 1, now, dueBy: now, notBefore: now - DAY });

const publishedRun = (accountId: string, overrides: Partial<TargetRun> = {}): TargetRun => ({
  ...createTargetRun({ accountId, attempts: 0, nextAttemptAt: null, progress: null, history: [] }, NOW),
  state: "published",
  remoteId: "9007199254740993",
  publishedAt: NOW,
  ...overrides,
});

const write = (postId: string, overrides: Partial<RunResults> = {}) =>
  writeRunResults(db, {
    postId,
    runId: "own-run",
    now: NOW,
    targets: [publishedRun("a"), publishedRun("b")],
    status: "published",
    ...overrides,
  });

async function readStates(postId: string): Promise<{ status: string; watchAt: number | null; a: unknown; b: unknown }> {
  const publishRun = await selectPublishRun(db, postId);
  const [a, b] = publishRun?.targets ?? [];
  return { status: publishRun?.post.status ?? "", watchAt: publishRun?.post.watchAt ?? null, a: a?.state, b: b?.state };
}

describe("claimPostRow and takeOverRun", () => {
  test("P6 (claim): a due post is claimed once, with everything that will be sent", async () => {
    const id = await insertPost();
    const [first, second] = await Promise.all([claim(id, "one"), claim(id, "two")]);
    expect(first?.post).toMatchObject({ status: "publishing", runId: second?.post.runId });
    expect(first?.targets).toMatchObject([{ accountId: "a", options: { k: 1 }, history: [] }, { accountId: "b" }]);
    expect(first?.post).toMatchObject({ media: [], platforms: ["x"], finishedAt: null });
  });

  test.each([
    ["scheduled", NOW + 1],
    ["scheduled", NOW - DAY],
    ["paused", NOW],
    ["cancelled", NOW],
    ["published", NOW],
    ["failed", NOW],
  ])("does not claim a %s post with the time %i", async (status, scheduledAt) => {
    const id = await insertPost({ status, scheduledAt });
    expect((await claim(id))?.post).toMatchObject({ status, runId: null });
  });

  test("claiming a post that does not exist finds nothing", async () => {
    expect(await claim(crypto.randomUUID())).toBeUndefined();
  });

  test("P9 (take-over): only one caller takes over a lost run", async () => {
    const id = await insertPost({ status: "publishing", runId: "lost" });
    const takeOver = (runId: string) => takeOverRun(db, { postId: id, previousRunId: "lost", runId, watchAt: NOW });
    expect((await Promise.all([takeOver("one"), takeOver("two")])).filter(Boolean)).toHaveLength(1);
  });
});

describe("writeRunResults", () => {
  test("P11 (the post ends): post and targets are written together, and a repetition changes nothing", async () => {
    const id = await insertPost();
    await claim(id);
    for (const now of [NOW, NOW + 1]) {
      expect(await write(id, { now })).toMatchObject({ status: "published", finishedAt: NOW, watchAt: null });
    }
    const publishRun = await selectPublishRun(db, id);
    expect(publishRun?.targets).toMatchObject([
      { state: "published", remoteId: "9007199254740993", error: null, progress: null, updatedAt: NOW },
      { state: "published" },
    ]);
  });

  test("results of another run change nothing", async () => {
    const id = await insertPost();
    await claim(id);
    expect(await write(id, { runId: "other-run" })).toMatchObject({ status: "publishing", runId: "own-run" });
    expect(await readStates(id)).toMatchObject({ status: "publishing", a: "pending", b: "pending" });
  });

  test("a target that has ended is never changed", async () => {
    const id = await insertPost({ a: "skipped" });
    await claim(id);
    await write(id, { status: undefined, targets: [publishedRun("b", { state: "failed" })] });
    await write(id, { status: "published" });
    expect(await readStates(id)).toMatchObject({ a: "skipped", b: "failed" });
  });

  test("a post that has ended is never reopened", async () => {
    const id = await insertPost({ status: "cancelled", runId: "own-run" });
    expect(await write(id)).toMatchObject({ status: "cancelled" });
    expect(await readStates(id)).toMatchObject({ status: "cancelled", a: "pending" });
  });

  test("P15 (progress): moves watch_at and shows the next attempt", async () => {
    const id = await insertPost();
    await claim(id);
    const waiting = publishedRun("a", {
      state: "retry_wait",
      wakeAt: NOW + 7,
      publishedAt: null,
      remoteId: null,
      progress: { done: [1] },
    });
    await write(id, { status: undefined, watchAt: NOW + 9, targets: [waiting] });
    const publishRun = await selectPublishRun(db, id);
    expect(publishRun?.post).toMatchObject({ status: "publishing", watchAt: NOW + 9 });
    expect(publishRun?.targets[0]).toMatchObject({
      state: "retry_wait",
      nextAttemptAt: NOW + 7,
      progress: { done: [1] },
    });
  });

  test("messages of a platform are stored unchanged", async () => {
    const id = await insertPost();
    await claim(id);
    const error = {
      code: "rejected",
      category: "content",
      message: 'quote " backslash \\ snowman ☃ emoji 🎈',
      platformCode: "9007199254740993",
      retryable: false,
      whoMustAct: "user",
    } as const;
    await write(id, {
      status: "failed",
      targets: [publishedRun("a", { state: "failed", error }), publishedRun("b", { state: "failed", error })],
    });
    expect((await selectPublishRun(db, id))?.targets[0]?.error).toEqual(error);
  });
});

describe("failMissedPost", () => {
  const failMissed = (postId: string) =>
    failMissedPost(db, {
      postId,
      now: NOW,
      notBefore: NOW - DAY,
      error: '{"code":"missed_window"}',
      historyEntry: '{"outcome":"missed_window"}',
    });

  test("P14 (more than a day late): fails the open targets and keeps published ones", async () => {
    const id = await insertPost({ scheduledAt: NOW - DAY, a: "published" });
    await failMissed(id);
    expect(await readStates(id)).toEqual({ status: "partially_failed", watchAt: null, a: "published", b: "failed" });
    const publishRun = await selectPublishRun(db, id);
    expect(publishRun?.targets[1]).toMatchObject({
      error: { code: "missed_window" },
      history: [{ outcome: "missed_window" }],
    });
  });

  test("P14 (more than a day late): fails a post of which nothing was published", async () => {
    const id = await insertPost({ scheduledAt: NOW - DAY });
    await failMissed(id);
    expect(await readStates(id)).toMatchObject({ status: "failed", a: "failed", b: "failed" });
  });

  test.each([
    ["scheduled", NOW - DAY + 1],
    ["publishing", NOW - 2 * DAY],
    ["paused", NOW - 2 * DAY],
  ])("does not change a %s post with the time %i", async (status, scheduledAt) => {
    const id = await insertPost({ status, scheduledAt });
    await failMissed(id);
    expect(await readStates(id)).toMatchObject({ status, a: "pending" });
  });
});
