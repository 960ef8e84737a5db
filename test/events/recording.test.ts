import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { accountsStatement, type AccountRow } from "#accounts/index.ts";
import { MINUTE } from "#core/clock.ts";
import { seqBefore } from "#events/event-id.ts";
import { readEvent } from "#events/read-event.ts";
import { selectEvents } from "#events/store-events.ts";
import {
  annotatePost,
  cancelPost,
  disconnectAccount,
  pausePost,
  pausePostsOfAccounts,
  resumePost,
  resumePostsOfAccounts,
} from "#post-status/index.ts";
import { confirmEdit, previewEdit } from "#confirming/index.ts";
import { NO_ANNOTATIONS } from "#posts/index.ts";
import { findPostRow } from "#posts/rows/store-posts-by-id.ts";
import { writeRunResults } from "#publisher/run/store-run.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  schedulePost,
  type TestContext,
} from "../posts/test-context.ts";

beforeEach(() => freezeClock());

/** Switches the event log of the context's workspace on. */
async function record(ctx: TestContext): Promise<void> {
  await env.DB.prepare("INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at) VALUES (?, 1, 1, 0)")
    .bind(ctx.actor.workspaceId)
    .run();
}

async function recordedRows(ctx: TestContext) {
  const { rows } = await selectEvents(ctx.db, {
    workspaceId: ctx.actor.workspaceId,
    after: 0,
    limit: 100,
    types: null,
  });
  return rows;
}

async function recorded(ctx: TestContext) {
  return (await recordedRows(ctx)).map((row) => readEvent(ctx, row));
}

const typesOf = async (ctx: TestContext) => (await recordedRows(ctx)).map(({ type }) => type);

/** The post row that the newest event holds beside the row that the API reads now. */
async function newestBesideStored(ctx: TestContext, postId: string) {
  const newest = (await recordedRows(ctx)).at(-1);
  const { content, progress } = JSON.parse(newest?.data ?? "{}").post;
  // That the object is armed is written after the response, and shown nowhere.
  return {
    recordedRow: { ...content, ...progress, watch_at: null },
    storedRow: { ...(await findPostRow(ctx.db, ctx.actor, postId)), watch_at: null },
  };
}

function stateOfTargets(targets: string): readonly string[] {
  return (JSON.parse(targets) as { progress: { state: string } }[]).map(({ progress }) => progress.state).toSorted();
}

describe("a workspace that does not listen", () => {
  test("has no row written", async ({ expect }) => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    const { id } = await schedulePost(ctx, { accountIds: [account] });
    await cancelPost(ctx, { id });
    expect(await env.DB.prepare("SELECT count(*) AS n FROM events").first("n")).toBe(0);
  });
});

describe("every change of a post", () => {
  test("is an event with the row that the API reads at that moment", async ({ expect }) => {
    const ctx = createTestContext();
    const [first, second] = [await createAccount(ctx), await createAccount(ctx)];
    await record(ctx);
    const { id } = await schedulePost(ctx, { accountIds: [first, second] });
    const check = async () => {
      const { recordedRow, storedRow } = await newestBesideStored(ctx, id);
      expect(recordedRow).toEqual(storedRow);
    };
    await check();
    await pausePost(ctx, { id });
    await check();
    await resumePost(ctx, { id });
    await check();
    const { confirmationToken } = await previewEdit(ctx, {
      postIds: [id],
      caption: "Changed",
      targets: [{ accountId: first, caption: "Only here" }],
    });
    await confirmEdit(ctx, { confirmationToken });
    await check();
    await cancelPost(ctx, { id });
    await check();
    expect((await recorded(ctx)).map(({ type, previousStatus }) => [type, previousStatus])).toEqual([
      ["post.scheduled", null],
      ["post.paused", "scheduled"],
      ["post.resumed", "paused"],
      ["post.updated", null],
      ["post.cancelled", "scheduled"],
    ]);
  });

  test("of its annotations is an update with them, and none where they stay the same", async ({ expect }) => {
    const ctx = createTestContext();
    const account = await createAccount(ctx);
    await record(ctx);
    const annotations = { externalId: "a-1", metadata: { campaign: "launch" }, labels: ["b", "a"], notes: "Ask Grace" };
    const { id } = await schedulePost(ctx, { accountIds: [account], annotations });
    const check = async () => {
      const { recordedRow, storedRow } = await newestBesideStored(ctx, id);
      expect(recordedRow).toEqual(storedRow);
    };
    await check();
    await annotatePost(ctx, { id, annotations });
    expect(await typesOf(ctx)).toEqual(["post.scheduled"]);
    await annotatePost(ctx, { id, annotations: { ...annotations, labels: ["a"] } });
    await check();
    await cancelPost(ctx, { id });
    await check();
    await annotatePost(ctx, { id, annotations: NO_ANNOTATIONS });
    await check();
    const events = await recorded(ctx);
    expect(events.map(({ type, previousStatus }) => [type, previousStatus])).toEqual([
      ["post.scheduled", null],
      ["post.updated", null],
      ["post.cancelled", "scheduled"],
      ["post.updated", null],
    ]);
    const told = events.map(({ subject }) => subject.kind === "post" && subject.post.annotations.labels);
    expect(told).toEqual([["b", "a"], ["a"], ["a"], []]);
  });

  test("of a disconnected and a connected account tells the targets as they are afterwards", async ({ expect }) => {
    const ctx = createTestContext();
    const [first, second] = [await createAccount(ctx), await createAccount(ctx)];
    const { id } = await schedulePost(ctx, { accountIds: [first, second] });
    await record(ctx);
    await disconnectAccount(ctx, { accountId: first });
    const disconnected = await newestBesideStored(ctx, id);
    expect(disconnected.recordedRow).toEqual(disconnected.storedRow);
    expect(stateOfTargets(disconnected.recordedRow.targets)).toEqual(["pending", "skipped"]);
    await env.DB.prepare("UPDATE accounts SET disconnected_at = NULL WHERE id = ?").bind(first).run();
    freezeClock(NOON + MINUTE);
    await resumePostsOfAccounts(ctx, [first]);
    const connected = await newestBesideStored(ctx, id);
    expect(connected.recordedRow).toEqual(connected.storedRow);
    expect(await typesOf(ctx)).toEqual(["account.disconnected", "post.updated", "account.connected", "post.updated"]);
  });

  test("of a run: each target that ended, then the post", async ({ expect }) => {
    const ctx = createTestContext();
    const [first, second] = [await createAccount(ctx), await createAccount(ctx)];
    const { id } = await schedulePost(ctx, { accountIds: [first, second] });
    await record(ctx);
    await env.DB.prepare("UPDATE posts SET status = 'publishing', run_id = 'run' WHERE id = ?").bind(id).run();
    const run = {
      attempts: 1,
      startedAt: NOON,
      publishedAt: NOON,
      wakeAt: null,
      remoteId: "1",
      remoteUrl: null,
      error: null,
      progress: null,
      history: [],
      acceptedAt: null,
    };
    await writeRunResults(ctx.db, {
      postId: id,
      runId: "run",
      now: NOON,
      targets: [
        { ...run, accountId: first, state: "published" },
        { ...run, accountId: second, state: "failed", publishedAt: null },
      ] as never,
      status: "partially_failed",
    });
    const events = await recorded(ctx);
    const told = events.map(({ type, subject, previousStatus }) => [
      type,
      subject.kind === "post" && subject.accountId,
      previousStatus,
    ]);
    // The targets in no order, the post last.
    expect(new Set(told.slice(0, 2))).toEqual(
      new Set([
        ["target.published", first, null],
        ["target.failed", second, null],
      ]),
    );
    expect(told.slice(2)).toEqual([["post.partially_failed", null, "publishing"]]);
    const { recordedRow, storedRow } = await newestBesideStored(ctx, id);
    expect(recordedRow).toEqual(storedRow);
  });

  test("that the service itself makes to wait for the next try is none", async ({ expect }) => {
    const ctx = createTestContext();
    const { id } = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    await record(ctx);
    await env.DB.prepare("UPDATE posts SET status = 'publishing', run_id = 'run' WHERE id = ?").bind(id).run();
    await writeRunResults(ctx.db, {
      postId: id,
      runId: "run",
      now: NOON,
      targets: [],
      status: "scheduled",
      watchAt: 1,
    });
    expect(await typesOf(ctx)).toEqual([]);
  });
});

describe("every change of an account", () => {
  test("is an event with the row that the API reads", async ({ expect }) => {
    const ctx = createTestContext();
    await record(ctx);
    const id = await createAccount(ctx, "x", { capabilities: { long: true } });
    await schedulePost(ctx, { accountIds: [id] });
    await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect', status_reason = 'Expired.' WHERE id = ?")
      .bind(id)
      .run();
    const newest = (await recordedRows(ctx)).at(-1);
    const { content, progress } = JSON.parse(newest?.data ?? "{}").account;
    const { results } = await accountsStatement(ctx.db, ctx.actor, { ids: [id], platforms: [] }).all<AccountRow>();
    expect({ ...content, ...progress }).toEqual(results[0]);
    await pausePostsOfAccounts(ctx, [id]);
    await env.DB.prepare("UPDATE accounts SET status = 'active', status_reason = NULL WHERE id = ?").bind(id).run();
    await env.DB.prepare(
      "UPDATE connections SET end_announced = 5 WHERE id = (SELECT connection_id FROM accounts WHERE id = ?)",
    )
      .bind(id)
      .run();
    await disconnectAccount(ctx, { accountId: id });
    expect(await typesOf(ctx)).toEqual([
      "account.connected",
      "post.scheduled",
      "account.needs_reconnect",
      "post.paused",
      "account.connected",
      "account.expires_soon",
      "account.disconnected",
      "post.updated",
    ]);
  });
});

describe("the numbers of events", () => {
  test("rise within a workspace, also when the clock does not", async ({ expect }) => {
    const ctx = createTestContext();
    await record(ctx);
    const account = await createAccount(ctx);
    await schedulePost(ctx, { accountIds: [account] });
    freezeClock(NOON - MINUTE);
    await schedulePost(ctx, { accountIds: [account] });
    const seqs = (await recordedRows(ctx)).filter(({ type }) => type === "post.scheduled").map(({ seq }) => seq);
    expect(seqs).toEqual([NOON * 1000, NOON * 1000 + 1]);
  });

  test("are higher after the database was put back than all that a reader has seen", async ({ expect }) => {
    const ctx = createTestContext();
    await record(ctx);
    const account = await createAccount(ctx);
    await schedulePost(ctx, { accountIds: [account] });
    const seen = (await recordedRows(ctx)).at(-1)?.seq ?? 0;
    await env.DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(ctx.actor.workspaceId).run();
    freezeClock(NOON + 1);
    await schedulePost(ctx, { accountIds: [account] });
    expect((await recordedRows(ctx)).at(0)?.seq).toBeGreaterThan(seen);
    expect(seqBefore(NOON + 1)).toBeGreaterThanOrEqual(seen);
  });
});
