import { z } from "@hono/zod-openapi";

/** The state of a resumable upload session. Its URL grants the right to upload, so only the journal contains it. */
export const Cursor = z.object({
  sessionUrl: z.string(),
  startedAt: z.number(),
  /** The offset of the next byte that YouTube expects. */
  offset: z.number(),
  /** Whether YouTube must be asked for its offset before more is sent. True after an error. */
  offsetUnknown: z.boolean(),
  failureCount: z.number(),
  /** How often a new session was started, because YouTube no longer knew the previous one. */
  restartCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** An upload session that has everything but the last chunk. */
export const CommitRef = z.object({
  sessionUrl: z.string(),
  startedAt: z.number(),
  offset: z.number(),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** The video's id, once YouTube has received all bytes. `verify` then only checks the processing. */
  videoId: z.string().nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
