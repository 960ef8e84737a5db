import type { Refusal, RefusalDetail } from "#core/errors.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { type Display, displayOf, formatDateTime } from "./display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { findNextSlots } from "#planning/index.ts";

/** What a person reads if another post took a slot between preview and confirm. */
export interface TakenSlot {
  readonly sentences: string;
  /** The time (ms) of the next free slot; null if there is none. */
  readonly next: number | null;
}

const timeOf = ({ actual }: RefusalDetail): number => Date.parse(String(actual));

/** Says that another post took the slot, with the slot's time in the person's zone. */
export function takenSlotInWords(display: Display, detail: RefusalDetail): string {
  return `Another post took the slot of ${formatDateTime(display, timeOf(detail))} after the preview.`;
}

/** The slot whose loss was the reason for a refused confirm. Null if the refusal has another reason. */
export async function readTakenSlot(c: PageContext, { code, details }: Refusal): Promise<TakenSlot | null> {
  const [first] = details ?? [];
  if (code !== "slot_taken" || first === undefined) {
    return null;
  }
  const display = displayOf(c);
  const taken = takenSlotInWords(display, first);
  const { next: found } = await findNextSlots(contextOf(c), { count: 1, after: timeOf(first) });
  const [next = null] = found;
  return next === null
    ? { sentences: `${taken} No other slot is free: choose a time, or add a slot.`, next }
    : { sentences: `${taken} The next free one is ${formatDateTime(display, next)}.`, next };
}
