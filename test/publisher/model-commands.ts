import * as fc from "fast-check";
import { MINUTE, SECOND } from "#core/clock.ts";
import { CONFIRM_POINTS, FAILPOINT_NAMES } from "./failpoint-names.ts";
import type { Word } from "./publisher-harness.ts";
import type { D1Fault } from "./failing-d1.ts";

/* What can happen in a random life of posts. `which` picks one of what is there, wrapping around. */

const COMMITS = ["lost_before", "lost_after", "wrong_after", "rate_limited", "rejected", "stale", "accepted"] as const;
const PREPARES = ["again", "temporary", "rate_limited", "rejected", "throws"] as const;
export const LOOKS = {
  again: { state: "again", afterSeconds: 1, known: false },
  known: { state: "again", afterSeconds: 1, known: true },
  cannot_tell: { state: "cannot_tell", detail: "no list today" },
} as const;

export type Command =
  | { readonly do: "preview"; readonly inMs: number; readonly on: readonly Word[] }
  | { readonly do: "post"; readonly inMs: number; readonly on: readonly Word[]; readonly times: number }
  | { readonly do: "confirm" | "edit_confirm"; readonly which: number; readonly times: number }
  | { readonly do: "edit_preview"; readonly which: number; readonly retime: boolean; readonly shiftMinutes: number }
  | { readonly do: "cancel" | "pause" | "resume"; readonly which: number }
  | { readonly do: "stray_alarm" | "evict" | "wipe"; readonly which: number }
  | { readonly do: "clock"; readonly ms: number }
  /** `go_on`: time moves to the next alarm, and whatever is due fires. */
  | { readonly do: "go_on" | "due_alarms" | "cron" }
  | { readonly do: "crash"; readonly point: string; readonly lose: boolean }
  | { readonly do: "database"; readonly fault: D1Fault }
  | { readonly do: "commit_play"; readonly on: Word; readonly play: (typeof COMMITS)[number] }
  | { readonly do: "prepare_play"; readonly on: Word; readonly play: (typeof PREPARES)[number] }
  | { readonly do: "verify_play"; readonly on: Word; readonly play: keyof typeof LOOKS };

const word = fc.constantFrom<Word>("x", "linkedin", "threads");
const which = fc.nat({ max: 30 });
const upTo = (max: number) => fc.integer({ min: 1, max });
const inMs = fc.constantFrom(3 * SECOND, 30 * SECOND, 5 * MINUTE);
const on = fc.uniqueArray(word, { minLength: 1 });

const is = <const Name extends Command["do"]>(name: Name) => fc.constant<Name>(name);
const often = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

const command = fc.oneof(
  often(6, fc.record({ do: is("post"), inMs, on, times: upTo(3) })),
  often(1, fc.record({ do: is("preview"), inMs, on })),
  often(2, fc.record({ do: is("confirm"), which, times: upTo(3) })),
  often(3, fc.record({ do: is("edit_preview"), which, retime: fc.boolean(), shiftMinutes: upTo(10) })),
  often(3, fc.record({ do: is("edit_confirm"), which, times: upTo(2) })),
  often(2, fc.record({ do: fc.oneof(is("cancel"), is("pause"), is("resume")), which })),
  often(4, fc.record({ do: is("clock"), ms: fc.constantFrom(100, SECOND, 30 * SECOND, 10 * MINUTE) })),
  often(12, fc.record({ do: is("go_on") })),
  often(4, fc.record({ do: fc.oneof(is("stray_alarm"), is("evict"), is("wipe")), which })),
  often(2, fc.record({ do: is("cron") })),
  often(
    7,
    fc.record({ do: is("crash"), point: fc.constantFrom(...FAILPOINT_NAMES, ...CONFIRM_POINTS), lose: fc.boolean() }),
  ),
  often(2, fc.record({ do: is("database"), fault: fc.constantFrom<D1Fault>("before", "after") })),
  often(6, fc.record({ do: is("commit_play"), on: word, play: fc.constantFrom(...COMMITS) })),
  often(2, fc.record({ do: is("prepare_play"), on: word, play: fc.constantFrom(...PREPARES) })),
  often(
    2,
    fc.record({
      do: is("verify_play"),
      on: word,
      play: fc.constantFrom<keyof typeof LOOKS>("again", "known", "cannot_tell"),
    }),
  ),
);

/** A life of about `steps` commands; a failing one shrinks to those that matter. */
export function lives(steps: number): fc.Arbitrary<Command[]> {
  const options = fc.array(fc.option(command, { freq: 30 }), { minLength: steps, maxLength: steps });
  return fc.noBias(options).map((all) => all.filter((one) => one !== null));
}
