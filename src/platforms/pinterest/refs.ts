import { z } from "@hono/zod-openapi";
import { codesOf, TARGET_ERRORS } from "#core/codes.ts";
import type { JsonValue } from "#core/json.ts";

/** Pins that already exist, from any run of this target; they are never created again. */
const Progress = z.object({ pins: z.array(z.object({ board: z.string(), pin: z.string() })) });
export type Progress = z.infer<typeof Progress>;

export function parseProgress(value: JsonValue): Progress {
  const parsed = Progress.safeParse(value);
  return parsed.success ? parsed.data : { pins: [] };
}

/** Video uploads of the boards that have no pin yet: each pin has its own upload. */
export const Cursor = z.object({
  uploads: z.array(z.object({ board: z.string(), mediaId: z.string(), done: z.boolean() })),
  /** When the last upload finished; null until then. */
  processingSince: z.number().nullable(),
  pollCount: z.number(),
  /** Consecutive uploads that Pinterest's storage refused. */
  refusalCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

export const CommitRef = z.object({
  /** Boards without a pin, in order; the visible call creates the pin on the first one. */
  boards: z.array(z.string()),
  /** The media id of the uploaded video, by board. */
  mediaIds: z.record(z.string(), z.string()),
  /** Pinterest fetches images by URL; where that fails, they are sent inline. */
  imageMode: z.enum(["url", "inline"]),
  /** Boards that refused the pin in this run, and why. */
  failures: z.array(
    z.object({
      board: z.string(),
      message: z.string(),
      code: z.enum(codesOf(TARGET_ERRORS)),
      platformCode: z.string().nullable(),
    }),
  ),
  /** Calls sent for the first board. */
  sendCount: z.number(),
  sentAt: z.number().nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
