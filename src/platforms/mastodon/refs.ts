import { z } from "@hono/zod-openapi";

export const Cursor = z.object({
  /** The uploaded files in the order of the post. `isReady` is false while the server is processing the file. */
  uploads: z.array(z.object({ id: z.string(), isReady: z.boolean() })),
  /** When (ms) the first upload began. After a day the server deletes media that no post uses. */
  startedAt: z.number(),
  /** When (ms) the server began to process the current file. */
  processingSince: z.number(),
  /** How often all uploads were repeated, because the server had lost one of them. */
  restartCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** The input of the visible call, and what earlier calls recorded for `verify`. */
export const CommitRef = z.object({
  /** The ids of the post's media. The server lists them with the post, which proves that this service created it. */
  mediaIds: z.array(z.string()),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** The id of a post that the server confirmed but did not show afterwards. */
  createdId: z.string().nullable(),
  /** The server's refusal of the last call. It counts only if `verify` does not find the post. */
  refusal: z.object({ status: z.number(), message: z.string() }).nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
