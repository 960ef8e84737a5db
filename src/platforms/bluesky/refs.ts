import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";

/** The state of a video at the video service. */
export const Cursor = z.object({
  jobId: z.string().nullable(),
  /** When processing began. */
  processingSince: z.number(),
  /** How often the file was sent to the service. */
  uploadCount: z.number(),
  /** Status calls in a row that were not answered. */
  failureCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** What the visible call sends, the same every time, and what it recorded for `verify`. */
export const CommitRef = z.object({
  recordKey: z.string(),
  /** The record, built once: its time, its links and its files do not change any more. */
  record: z.record(z.string(), z.json()).transform((record) => record as JsonObject),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** A repeated send was refused: the message, until a lookup has shown that the first one did not arrive. */
  refusal: z.object({ message: z.string(), platformCode: z.string().nullable(), httpStatus: z.number() }).nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
