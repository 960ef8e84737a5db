import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import type { NextSlots as DomainNextSlots, ScheduleSlots as DomainSlots } from "#planning/index.ts";
import { wallText } from "#wire/local-time.ts";
import { Instant } from "./common.ts";
import { TimeZoneInput } from "./time-zone.ts";

const TIME_PATTERN = "^(?:[01][0-9]|2[0-3]):[0-5][0-9]$";
export const SLOTS_MAX = 100;
export const NEXT_SLOTS_MAX = 100;

export const ScheduleSlot = z
  .object({
    weekday: z.int().min(0).max(6).openapi({ description: "0 is Monday, 6 is Sunday.", example: 1 }),
    time: z
      .string()
      .refine((text) => new RegExp(TIME_PATTERN).test(text), {
        message: "must be a time of day from 00:00 to 23:59",
        params: { code: "invalid_format" },
      })
      .openapi({ pattern: TIME_PATTERN, description: "`HH:MM` on the clock of `time_zone`.", example: "09:30" }),
  })
  .openapi("ScheduleSlot", { description: "A time of the week." });

export const ScheduleSlotList = z.array(ScheduleSlot).max(SLOTS_MAX);

export const ScheduleSlotsBody = z
  .object({
    time_zone: TimeZoneInput.openapi({
      description: "An IANA time zone, in which the slots are times on the clock.",
    }),
    slots: ScheduleSlotList.openapi({ description: "In any order; none removes all." }),
  })
  .openapi("ScheduleSlotsBody", { description: "All slots of the workspace." });

export const ScheduleSlots = z
  .object({
    time_zone: z.string().openapi({ description: "The time zone in which the slots are times on the clock." }),
    slots: z.array(ScheduleSlot).openapi({ description: "In the order of the week." }),
  })
  .openapi("ScheduleSlots", { description: "The times of the week at which the workspace likes to post." });

export type ScheduleSlots = z.infer<typeof ScheduleSlots>;

export const NextSlots = z
  .object({
    time_zone: z.string().openapi({ description: "The time zone of the slots." }),
    next_slots: z
      .array(
        z.object({
          scheduled_at: Instant.openapi({ description: "The instant, as a preview takes it." }),
          local_time: z
            .string()
            .openapi({ description: "What the clock shows then, in `time_zone`.", example: "2026-12-22T09:30" }),
        }),
      )
      .openapi({ description: "The soonest first; fewer than asked for where the slots of a year have no more." }),
  })
  .openapi("NextSlots", { description: "The next free slots." });

export type NextSlots = z.infer<typeof NextSlots>;

export function presentSlots({ timeZone, slots }: DomainSlots): ScheduleSlots {
  return { time_zone: timeZone, slots: slots.map(({ weekday, time }) => ({ weekday, time })) };
}

export function presentNextSlots({ timeZone, next }: DomainNextSlots): NextSlots {
  return {
    time_zone: timeZone,
    next_slots: next.map((at) => ({ scheduled_at: toIsoInstant(at), local_time: wallText(wallTimeAt(timeZone, at)) })),
  };
}

export const EXAMPLE_SLOTS: ScheduleSlots = {
  time_zone: "Europe/Berlin",
  slots: [
    { weekday: 1, time: "09:30" },
    { weekday: 3, time: "18:00" },
  ],
};

export const EXAMPLE_NEXT_SLOTS: NextSlots = {
  time_zone: "Europe/Berlin",
  next_slots: [
    { scheduled_at: "2026-12-22T08:30:00.000Z", local_time: "2026-12-22T09:30" },
    { scheduled_at: "2026-12-24T17:00:00.000Z", local_time: "2026-12-24T18:00" },
  ],
};
