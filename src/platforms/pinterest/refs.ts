import { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";

/** Pins that are public, whatever run made them: never made again. */
const Progress = z.object({ pins: z.array(z.object({ board: z.string(), pin: z.string() })) });
export type Progress = z.infer<typeof Progress>;

export function progressOf(value: JsonValue): Progress {
  const parsed = Progress.safeParse(value);
  return parsed.success ? parsed.data : { pins: [] };
}

/** Videos of the boards that still want a pin: each pin has an upload of its own. */
export const Cursor = z.object({
  uploads: z.array(z.object({ board: z.string(), mediaId: z.string(), done: z.boolean() })),
  /** When the last one was there. */
  since: z.number().nullable(),
  polls: z.number(),
  /** Uploads in a row that the bucket refused. */
  refusals: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

export const Ref = z.object({
  /** Boards without a pin, in order; the visible call is about the first one. */
  boards: z.array(z.string()),
  /** Media id of each board's video. */
  videos: z.record(z.string(), z.string()),
  /** Images are fetched from us, or sent within the call where that does not work. */
  images: z.enum(["url", "inline"]),
  /** Boards that refused the pin in this run, and why. */
  failures: z.array(
    z.object({ board: z.string(), message: z.string(), code: z.string(), platformCode: z.string().nullable() }),
  ),
  /** Of the first board. */
  sends: z.number(),
  sentAt: z.number().nullable(),
});
export type Ref = z.infer<typeof Ref>;
