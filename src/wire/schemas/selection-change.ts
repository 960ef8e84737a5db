import { z } from "@hono/zod-openapi";
import { parseTimeOfDay } from "#core/wall-time.ts";
import type { EditInput } from "#planning/index.ts";
import { Labels } from "./annotations.ts";
import { optional } from "./common.ts";

const YEAR_DAYS = 365;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

const LabelChange = z
  .object({
    add: optional(Labels).openapi({ description: "Labels that each post has afterwards; at most ten in all." }),
    remove: optional(Labels).openapi({ description: "Labels that no post has afterwards." }),
  })
  .openapi("LabelChange", { description: "Labels to add and to remove; the others stay." });

/** What one edit can change in several posts. Everything else of each post stays. */
export const selectionMembers = {
  shift_days: optional(z.int().min(-YEAR_DAYS).max(YEAR_DAYS)).openapi({
    description:
      "Moves each post by days on the clock of `time_zone`, so that its time of day stays when the clock changes.",
  }),
  time_of_day: optional(z.string().regex(TIME_OF_DAY)).openapi({
    description: "Moves each post to this time of day (`HH:MM`) on that clock; alone, or with `shift_days`.",
    example: "09:30",
  }),
  status: optional(z.enum(["scheduled", "paused", "cancelled"])).openapi({
    description:
      "Resumes, pauses or cancels the posts as they are, without another change. Accounts of a post that stops are not checked, and `after` has none.",
  }),
  labels: optional(LabelChange).openapi({
    description: "Changes the labels of posts in any status; without another change.",
  }),
};

interface SelectionMembers {
  readonly shift_days?: number | undefined;
  readonly time_of_day?: string | undefined;
  readonly status?: EditInput["status"];
  readonly labels?:
    | { readonly add?: readonly string[] | undefined; readonly remove?: readonly string[] | undefined }
    | undefined;
  readonly time_zone?: string | undefined;
}

export function toSelectionChange(
  { shift_days: days, time_of_day: time, status, labels, time_zone: zone }: SelectionMembers,
  ownTimeZone: string,
): Pick<EditInput, "clock" | "status" | "labels"> {
  const isMoved = days !== undefined || time !== undefined;
  return {
    status,
    ...(isMoved && {
      clock: {
        days: days ?? 0,
        minute: time === undefined ? null : parseTimeOfDay(time),
        timeZone: zone ?? ownTimeZone,
      },
    }),
    ...(labels && { labels: { add: labels.add ?? [], remove: labels.remove ?? [] } }),
  };
}
