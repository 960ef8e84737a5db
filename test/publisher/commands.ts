import * as fc from "fast-check";
import { MINUTE, SECOND } from "#core/clock.ts";
import { CONFIRM_POINTS, POINTS } from "./points.ts";
import type { Word } from "./stage.ts";

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
  | { readonly do: "cancel" | "pause" | "resume" | "stray_alarm" | "evict" | "wipe"; readonly which: number }
  | { readonly do: "clock"; readonly ms: number }
  /** `go_on`: time moves to the next alarm, and whatever is due fires. */
  | { readonly do: "go_on" | "due_alarms" | "cron" }
  | { readonly do: "crash"; readonly point: string; readonly lose: boolean }
  | { readonly do: "database"; readonly fault: "before" | "after" }
  | { readonly do: "commit_play"; readonly on: Word; readonly play: (typeof COMMITS)[number] }
  | { readonly do: "prepare_play"; readonly on: Word; readonly play: (typeof PREPARES)[number] }
  | { readonly do: "verify_play"; readonly on: Word; readonly play: keyof typeof LOOKS };

const word = fc.constantFrom<Word>("x", "linkedin", "threads");
const which = fc.nat({ max: 30 });
const upTo = (max: number) => fc.integer({ min: 1, max });
const inMs = fc.constantFrom(3 * SECOND, 30 * SECOND, 5 * MINUTE);
const on = fc.uniqueArray(word, { minLength: 1 });

type Of<Do extends Command["do"]> = Extract<Command, { readonly do: Do }>;
type Rest<Do extends Command["do"]> = { [Key in Exclude<keyof Of<Do>, "do">]: fc.Arbitrary<Of<Do>[Key]> };

function often<Do extends Command["do"]>(weight: number, name: Do, rest: Rest<Do>): fc.WeightedArbitrary<Command> {
  return { weight, arbitrary: fc.record(rest).map((fields) => ({ do: name, ...fields }) as unknown as Command) };
}

const command = fc.oneof(
  often(6, "post", { inMs, on, times: upTo(3) }),
  often(1, "preview", { inMs, on }),
  often(2, "confirm", { which, times: upTo(3) }),
  often(3, "edit_preview", { which, retime: fc.boolean(), shiftMinutes: upTo(10) }),
  often(3, "edit_confirm", { which, times: upTo(2) }),
  often(1, "cancel", { which }),
  often(1, "pause", { which }),
  often(1, "resume", { which }),
  often(4, "clock", { ms: fc.constantFrom(100, SECOND, 30 * SECOND, 10 * MINUTE) }),
  often(12, "go_on", {}),
  often(1, "stray_alarm", { which }),
  often(1, "evict", { which }),
  often(2, "wipe", { which }),
  often(2, "cron", {}),
  often(7, "crash", { point: fc.constantFrom(...POINTS, ...CONFIRM_POINTS), lose: fc.boolean() }),
  often(2, "database", { fault: fc.constantFrom<"before" | "after">("before", "after") }),
  often(6, "commit_play", { on: word, play: fc.constantFrom(...COMMITS) }),
  often(2, "prepare_play", { on: word, play: fc.constantFrom(...PREPARES) }),
  often(2, "verify_play", { on: word, play: fc.constantFrom<keyof typeof LOOKS>("again", "known", "cannot_tell") }),
);

/** A life of about `steps` commands; a failing one shrinks to those that matter. */
export function lives(steps: number): fc.Arbitrary<Command[]> {
  const options = fc.array(fc.option(command, { freq: 30 }), { minLength: steps, maxLength: steps });
  return fc.noBias(options).map((all) => all.filter((one) => one !== null));
}
