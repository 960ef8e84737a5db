import { z } from "@hono/zod-openapi";

/** Uploads so far. */
export const Cursor = z.object({
  /** In the order of the post; `isReady` is false while the server still processes the file. */
  uploads: z.array(z.object({ id: z.string(), isReady: z.boolean() })),
  /** When the first upload began: the server deletes media that no post uses after a day. */
  startedAt: z.number(),
  /** When the wait for the file that is processed now began. */
  processingSince: z.number(),
  /** How often the uploads began again because the server no longer knew one. */
  restartCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** What the visible call needs, and what earlier calls recorded for `verify`. */
export const CommitRef = z.object({
  /** The server lists these with the post: proof that a post is ours. */
  mediaIds: z.array(z.string()),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** The id that the server answered for a post which it then did not show. */
  createdId: z.string().nullable(),
  /** The refusal that the last call was answered with; it counts once the post was looked for and not found. */
  refusal: z.object({ status: z.number(), message: z.string() }).nullable(),
});
export type CommitRef = z.infer<typeof CommitRef>;
