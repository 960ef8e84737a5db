import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { isTerminal } from "#posting/state-machine.ts";
import { FAILPOINT_NAMES } from "./failpoint-names.ts";
import { quiet, PublisherHarness } from "./publisher-harness.ts";

/*
 * Two failures in one run (C30 of docs/how-it-works.md): a run stops at one point and its journal is lost, and the run that
 * takes over is interrupted as well. Whatever happens, no platform may take the post twice.
 * All pairs: VITE_ALL_PAIRS=1 npx vitest run test/publisher/double-failures.test.ts
 */

type Second = "killed" | "answer_lost" | "call_lost";

const SECONDS: readonly Second[] = ["killed", "answer_lost", "call_lost"];

/** The points after the claim was sent, from where on something can be lost that has happened. */
const FIRST = FAILPOINT_NAMES.slice(FAILPOINT_NAMES.indexOf("claim.before_send"));
const ALL = FIRST.flatMap((first) =>
  FAILPOINT_NAMES.flatMap((then) => SECONDS.map((how) => [first, then, how] as const)),
);

/** Pairs in which a run has sent, and the one that takes over is interrupted before its entries are on disk. */
const CHOSEN = ALL.filter(
  ([first, then, how]) =>
    ["commit.after_send", "record.before_send"].includes(first) &&
    (then.startsWith("claim.") || then === "alarm.awake" || then === "verify.before_send") &&
    (how === "killed" || then.startsWith("claim.")),
);

beforeEach(quiet);
afterEach(() => setFailpointHook(undefined));

/** Ends the process at `first` with its journal, then disturbs the run that takes over at `then`. */
async function runWithTwoFailures(stage: PublisherHarness, first: string, then: string, how: Second): Promise<string> {
  const id = await stage.post();
  let failures = 0;
  setFailpointHook((passed) => {
    if (failures === 0 && passed === first) {
      failures = 1;
      stage.kill(id);
      throw new Error(`killed at ${first}`);
    }
    if (failures === 2 && passed === then) {
      failures = 3;
      if (how === "killed") {
        stage.kill(id);
        throw new Error(`killed at ${then}`);
      }
      stage.d1Faults.push(how === "answer_lost" ? "after" : "before");
    }
  });
  await stage.run(id, 80 * SECOND).catch(() => undefined);
  if (failures === 1) {
    await stage.wipe(id);
    failures = 2;
  }
  await stage.recover(id, 15);
  setFailpointHook(undefined);
  stage.d1Faults.length = 0;
  await stage.recover(id);
  await stage.run(id);
  return id;
}

describe("C30 the journal is lost and the run that takes over is interrupted", () => {
  test.each(import.meta.env["VITE_ALL_PAIRS"] ? ALL : CHOSEN)(
    "%s, then %s (%s): taken at most once, with a true end",
    async (first, then, how) => {
      const stage = await PublisherHarness.open();
      const id = await runWithTwoFailures(stage, first, then, how);
      const { state } = await stage.target(id);
      expect(stage.x.accepted(id).length).toBeLessThanOrEqual(1);
      expect(isTerminal(state)).toBe(true);
      expect(state === "published").toBe(stage.x.accepted(id).length === 1);
    },
  );
});

test("C30 a lost run whose rows were changed meanwhile is looked for before it is given up", async () => {
  const stage = await PublisherHarness.open();
  const id = await stage.post();
  setFailpointHook((passed) => {
    if (passed === "commit.after_send") {
      setFailpointHook(undefined);
      stage.kill(id);
      throw new Error("killed");
    }
  });
  await stage.run(id, 80 * SECOND).catch(() => undefined);
  await stage.wipe(id);
  await stage.changePlanHash(id);
  await stage.recover(id);
  expect(stage.x.accepted(id)).toHaveLength(1);
  expect(await stage.target(id)).toMatchObject({ state: "published" });
});

test("C30 a lost run whose rows were changed and that never arrived is not sent", async () => {
  const stage = await PublisherHarness.open();
  const id = await stage.post();
  setFailpointHook((passed) => {
    if (passed === "commit.before_send") {
      setFailpointHook(undefined);
      stage.kill(id);
      throw new Error("killed");
    }
  });
  await stage.run(id, 80 * SECOND).catch(() => undefined);
  await stage.wipe(id);
  await stage.changePlanHash(id);
  await stage.recover(id);
  expect(stage.x.accepted(id)).toHaveLength(0);
  expect(await stage.target(id)).toMatchObject({ state: "failed", error: { code: "plan_mismatch" } });
});
