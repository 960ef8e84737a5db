import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { getEvent, listEvents, setEventLog } from "#events/index.ts";
import type { EventType } from "#core/event-type.ts";
import { createAccount, createTestContext } from "../posts/test-context.ts";

const EVENTS = 2500;
const RARE_AT = 2400;
const ctx = createTestContext();

/** A workspace with many events, of which one is of another type, and another workspace with as many. */
beforeAll(async () => {
  await setEventLog(ctx, { isSwitchedOn: true });
  await createAccount(ctx);
  const data = await env.DB.prepare("DELETE FROM events WHERE workspace_id = ? RETURNING data")
    .bind(ctx.actor.workspaceId)
    .first("data");
  for (const workspaceId of [ctx.actor.workspaceId, crypto.randomUUID()]) {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
       SELECT ?1, i, iif(i = ?3, 'account.disconnected', 'account.connected'), 'a', i, ?4 FROM n`,
    )
      .bind(workspaceId, EVENTS, RARE_AT, data)
      .run();
  }
});

async function measure(input: { after: number; types: readonly EventType[] | null; limit: number }) {
  ctx.counting.reset();
  const page = await listEvents(ctx, input);
  return { ...page, seqs: page.events.map(({ seq }) => seq), cost: { ...ctx.counting.count } };
}

describe("a page of events needs one round trip", () => {
  test("and reads what it shows, wherever it begins", async () => {
    for (const after of [0, 1200]) {
      const { seqs, cost, nextAfter, hasMore } = await measure({ after, types: null, limit: 50 });
      expect(seqs).toEqual(Array.from({ length: 50 }, (_, index) => after + index + 1));
      expect([nextAfter, hasMore]).toEqual([after + 50, true]);
      expect(cost.roundTrips).toBe(1);
      expect(cost.rowsRead).toBeLessThan(60);
    }
  });

  test("and looks at a bounded number for a rare type; the empty page leads on to it", async () => {
    const types = ["account.disconnected"] as const;
    const first = await measure({ after: 0, types, limit: 50 });
    expect(first).toMatchObject({ seqs: [], hasMore: true, nextAfter: 1000 });
    expect(first.cost.roundTrips).toBe(1);
    expect(first.cost.rowsRead).toBeLessThan(3100);
    const second = await measure({ after: first.nextAfter, types, limit: 50 });
    expect(second).toMatchObject({ seqs: [], hasMore: true, nextAfter: 2000 });
    expect(await measure({ after: second.nextAfter, types, limit: 50 })).toMatchObject({
      seqs: [RARE_AT],
      hasMore: false,
      nextAfter: EVENTS,
    });
  });

  test("as one event does, which is one row", async () => {
    const { events } = await measure({ after: 5, types: null, limit: 1 });
    ctx.counting.reset();
    expect(await getEvent(ctx, { id: events[0]?.id ?? "" })).toEqual(events[0]);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsRead: 1 });
  });
});
