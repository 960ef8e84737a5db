import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import { confirmSchedule } from "#confirming/confirm/confirm-schedule.ts";
import { previewSchedule } from "#confirming/preview/preview-schedule.ts";
import { bluesky } from "#platforms/bluesky/index.ts";
import type { AccountAccess, Adapter, Job } from "#platforms/contract.ts";
import { mastodon } from "#platforms/mastodon/index.ts";
import { threads } from "#platforms/threads/index.ts";
import { x } from "#platforms/x/index.ts";
import { simulatedClient } from "../support/drive-simulator.ts";
import { connectAccount, publishedThread, threadOf } from "../support/thread-content.ts";
import { PublisherHarness, silenceLogs } from "./publisher-harness.ts";

/*
 * The publisher with the adapters that publish threads, against their simulators: the process of the object is killed between two parts or
 * in the middle of one, also with the loss of its journal, and the next run publishes every part once and in order.
 */

const PARTS = 3;
let day = 0;

beforeEach(() => {
  silenceLogs();
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  setFailpointHook(undefined);
  vi.useRealTimers();
});

/** A harness whose account on X is one on the platform, and whose clock is that of the simulators. */
async function openHarness(adapter: Adapter, settings?: Record<string, string>) {
  const harness = await PublisherHarness.open();
  day += 1;
  harness.now += day * 30 * 86_400_000;
  vi.setSystemTime(harness.now);
  const account = await connectAccount(adapter, settings);
  const client = simulatedClient(adapter);
  const withAccount = (job: Job): Job => {
    vi.setSystemTime(Math.max(Date.now(), harness.now));
    return { ...job, account };
  };
  const connected: Adapter = {
    ...harness.x.adapter,
    options: adapter.options,
    validate: (input) => adapter.validate({ ...input, account, settings: account.app.settings }),
    prepareAheadMs: (job) => adapter.prepareAheadMs(job),
    prepare: async (_client, job, cursor) => await adapter.prepare(client, withAccount(job), cursor),
    commit: async (_client, job, ref) => await adapter.commit(client, withAccount(job), ref),
    verify: async (_client, job, ref) => await adapter.verify(client, withAccount(job), ref),
  };
  Object.assign(harness.ctx, { adapterFor: () => connected });
  return { harness, account };
}

async function createThread(harness: PublisherHarness, captions: readonly string[]): Promise<string> {
  const { caption, options } = threadOf(captions);
  const { confirmationToken } = await previewSchedule(harness.ctx, {
    caption,
    scheduledAt: harness.now + 60_000,
    targets: [{ accountId: harness.accounts.x, platformOptions: options }],
  });
  const { posts } = await confirmSchedule(harness.ctx, { confirmationToken });
  await harness.flushDeferred();
  return posts[0]!.id;
}

/** Kills the process when it passes the failpoint for the given time, once. */
async function runWithKill(
  harness: PublisherHarness,
  id: string,
  kill: { readonly point: string; readonly pass: number; readonly losesJournal: boolean },
): Promise<void> {
  const happened = { passes: 0, isKilled: false };
  setFailpointHook((point) => {
    if (!happened.isKilled && point === kill.point && ++happened.passes === kill.pass) {
      happened.isKilled = true;
      harness.kill(id);
      throw new Error(`killed at ${point}`);
    }
  });
  for (let turns = 0; turns < 60 && !happened.isKilled; turns += 1) {
    const at = await harness.alarmAt(id);
    if (at === null) {
      break;
    }
    harness.now = Math.max(harness.now, at);
    await harness.fireAlarm(id).catch(() => undefined);
  }
  if (!happened.isKilled) {
    throw new Error(`the run does not pass ${kill.point} ${kill.pass} times`);
  }
  if (kill.losesJournal) {
    await harness.wipeStorage(id);
  }
  await harness.recover(id, 15);
  await harness.runAlarms(id);
}

const PLATFORMS = [
  { adapter: x, settings: {} },
  { adapter: threads },
  { adapter: bluesky },
  { adapter: mastodon },
] satisfies readonly { readonly adapter: Adapter; readonly settings?: Record<string, string> }[];

/** Where a run stops: before the call of a part, and after it but before anything recorded it. */
const KILLS = ["commit.before_intent", "commit.before_send", "commit.after_send"].flatMap((point) =>
  [1, 2, PARTS].map((pass) => [point, pass] as const),
);

describe.each(PLATFORMS)("a thread on $adapter.platform whose run is killed", ({ adapter, settings }) => {
  const replyOf = (options: Readonly<Record<string, unknown>>): unknown =>
    options["in_reply_to_id"] ??
    options["reply_to_id"] ??
    (options["reply"] as { parent?: string; in_reply_to_tweet_id?: string } | undefined)?.parent ??
    (options["reply"] as { in_reply_to_tweet_id?: string } | undefined)?.in_reply_to_tweet_id;

  async function expectWhole(account: AccountAccess, name: string, captions: readonly string[]) {
    const posts = await publishedThread(adapter, account, name);
    return {
      texts: posts.map(({ text }) => text),
      replies: posts.map(({ options }) => replyOf(options)),
      expected: {
        texts: captions,
        replies: [undefined, ...posts.slice(0, -1).map(({ id }) => id)],
      },
    };
  }

  test.for(KILLS)("at %s of part %i is published once and in order", async ([point, pass], { expect }) => {
    const { harness, account } = await openHarness(adapter, settings);
    const name = `${point} ${pass}`;
    const captions = Array.from({ length: PARTS }, (_, index) => `${name}, part ${index + 1} of its thread`);
    const id = await createThread(harness, captions);
    await runWithKill(harness, id, { point, pass, losesJournal: false });
    const { texts, replies, expected } = await expectWhole(account, name, captions);
    expect({ texts, replies }).toEqual(expected);
    expect(await harness.readTarget(id)).toMatchObject({ state: "published", progress: { thread: [{}, {}, {}] } });
  });

  test.for([1, 2, PARTS])("after part %i, and its journal is lost, has no part twice", async (pass, { expect }) => {
    const { harness, account } = await openHarness(adapter, settings);
    const name = `journal ${pass}`;
    const captions = Array.from({ length: PARTS }, (_, index) => `${name}, part ${index + 1} of its thread`);
    const id = await createThread(harness, captions);
    await runWithKill(harness, id, { point: "commit.after_send", pass, losesJournal: true });
    const { texts, replies, expected } = await expectWhole(account, name, captions);
    expect({ texts, replies }).toEqual(expected);
    expect(await harness.readTarget(id)).toMatchObject({ state: "published" });
  });
});
