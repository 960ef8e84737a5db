import * as fc from "fast-check";
import { MINUTE, SECOND } from "#core/clock.ts";
import { CONFIRM_FAILPOINT_NAMES, FAILPOINT_NAMES } from "./failpoint-names.ts";
import type { TestPlatform } from "./publisher-harness.ts";
import type { D1Failure } from "./instrumented-d1.ts";

/* The commands of the model test. `index` selects an existing post or token modulo their number. */

const COMMIT_BEHAVIOURS = [
  "lost_before",
  "lost_after",
  "wrong_after",
  "rate_limited",
  "rejected",
  "stale",
  "accepted",
] as const;
const PREPARE_BEHAVIOURS = ["again", "temporary", "rate_limited", "rejected", "throws"] as const;
export const VERIFY_OUTCOMES = {
  again: { state: "again", afterSeconds: 1, isProcessing: false },
  processing: { state: "again", afterSeconds: 1, isProcessing: true },
  cannot_tell: { state: "cannot_tell", detail: "the list of posts is unavailable" },
} as const;

const CHANGES_AT_CLAIM = ["cancel", "edit", "sooner", "later", "much_later", "clock_back"] as const;

export type Command =
  | { readonly do: "preview"; readonly inMs: number; readonly on: readonly TestPlatform[] }
  | { readonly do: "create_post"; readonly inMs: number; readonly on: readonly TestPlatform[]; readonly times: number }
  | { readonly do: "confirm" | "edit_confirm"; readonly index: number; readonly times: number }
  | { readonly do: "edit_preview"; readonly index: number; readonly reschedule: boolean; readonly shiftMinutes: number }
  | { readonly do: "cancel" | "pause" | "resume"; readonly index: number }
  | { readonly do: "spurious_alarm" | "evict" | "wipe"; readonly index: number }
  | { readonly do: "advance_clock"; readonly ms: number }
  /** `advance_to_next_alarm`: moves the clock to the next alarm and fires every due alarm. */
  | { readonly do: "advance_to_next_alarm" | "fire_due_alarms" | "run_cron" }
  /** Publishes a new post until its process is killed at `point`, and deletes its journal: only the rows remain. */
  | { readonly do: "lose_run"; readonly inMs: number; readonly on: readonly TestPlatform[]; readonly point: string }
  /** P17: the first try of a new post is refused, so that it waits; `change` happens when its object reaches `point` for the next try. */
  | {
      readonly do: "let_wait";
      readonly inMs: number;
      readonly on: readonly TestPlatform[];
      readonly change: "cancel" | "edit" | "none";
      readonly point: string;
    }
  /** A new post is changed, or the clock goes back, when its object reaches `point` around the claim, in the last two seconds. */
  | {
      readonly do: "change_at_claim";
      readonly inMs: number;
      readonly on: readonly TestPlatform[];
      readonly change: (typeof CHANGES_AT_CLAIM)[number];
      readonly point: string;
    }
  /** The next write of a run fails and is carried out only at `late_write_arrives`. */
  | { readonly do: "late_write" | "late_write_arrives" }
  | { readonly do: "crash"; readonly point: string; readonly loseUnflushed: boolean }
  | { readonly do: "d1_failure"; readonly failure: D1Failure }
  | {
      readonly do: "commit_behaviour";
      readonly on: TestPlatform;
      readonly behaviour: (typeof COMMIT_BEHAVIOURS)[number];
    }
  | {
      readonly do: "prepare_behaviour";
      readonly on: TestPlatform;
      readonly behaviour: (typeof PREPARE_BEHAVIOURS)[number];
    }
  | { readonly do: "verify_outcome"; readonly on: TestPlatform; readonly behaviour: keyof typeof VERIFY_OUTCOMES };

const platform = fc.constantFrom<TestPlatform>("x", "linkedin", "threads");
const index = fc.nat({ max: 30 });
const oneTo = (max: number) => fc.integer({ min: 1, max });
const inMs = fc.constantFrom(3 * SECOND, 30 * SECOND, 5 * MINUTE);
const on = fc.uniqueArray(platform, { minLength: 1 });

const doConstant = <const Name extends Command["do"]>(name: Name) => fc.constant<Name>(name);
const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

/** From the wake at the next try until its claim is answered. */
const WAKE_POINTS = FAILPOINT_NAMES.slice(
  FAILPOINT_NAMES.indexOf("alarm.awake"),
  FAILPOINT_NAMES.indexOf("claim.begun") + 1,
);
const letWait = fc.record({
  do: doConstant("let_wait"),
  inMs,
  on,
  change: fc.constantFrom("cancel" as const, "edit" as const, "none" as const),
  point: fc.constantFrom(...WAKE_POINTS),
});

const changeAtClaim = fc.record({
  do: doConstant("change_at_claim"),
  inMs,
  on,
  change: fc.constantFrom(...CHANGES_AT_CLAIM),
  point: fc.constantFrom(...WAKE_POINTS),
});

const command = fc.oneof(
  weighted(3, letWait),
  weighted(4, changeAtClaim),
  weighted(2, fc.record({ do: doConstant("late_write") })),
  weighted(2, fc.record({ do: doConstant("late_write_arrives") })),
  weighted(6, fc.record({ do: doConstant("create_post"), inMs, on, times: oneTo(3) })),
  weighted(1, fc.record({ do: doConstant("preview"), inMs, on })),
  weighted(2, fc.record({ do: doConstant("confirm"), index, times: oneTo(3) })),
  weighted(3, fc.record({ do: doConstant("edit_preview"), index, reschedule: fc.boolean(), shiftMinutes: oneTo(10) })),
  weighted(3, fc.record({ do: doConstant("edit_confirm"), index, times: oneTo(2) })),
  weighted(2, fc.record({ do: fc.oneof(doConstant("cancel"), doConstant("pause"), doConstant("resume")), index })),
  weighted(
    4,
    fc.record({ do: doConstant("advance_clock"), ms: fc.constantFrom(100, SECOND, 30 * SECOND, 10 * MINUTE) }),
  ),
  weighted(12, fc.record({ do: doConstant("advance_to_next_alarm") })),
  weighted(
    4,
    fc.record({ do: fc.oneof(doConstant("spurious_alarm"), doConstant("evict"), doConstant("wipe")), index }),
  ),
  weighted(2, fc.record({ do: doConstant("run_cron") })),
  weighted(
    7,
    fc.record({
      do: doConstant("crash"),
      point: fc.constantFrom(...FAILPOINT_NAMES, ...CONFIRM_FAILPOINT_NAMES),
      loseUnflushed: fc.boolean(),
    }),
  ),
  weighted(2, fc.record({ do: doConstant("d1_failure"), failure: fc.constantFrom<D1Failure>("before", "after") })),
  weighted(
    6,
    fc.record({ do: doConstant("commit_behaviour"), on: platform, behaviour: fc.constantFrom(...COMMIT_BEHAVIOURS) }),
  ),
  weighted(
    2,
    fc.record({ do: doConstant("prepare_behaviour"), on: platform, behaviour: fc.constantFrom(...PREPARE_BEHAVIOURS) }),
  ),
  weighted(
    2,
    fc.record({
      do: doConstant("verify_outcome"),
      on: platform,
      behaviour: fc.constantFrom<keyof typeof VERIFY_OUTCOMES>("again", "processing", "cannot_tell"),
    }),
  ),
);

/** From the intent on, so that the lost run may have sent; the rows do not tell whether it has. */
const LOST_RUN_POINTS = FAILPOINT_NAMES.slice(FAILPOINT_NAMES.indexOf("commit.before_send"));
const lostRun: fc.Arbitrary<Command> = fc.record({
  do: doConstant("lose_run"),
  inMs,
  on,
  point: fc.constantFrom(...LOST_RUN_POINTS),
});

/**
 * Sequences of about `steps` commands, most of which start with a lost run, a post that waits or one that is changed around its claim; fast-check shrinks a failing sequence to the
 * commands that matter.
 */
export function commandSequences(steps: number): fc.Arbitrary<Command[]> {
  const start = fc.array(fc.oneof(lostRun, letWait, changeAtClaim), { maxLength: 1 });
  const options = fc.array(fc.option(command, { freq: 30 }), { minLength: steps, maxLength: steps });
  return fc.noBias(fc.tuple(start, options)).map(([first, rest]) => [...first, ...rest.filter((one) => one !== null)]);
}
