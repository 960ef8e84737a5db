import { z } from "@hono/zod-openapi";
import { codesOf, TARGET_ERRORS } from "#core/codes.ts";
import type { JsonValue } from "#core/json.ts";

/** The pins that already exist, from any run of this target. They are never created again. */
const Progress = z.object({ pins: z.array(z.object({ board: z.string(), pin: z.string() })) });
export type Progress = z.infer<typeof Progress>;

export function parseProgress(value: JsonValue): Progress {
  const parsed = Progress.safeParse(value);
  return parsed.success ? parsed.data : { pins: [] };
}

/** The video uploads for the boards without a pin. Each pin has its own upload. */
export const Cursor = z.object({
  uploads: z.array(z.object({ board: z.string(), mediaId: z.string(), done: z.boolean() })),
  /** When (ms) the last upload finished; null until then. */
  processingSince: z.number().nullable(),
  pollCount: z.number(),
  /** How many uploads in a row Pinterest's storage has refused. */
  refusalCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

export const CommitRef = z.object({
  /** The boards without a pin, in order. The visible call creates the pin on the first one. */
  boards: z.array(z.string()),
  /** By board: the media id of the uploaded video. */
  mediaIds: z.record(z.string(), z.string()),
  /** How images get to Pinterest. It fetches them by URL; if that fails, they are sent inside the request. */
  imageMode: z.enum(["url", "inline"]),
  /** The boards that refused the pin in this run, with the reasons. */
  failures: z.array(
    z.object({
      board: z.string(),
      message: z.string(),
      code: z.enum(codesOf(TARGET_ERRORS)),
      platformCode: z.string().nullable(),
    }),
  ),
  /** How many calls were sent for the first board. */
  sendCount: z.number(),
  sentAt: z.number().nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
