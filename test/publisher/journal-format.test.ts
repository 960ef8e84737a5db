import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
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
  ["without its members", () => ({ journal: { format: 2 } })],
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

describe("a journal of the first format", () => {
  /** Its keys, as the releases before the second format wrote them. */
  const inFirstFormat =
    (phase: string, runId: (current: string) => string | null = (current) => current): Change =>
    ({ targets, format: _format, ...state }) => ({
      state: { ...state, format: 1, phase, runId: runId(state.runId), watchAt: 0 },
      ...Object.fromEntries(targets.map((entry) => [`t:${entry.run.accountId}`, { ...entry, format: 1 }])),
    });

  test("that is armed is published on time, with what was prepared", async () => {
    const harness = await PublisherHarness.open();
    harness.x.prepareAheadMs = 10 * MINUTE;
    const id = await harness.createPost({ inMs: HOUR });
    const { scheduledAt } = (await harness.readPost(id))!;
    await harness.runAlarms(id, HOUR - 3 * SECOND);
    await harness.changeStored(
      id,
      inFirstFormat("armed", () => null),
    );
    await harness.runAlarms(id);
    expect(harness.x.callCount("prepare")).toBe(1);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("that is armed has its new run id on disk before the claim", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    await harness.changeStored(
      id,
      inFirstFormat("armed", () => null),
    );
    setFailpointHook((point) => {
      if (point === "claim.after_send") {
        setFailpointHook(undefined);
        harness.kill(id, false);
        throw new Error("killed");
      }
    });
    await harness.runAlarms(id, 5 * MINUTE);
    expect(harness.x.callCount("verify")).toBe(0);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
  });

  test("whose claim was on its way continues the same run", async () => {
    const harness = await PublisherHarness.open();
    const id = await killPostAt(harness, "claim.after_send");
    await harness.changeStored(id, inFirstFormat("claiming"));
    await harness.recover(id);
    expect(harness.x.callCount("verify")).toBe(0);
    expect(harness.x.acceptedFor(id)).toHaveLength(1);
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("whose visible call was on its way is looked for, not sent again", async () => {
    const harness = await PublisherHarness.open();
    const id = await killPostAt(harness, "commit.after_send");
    await harness.changeStored(id, inFirstFormat("running"));
    await harness.recover(id);
    expect(harness.x.callCount("verify")).toBe(1);
    expect(harness.x.callCount("commit")).toBe(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
    expect(await harness.storedKeys(id)).toEqual([]);
  });

  test("is replaced by one value at the first change", async () => {
    const harness = await PublisherHarness.open();
    // One of two targets is public, so that the post stays publishing.
    const id = await harness.createPost({ on: ["x", "linkedin"] });
    harness.x.commitBehaviours.push("rate_limited", "rate_limited");
    await harness.runAlarms(id, MINUTE + SECOND);
    await harness.changeStored(id, inFirstFormat("running"));
    expect((await harness.storedKeys(id)).toSorted()).toEqual(
      [`t:${harness.accounts.x}`, "state", `t:${harness.accounts.linkedin}`].toSorted(),
    );
    await harness.runAlarms(id, 2 * MINUTE);
    expect(await harness.storedKeys(id)).toEqual(["journal"]);
    await harness.runAlarms(id);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });
});

/*
 * An armed object may live two years, and for a while two versions talk: what a version did not know is missing, in a hint as in the
 * journal, and what a later one knows is passed over.
 */
describe("the workspace of a post", () => {
  const storedWorkspace = async (harness: PublisherHarness, id: string) =>
    (await harness.readStored(id))?.workspaceId ?? null;

  test("is named by every hint and kept in the journal, also when a hint of an older version comes", async () => {
    const harness = await PublisherHarness.open();
    const id = await harness.createPost();
    expect(await storedWorkspace(harness, id)).toBe(harness.ctx.actor.workspaceId);
    const { version, scheduledAt } = (await harness.readPost(id))!;
    const hint = { postId: id, version, status: "scheduled", scheduledAt, prepareAheadMs: 0 } as const;
    expect(await harness.sync(hint)).toBe("armed");
    expect(await storedWorkspace(harness, id)).toBe(harness.ctx.actor.workspaceId);
    await harness.runAlarms(id);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
  });

  test("is not needed: an object that was armed without it publishes on time, and learns it from the next hint", async () => {
    const harness = await PublisherHarness.open();
    harness.armOverride = async (hint) => await harness.sync({ ...hint, workspaceId: undefined });
    const id = await harness.createPost({ inMs: HOUR });
    const other = await harness.createPost({ inMs: HOUR });
    expect(await storedWorkspace(harness, id)).toBeNull();
    harness.armOverride = undefined;
    const { version, scheduledAt } = (await harness.readPost(other))!;
    const { workspaceId } = harness.ctx.actor;
    await harness.sync({ postId: other, workspaceId, version, status: "scheduled", scheduledAt, prepareAheadMs: 0 });
    expect(await storedWorkspace(harness, other)).toBe(workspaceId);
    await harness.runAlarms(id);
    await harness.runAlarms(other);
    expect(harness.x.acceptedFor(id)).toMatchObject([{ acceptedAt: scheduledAt }]);
    expect(harness.x.acceptedFor(other)).toMatchObject([{ acceptedAt: scheduledAt }]);
  });

  test("may go and come while a post is published: what the version before leaves of the journal is read", async () => {
    const harness = await PublisherHarness.open();
    const id = await killPostAt(harness, "commit.after_send");
    await harness.changeStored(id, ({ workspaceId: _workspaceId, ...stored }) => ({ journal: stored }));
    await harness.recover(id);
    expect(harness.x.callCount("commit")).toBe(1);
    expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  });
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
      const hint = { postId: "p", version: 1, status: "scheduled", scheduledAt: 0, prepareAheadMs: 0 } as const;
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
