import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { Journal, withStoredHistory } from "#publisher/journal.ts";
import { createTargetRun, MAX_HISTORY, type TargetRun } from "#publisher/run/target-run.ts";
import { PublisherHarness, silenceLogs, type StoredJournal } from "./publisher-harness.ts";

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

type Change = (stored: StoredJournal) => Readonly<Record<string, object>>;

/** What another deployment may have left: an unknown format, a member that is missing, or a target that cannot be read. */
const UNREADABLE: readonly [string, Change][] = [
  ["of a later format", (stored) => ({ journal: { ...stored, format: 99 } })],
  ["without its members", () => ({ journal: { format: 1 } })],
  ["with unreadable targets", (stored) => ({ journal: { ...stored, targets: stored.targets.map(() => ({})) } })],
];

/** Publishes a new post until its process is killed at the failpoint. */
async function killPostAt(harness: PublisherHarness, failpoint: string): Promise<string> {
  const id = await harness.createPost();
  const killed = { happened: false };
  setFailpointHook((point) => {
    if (point === failpoint) {
      setFailpointHook(undefined);
      killed.happened = true;
      harness.kill(id);
      throw new Error("killed");
    }
  });
  while (!killed.happened) {
    harness.now = (await harness.alarmAt(id))!;
    await harness.fireAlarm(id);
  }
  return id;
}

describe.each(UNREADABLE)("an unreadable journal (%s) counts as lost", (_, change) => {
  test("what was accepted is found, not sent again", async () => {
    const harness = await PublisherHarness.open();
    const id = await killPostAt(harness, "commit.after_send");
    await harness.changeStored(id, change);
    await harness.recover(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("a target in retry_wait is verified before it is sent", async () => {
    const harness = await PublisherHarness.open();
    // One of two targets is public, so that the post stays publishing.
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.commitBehaviours.push("rate_limited");
    await harness.runAlarms(id, MINUTE + SECOND);
    await harness.changeStored(id, change);
    await harness.recover(id);
    expect(harness.x.callCount("verify")).toBeGreaterThan(0);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
  });

  test("a scheduled post is published once, by the next run of the cron at the latest", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.changeStored(id, change);
    await harness.recover(id);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });
});

test("the journal names the workspace of the post", async () => {
  const harness = await PublisherHarness.open();
  const id = await harness.createPost();
  expect(await harness.readStored(id)).toMatchObject({ workspaceId: harness.ctx.actor.workspaceId });
});

describe("the size of the journal", () => {
  const longRun = (accountId: string, entries: number): TargetRun => ({
    ...createTargetRun({ accountId, attempts: 8, nextAttemptAt: null, progress: null, history: [] }, 0),
    error: {
      code: "rejected",
      category: "content",
      message: "☃".repeat(500),
      platformCode: "☃".repeat(100),
      retryable: true,
      whoMustAct: "user",
    },
    history: Array.from({ length: entries }, (_, at) => ({
      at,
      step: "commit",
      outcome: "rate_limited",
      httpStatus: 429,
      platformCode: "☃".repeat(100),
      message: "☃".repeat(500),
      nextAttemptAt: at + 1,
    })),
  });

  test("a hundred targets with the longest histories fit into one value", async () => {
    const stub = env.POSTS.get(env.POSTS.idFromName(crypto.randomUUID()));
    await runInDurableObject(stub, (_, { storage }) => {
      const journal = new Journal(storage, () => crypto.randomUUID());
      const hint = {
        postId: "p",
        workspaceId: "w",
        version: 1,
        status: "scheduled",
        scheduledAt: 0,
        prepareAheadMs: 0,
      } as const;
      const entries = Array.from({ length: 100 }, () => ({
        version: 1,
        planHash: "h".repeat(64),
        run: longRun(crypto.randomUUID(), MAX_HISTORY),
      }));
      journal.arm(hint, entries);
      expect(storage.sql.databaseSize).toBeLessThan(2 * 1024 * 1024);
      const reread = new Journal(storage, () => crypto.randomUUID());
      expect(reread.state()).toEqual(journal.state());
      expect([...reread.entries().keys()]).toEqual(entries.map(({ run }) => run.accountId));
    });
  });

  test("what it leaves out of a history is in the target's row", () => {
    const whole = longRun("a", MAX_HISTORY);
    const stored = { ...whole, history: whole.history.slice(-10) };
    expect(withStoredHistory(stored, { history: whole.history.slice(0, -3) })).toEqual(whole);
    expect(withStoredHistory(longRun("a", 3), { history: whole.history })).toEqual(longRun("a", 3));
  });
});
