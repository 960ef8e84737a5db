import { z } from "@hono/zod-openapi";

/** The state of a resumable upload session. Its URL grants the right to upload and is stored in the journal only. */
export const Cursor = z.object({
  sessionUrl: z.string(),
  startedAt: z.number(),
  /** The next byte that YouTube expects. */
  offset: z.number(),
  /** After an error YouTube is asked for its offset before more is sent. */
  offsetUnknown: z.boolean(),
  failureCount: z.number(),
  /** How often a new session was started because YouTube no longer knew the previous one. */
  restartCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** A session that has everything but the last chunk. */
export const CommitRef = z.object({
  sessionUrl: z.string(),
  startedAt: z.number(),
  offset: z.number(),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** The video's id once YouTube has received all bytes, so that `verify` only has to check its processing. */
  videoId: z.string().nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
