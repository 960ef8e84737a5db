import { z } from "@hono/zod-openapi";

/** The state of a chunked upload. */
export const Cursor = z.object({
  stage: z.enum(["append", "processing"]),
  id: z.string(),
  key: z.string().nullable(),
  expiresAt: z.number(),
  /** The offset of the next byte to send, and the number of its segment. */
  offset: z.number(),
  segmentIndex: z.number(),
  segmentBytes: z.number(),
  processingSince: z.number(),
  /** How often the upload was started again, because X no longer knew it. */
  restartCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** What the visible call needs, and what earlier calls recorded for `verify`. */
export const CommitRef = z.object({
  mediaIds: z.array(z.string()),
  /** The keys of the post's media. X lists them with the post, so they identify it best. */
  mediaKeys: z.array(z.string()),
  quote: z.enum(["none", "native", "link"]),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** Whether X has answered that the same text was already posted. */
  duplicate: z.boolean(),
  /** When (ms) a complete list first lacked this thread part. */
  missingSince: z.number().nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
