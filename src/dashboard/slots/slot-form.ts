import { isTimeZone } from "#core/time-zone.ts";
import { parseTimeOfDay, toTimeOfDay } from "#core/wall-time.ts";
import { refuse } from "#core/errors.ts";
import type { ScheduleSlots } from "#planning/index.ts";
import { SLOTS_MAX } from "#wire/schemas/slots.ts";

type Slot = ScheduleSlots["slots"][number];

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

/** A slot as the value of a form field: weekday and time. */
export const slotKey = ({ weekday, time }: Slot): string => `${weekday} ${time}`;

/** Adds a slot to the list, or one for every day of the week. */
export function withSlot(slots: readonly Slot[], weekday: string, time: string): readonly Slot[] {
  const minute = parseTimeOfDay(time);
  if (minute === null) {
    refuse({ code: "invalid_request", message: "choose a time", param: "time" });
  }
  const days = EVERY_DAY.filter((day) => weekday === "every" || weekday === String(day));
  const added = days.map((day) => ({ weekday: day, time: toTimeOfDay(minute) }));
  const all = new Map([...slots, ...added].map((slot) => [slotKey(slot), slot]));
  if (all.size > SLOTS_MAX) {
    refuse({
      code: "invalid_request",
      message: `a workspace has at most ${SLOTS_MAX} slots, and these would be ${all.size}`,
      param: "time",
    });
  }
  return [...all.values()];
}

export function withoutSlot(slots: readonly Slot[], key: string): readonly Slot[] {
  return slots.filter((slot) => slotKey(slot) !== key);
}

export function zoneOf(text: string): string {
  return isTimeZone(text) ? text : refuse({ code: "invalid_request", message: "choose a zone", param: "time_zone" });
}
