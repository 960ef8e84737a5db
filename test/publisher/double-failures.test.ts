import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import { FAILPOINT_NAMES } from "./failpoint-names.ts";
import { silenceLogs, PublisherHarness } from "./publisher-harness.ts";

/*
 * Two failures in one run (C30 in docs/guide/publishing-reference.md): a run stops at one failpoint and its journal is lost, and the run
 * that takes over is interrupted as well. No platform may accept the post twice.
 * All pairs: `npm run model -- --double-failures`.
 */

type SecondFailure = "killed" | "answer_lost" | "call_lost";

const SECOND_FAILURES: readonly SecondFailure[] = ["killed", "answer_lost", "call_lost"];

/** The failpoints from the claim on; before it, nothing can have happened that a lost journal would forget. */
const FIRST_FAILPOINTS = FAILPOINT_NAMES.slice(FAILPOINT_NAMES.indexOf("claim.before_send"));
const ALL_PAIRS = FIRST_FAILPOINTS.flatMap((first) =>
  FAILPOINT_NAMES.flatMap((second) => SECOND_FAILURES.map((failure) => [first, second, failure] as const)),
);

/** Pairs in which the first run has sent, and the run that takes over is interrupted before its entries are on disk. */
const SELECTED_PAIRS = ALL_PAIRS.filter(
  ([first, second, failure]) =>
    ["commit.after_send", "record.before_send"].includes(first) &&
    (second.startsWith("claim.") || second === "alarm.awake" || second === "verify.before_send") &&
    (failure === "killed" || second.startsWith("claim.")),
);

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

/** Kills the process at `first` and deletes its journal, then interrupts the run that takes over at `second`. */
async function runWithTwoFailures(
  harness: PublisherHarness,
  first: string,
  second: string,
  failure: SecondFailure,
): Promise<string> {
  const id = await harness.createPost();
  const happened = { failures: 0 };
  setFailpointHook((point) => {
    if (happened.failures === 0 && point === first) {
      happened.failures = 1;
      harness.kill(id);
      throw new Error(`killed at ${first}`);
    }
    if (happened.failures === 2 && point === second) {
      happened.failures = 3;
      if (failure === "killed") {
        harness.kill(id);
        throw new Error(`killed at ${second}`);
      }
      harness.d1Failures.push(failure === "answer_lost" ? "after" : "before");
    }
  });
  for (let turns = 0; turns < 20 && happened.failures === 0; turns += 1) {
    harness.now = Math.max(harness.now, (await harness.alarmAt(id)) ?? 0);
    await harness.fireAlarm(id);
  }
  if (happened.failures === 1) {
    await harness.wipeStorage(id);
    happened.failures = 2;
  }
  await harness.recover(id, 15);
  setFailpointHook(undefined);
  harness.d1Failures.length = 0;
  await harness.recover(id);
  await harness.runAlarms(id);
  return id;
}

describe("C30 the journal is lost and the run that takes over is interrupted", () => {
  test.each(import.meta.env["VITE_ALL_PAIRS"] ? ALL_PAIRS : SELECTED_PAIRS)(
    "%s, then %s (%s): accepted at most once, and the stored state is correct",
    async (first, second, failure) => {
      const harness = await PublisherHarness.open();
      const id = await runWithTwoFailures(harness, first, second, failure);
      const { state } = await harness.readTarget(id);
      expect(harness.x.acceptedFor(id).length).toBeLessThanOrEqual(1);
      expect(isTerminal(state)).toBe(true);
      expect(state === "published").toBe(harness.x.acceptedFor(id).length === 1);
    },
  );
});

/** Kills the run at the failpoint, loses its journal and changes the rows; then lets the service recover. */
async function loseChangedRun(harness: PublisherHarness, id: string, failpoint: string): Promise<void> {
  const killed = { happened: false };
  setFailpointHook((passed) => {
    if (passed === failpoint) {
      setFailpointHook(undefined);
      killed.happened = true;
      harness.kill(id);
      throw new Error(`killed at ${failpoint}`);
    }
  });
  while (!killed.happened) {
    harness.now = (await harness.alarmAt(id))!;
    await harness.fireAlarm(id);
  }
  await harness.wipeStorage(id);
  await harness.changePlanHash(id);
  await harness.recover(id);
}

test("C30 a lost run whose rows were changed meanwhile is verified before it is given up", async () => {
  const harness = await PublisherHarness.open();
  const id = await harness.createPost();
  await loseChangedRun(harness, id, "commit.after_send");
  expect(harness.x.acceptedFor(id)).toHaveLength(1);
  expect(await harness.readTarget(id)).toMatchObject({ state: "published" });
});

test("C30 a lost run whose rows were changed and that never reached the platform is not sent", async () => {
  const harness = await PublisherHarness.open();
  const id = await harness.createPost();
  await loseChangedRun(harness, id, "commit.before_send");
  expect(harness.x.acceptedFor(id)).toHaveLength(0);
  expect(await harness.readTarget(id)).toMatchObject({ state: "failed", error: { code: "plan_mismatch" } });
});
