import { z } from "@hono/zod-openapi";

/** A resumable session under way; its address carries the right to upload, and only the journal keeps it. */
export const Cursor = z.object({
  session: z.string(),
  startedAt: z.number(),
  /** The next byte YouTube wants. */
  offset: z.number(),
  /** Something broke: YouTube is asked how far it is before anything more is sent. */
  doubt: z.boolean(),
  failures: z.number(),
  /** Sessions begun again because YouTube had forgotten the one before. */
  restarts: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** Everything but the last piece is there. */
export const Ref = z.object({
  session: z.string(),
  startedAt: z.number(),
  offset: z.number(),
  sends: z.number(),
  sentAt: z.number().nullable(),
});
export type Ref = z.infer<typeof Ref>;
