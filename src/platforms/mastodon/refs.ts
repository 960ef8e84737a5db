import { z } from "@hono/zod-openapi";

export const Cursor = z.object({
  /** In the order of the post; `isReady` is false while the server still processes the file. */
  uploads: z.array(z.object({ id: z.string(), isReady: z.boolean() })),
  /** When the first upload began: the server deletes media that no post uses after a day. */
  startedAt: z.number(),
  /** When the server began to process the current file. */
  processingSince: z.number(),
  /** How often all uploads were repeated because the server no longer had one of them. */
  restartCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** The input of the visible call, and what earlier calls recorded for `verify`. */
export const CommitRef = z.object({
  /** The server lists these ids with the post, which proves that this service created it. */
  mediaIds: z.array(z.string()),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** The id of a post that the server confirmed, but did not show afterwards. */
  createdId: z.string().nullable(),
  /** The server's refusal of the last call. It is final only after `verify` has not found the post. */
  refusal: z.object({ status: z.number(), message: z.string() }).nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
