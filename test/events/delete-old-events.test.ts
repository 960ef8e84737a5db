import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { deleteOldEvents, seqBefore } from "#events/index.ts";
import { dueSweepsStatement, sweepStatements } from "#events/store-event-sweep.ts";
import { createTestContext, freezeClock, NOON, type TestContext } from "../posts/test-context.ts";
import { costlySteps, explainingD1 } from "../support/explaining-d1.ts";

beforeEach(async () => {
  freezeClock();
  await env.DB.prepare("DELETE FROM event_logs").run();
});

/** A log that is due now, with events of these instants. */
async function createLog(
  { actor }: TestContext,
  { recording, at }: { readonly recording: boolean; readonly at: readonly number[] },
): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at) VALUES (?, 0, ?, ?)").bind(
      actor.workspaceId,
      recording ? 1 : 0,
      NOON,
    ),
    env.DB.prepare(
      `INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
       SELECT ?1, value * 1000 + key, 'post.scheduled', 's', value, '{}' FROM json_each(?2)`,
    ).bind(actor.workspaceId, JSON.stringify(at)),
  ]);
}

async function logOf({ actor }: TestContext) {
  const [events, log] = await env.DB.batch<{ at: number; sweep_at: number }>([
    env.DB.prepare("SELECT at FROM events WHERE workspace_id = ? ORDER BY seq").bind(actor.workspaceId),
    env.DB.prepare("SELECT sweep_at FROM event_logs WHERE workspace_id = ?").bind(actor.workspaceId),
  ]);
  return {
    at: events?.results.map((row) => row.at),
    sweepAt: log?.results[0]?.sweep_at,
  };
}

const EXPIRED = NOON - 30 * DAY - 1;

describe("the sweep of events", () => {
  test("deletes those older than 30 days, and comes back six hours later", async () => {
    const ctx = createTestContext();
    await createLog(ctx, { recording: true, at: [EXPIRED - DAY, EXPIRED, NOON - 30 * DAY, NOON] });
    expect(await deleteOldEvents(ctx)).toBe(2);
    expect(await logOf(ctx)).toEqual({ at: [NOON - 30 * DAY, NOON], sweepAt: NOON + 6 * HOUR });
    freezeClock(NOON + 6 * HOUR - 1);
    expect(await deleteOldEvents(ctx)).toBe(0);
    freezeClock(NOON + 6 * HOUR);
    expect(await deleteOldEvents(ctx)).toBe(1);
  });

  test("deletes 500 of a workspace at most, and comes back in the next run for the others", async () => {
    const [ctx, other] = [createTestContext(), createTestContext()];
    await createLog(ctx, { recording: true, at: Array.from({ length: 501 }, () => EXPIRED) });
    await createLog(other, { recording: true, at: [EXPIRED] });
    expect(await deleteOldEvents(ctx)).toBe(501);
    expect(await logOf(other)).toEqual({ at: [], sweepAt: NOON + 6 * HOUR });
    expect(await logOf(ctx)).toEqual({ at: [EXPIRED], sweepAt: NOON });
    freezeClock(NOON + MINUTE);
    expect(await deleteOldEvents(ctx)).toBe(1);
    expect((await logOf(ctx)).sweepAt).toBe(NOON + MINUTE + 6 * HOUR);
  });

  test("forgets a log that records nothing with its last event", async () => {
    const [ctx, recording] = [createTestContext(), createTestContext()];
    await createLog(ctx, { recording: false, at: [EXPIRED, NOON] });
    await createLog(recording, { recording: true, at: [] });
    await deleteOldEvents(ctx);
    expect(await logOf(ctx)).toEqual({ at: [NOON], sweepAt: NOON + 6 * HOUR });
    freezeClock(NOON + 31 * DAY);
    await deleteOldEvents(ctx);
    expect((await logOf(ctx)).sweepAt).toBeUndefined();
    expect((await logOf(recording)).sweepAt).toBeDefined();
  });

  test("looks at twenty workspaces a run, those that wait longest first", async () => {
    const contexts = Array.from({ length: 21 }, () => createTestContext());
    for (const ctx of contexts) {
      await createLog(ctx, { recording: true, at: [EXPIRED] });
    }
    await env.DB.prepare("UPDATE event_logs SET sweep_at = ? WHERE workspace_id = ?")
      .bind(NOON - 1, contexts[20]!.actor.workspaceId)
      .run();
    expect(await deleteOldEvents(contexts[0]!)).toBe(20);
    expect((await logOf(contexts[20]!)).at).toEqual([]);
    expect(await deleteOldEvents(contexts[0]!)).toBe(1);
  });
});

describe("the cost", () => {
  test("is one round trip and at most one row while nothing is due", async () => {
    const ctx = createTestContext();
    await createLog(ctx, { recording: true, at: [EXPIRED, NOON] });
    await env.DB.prepare("UPDATE event_logs SET sweep_at = ?")
      .bind(NOON + 1)
      .run();
    ctx.counting.reset();
    await deleteOldEvents(ctx);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsRead: 1, rowsWritten: 0 });
  });

  test("does not grow with the events that are kept", async () => {
    const ctx = createTestContext();
    await createLog(ctx, { recording: true, at: [EXPIRED, ...Array.from({ length: 1000 }, () => NOON)] });
    ctx.counting.reset();
    expect(await deleteOldEvents(ctx)).toBe(1);
    expect(ctx.counting.count.roundTrips).toBe(2);
    expect(ctx.counting.count.rowsRead).toBeLessThan(12);
    expect(ctx.counting.count.rowsWritten).toBeLessThanOrEqual(3);
  });

  test("no statement scans a table", async () => {
    const db = openDb(explainingD1(env.DB));
    const sweep = { workspaceId: "w", lastSeq: seqBefore(NOON), now: 1, nextAt: 2, limit: 1 };
    const plans = await env.DB.batch([dueSweepsStatement(db, 1, 1), ...Object.values(sweepStatements(db, sweep))]);
    expect(plans.flatMap(({ results }) => results).length).toBeGreaterThan(5);
    expect(costlySteps(plans)).toEqual([]);
  });
});
