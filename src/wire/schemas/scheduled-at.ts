import { z } from "@hono/zod-openapi";
import { isTimeZone } from "#core/time-zone.ts";
import { parseInstant } from "#wire/instant.ts";
import { type ReadTime, readLocalTime, type TimeReading } from "#wire/local-time.ts";
import { toIsoInstant } from "#core/clock.ts";
import type { PlannedTime } from "#planning/index.ts";
import { INSTANT_EXPECTED } from "./common.ts";

const NO_TIME = {
  code: "invalid_format",
  problem: `${INSTANT_EXPECTED}, one without an offset beside time_zone, or now`,
} as const;

const LIKE_A_WALL_TIME = /^\s*\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/;

/** The forms of a time in the OpenAPI document, so that a validator made from it accepts all of them. */
const EITHER_TIME: readonly { type: "string"; format?: string; pattern?: string; enum?: string[] }[] = [
  { type: "string", enum: ["now"] },
  { type: "string", format: "date-time" },
  { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?([Zz]|[+-]\\d{2}:\\d{2})?$" },
];

/** The schema of a time in a body in which null means "not set". */
export const NULLABLE_SCHEDULED_AT_SCHEMA = { anyOf: [...EITHER_TIME, { type: "null" as const }] };

/**
 * When a post is published: `now`, an instant, or a local time in the body's `time_zone`. `refuseUnreadableTime` checks
 * a local time with that zone.
 */
export const ScheduledAtInput = z
  .string()
  .refine((text) => text === "now" || parseInstant(text) !== undefined || LIKE_A_WALL_TIME.test(text), {
    message: NO_TIME.problem,
    params: { code: NO_TIME.code },
  })
  .openapi({ anyOf: [...EITHER_TIME], example: "2026-12-24T18:00:00Z" });

/** When a post would be published, in a preview: an instant, or `now` until the confirm. */
export const PlannedInstant = z.string().openapi({
  anyOf: [
    { type: "string", format: "date-time" },
    { type: "string", enum: ["now"] },
  ],
  example: "2026-12-24T18:00:00.000Z",
});

export function presentPlannedTime(time: PlannedTime): string {
  return time === "now" ? time : toIsoInstant(time);
}

/** Asks for the time of the next free slot. */
export const SlotInput = z.enum(["next"]);

interface TimeMembers {
  readonly scheduled_at?: string | null | undefined;
  readonly time_zone?: string | null | undefined;
}

/** Refuses an unreadable time, with the reason that reading it gave. */
export function addTimeIssue(
  { issues }: Pick<z.core.$RefinementCtx, "issues">,
  text: string,
  { code, problem }: Extract<TimeReading, { readonly problem: string }>,
  path: PropertyKey[] = [],
): void {
  issues.push({ code: "custom", input: text, path, message: problem, params: { code } });
}

const NOW = { instant: "now", warning: null } as const;

/** Reads a time. One without an offset is ambiguous unless the body names its zone. */
function readScheduledAt(text: string, timeZone: string | null): TimeReading | typeof NOW {
  if (text === "now") {
    return NOW;
  }
  if (timeZone === null) {
    const instant = parseInstant(text);
    return instant === undefined ? NO_TIME : { instant, warning: null };
  }
  return readLocalTime(text, timeZone) ?? NO_TIME;
}

/** Refuses a local time without a zone, and one that a clock change of its zone skips. */
export function refuseUnreadableTime(body: TimeMembers, ctx: z.core.$RefinementCtx): void {
  const { scheduled_at: text, time_zone: timeZone = null } = body;
  // An unknown zone has been refused already, and no time can be read with it.
  if (typeof text === "string" && (timeZone === null || isTimeZone(timeZone))) {
    const reading = readScheduledAt(text, timeZone);
    if ("problem" in reading) {
      addTimeIssue(ctx, text, reading, ["scheduled_at"]);
    }
  }
}

/** The time of a body that passed `refuseUnreadableTime`. Undefined if it has none. */
export function scheduledTimeOf({ scheduled_at: text, time_zone }: TimeMembers): ReadTime | typeof NOW | undefined {
  const reading = typeof text === "string" ? readScheduledAt(text, time_zone ?? null) : undefined;
  return reading && "instant" in reading ? reading : undefined;
}
