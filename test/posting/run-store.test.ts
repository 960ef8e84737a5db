import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DAY } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { claimRow, missRow, type RunWrite, selectRun, takeOverRow, writeRun } from "#posting/run/store-run.ts";
import { beginRun, type TargetRun } from "#posting/run/target-run.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const db = openDb(env.DB);

/** A post with two targets, `a` and `b`. */
async function post(
  over: { status?: string; scheduledAt?: number; runId?: string | null; a?: string } = {},
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
    ).bind(id, over.status ?? "scheduled", over.scheduledAt ?? NOW, over.runId ?? null),
    target("a", over.a ?? "pending"),
    target("b", "pending"),
  ]);
  return id;
}

const claim = (postId: string, runId = "mine", now = NOW) =>
  claimRow(db, { postId, runId, now, notBefore: now - DAY, watchAt: now + 1 });

const run = (accountId: string, over: Partial<TargetRun> = {}): TargetRun => ({
  ...beginRun({ accountId, attempts: 0, progress: null, history: [] }, NOW),
  state: "published",
  remoteId: "9007199254740993",
  publishedAt: NOW,
  ...over,
});

const write = (postId: string, over: Partial<RunWrite> = {}) =>
  writeRun(db, { postId, runId: "mine", now: NOW, targets: [run("a"), run("b")], status: "published", ...over });

async function stored(postId: string): Promise<{ status: string; watchAt: number | null; a: unknown; b: unknown }> {
  const plan = await selectRun(db, postId);
  const [a, b] = plan?.targets ?? [];
  return { status: plan?.post.status ?? "", watchAt: plan?.post.watchAt ?? null, a: a?.state, b: b?.state };
}

describe("the claim", () => {
  test("P6 takes a due post once, with everything it will send", async () => {
    const id = await post();
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
  ])("leaves a %s post for %i alone", async (status, scheduledAt) => {
    const id = await post({ status, scheduledAt });
    expect((await claim(id))?.post).toMatchObject({ status, runId: null });
  });

  test("of a post that is not there finds nothing", async () => {
    expect(await claim(crypto.randomUUID())).toBeUndefined();
  });

  test("P9 a lost run is taken over by one", async () => {
    const id = await post({ status: "publishing", runId: "lost" });
    const take = (runId: string) => takeOverRow(db, { postId: id, from: "lost", runId, watchAt: NOW });
    expect((await Promise.all([take("one"), take("two")])).filter(Boolean)).toHaveLength(1);
  });
});

describe("the result", () => {
  test("P11 is written with its targets, and again without effect", async () => {
    const id = await post();
    await claim(id);
    for (const now of [NOW, NOW + 1]) {
      expect(await write(id, { now })).toMatchObject({ status: "published", finishedAt: NOW, watchAt: null });
    }
    const plan = await selectRun(db, id);
    expect(plan?.targets).toMatchObject([
      { state: "published", remoteId: "9007199254740993", error: null, progress: null, updatedAt: NOW },
      { state: "published" },
    ]);
  });

  test("of another run changes nothing", async () => {
    const id = await post();
    await claim(id);
    expect(await write(id, { runId: "stranger" })).toMatchObject({ status: "publishing", runId: "mine" });
    expect(await stored(id)).toMatchObject({ status: "publishing", a: "pending", b: "pending" });
  });

  test("never changes a target that has its end", async () => {
    const id = await post({ a: "skipped" });
    await claim(id);
    await write(id, { status: undefined, targets: [run("b", { state: "failed" })] });
    await write(id, { status: "published" });
    expect(await stored(id)).toMatchObject({ a: "skipped", b: "failed" });
  });

  test("never opens a post that has its end", async () => {
    const id = await post({ status: "cancelled", runId: "mine" });
    expect(await write(id)).toMatchObject({ status: "cancelled" });
    expect(await stored(id)).toMatchObject({ status: "cancelled", a: "pending" });
  });

  test("P15 progress moves the watch and shows the next attempt", async () => {
    const id = await post();
    await claim(id);
    const waiting = run("a", {
      state: "retry_wait",
      wakeAt: NOW + 7,
      publishedAt: null,
      remoteId: null,
      progress: { done: [1] },
    });
    await write(id, { status: undefined, watchAt: NOW + 9, targets: [waiting] });
    const plan = await selectRun(db, id);
    expect(plan?.post).toMatchObject({ status: "publishing", watchAt: NOW + 9 });
    expect(plan?.targets[0]).toMatchObject({ state: "retry_wait", nextAttemptAt: NOW + 7, progress: { done: [1] } });
  });

  test("keeps whatever a platform said, byte for byte", async () => {
    const id = await post();
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
      targets: [run("a", { state: "failed", error }), run("b", { state: "failed", error })],
    });
    expect((await selectRun(db, id))?.targets[0]?.error).toEqual(error);
  });
});

describe("a missed window", () => {
  const miss = (postId: string) =>
    missRow(db, {
      postId,
      now: NOW,
      notBefore: NOW - DAY,
      error: '{"code":"missed_window"}',
      line: '{"outcome":"missed_window"}',
    });

  test("P14 ends what is open and keeps what an earlier run published", async () => {
    const id = await post({ scheduledAt: NOW - DAY, a: "published" });
    await miss(id);
    expect(await stored(id)).toEqual({ status: "partially_failed", watchAt: null, a: "published", b: "failed" });
    const plan = await selectRun(db, id);
    expect(plan?.targets[1]).toMatchObject({
      error: { code: "missed_window" },
      history: [{ outcome: "missed_window" }],
    });
  });

  test("P14 fails a post of which nothing was published", async () => {
    const id = await post({ scheduledAt: NOW - DAY });
    await miss(id);
    expect(await stored(id)).toMatchObject({ status: "failed", a: "failed", b: "failed" });
  });

  test.each([
    ["scheduled", NOW - DAY + 1],
    ["publishing", NOW - 2 * DAY],
    ["paused", NOW - 2 * DAY],
  ])("leaves a %s post for %i alone", async (status, scheduledAt) => {
    const id = await post({ status, scheduledAt });
    await miss(id);
    expect(await stored(id)).toMatchObject({ status, a: "pending" });
  });
});
