import { z } from "@hono/zod-openapi";

/**
 * The state of an upload. The journal has its publish id before the first byte is sent. No second upload starts while
 * this one may succeed.
 */
export const Cursor = z.object({
  publishId: z.string(),
  uploadUrl: z.string(),
  startedAt: z.number(),
  chunkIndex: z.number(),
  failureCount: z.number(),
  /** How often the upload was started again, because TikTok no longer knew it. */
  restartCount: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** The settings of a post within what the account allows, read right before the post is sent. */
export const PostSettings = z.object({
  privacyLevel: z.string(),
  disableComment: z.boolean(),
  disableDuet: z.boolean(),
  disableStitch: z.boolean(),
});
export type PostSettings = z.infer<typeof PostSettings>;

export const CommitRef = z.object({
  /** Identifies the post at TikTok. Null for photos until the visible call returns it. */
  publishId: z.string().nullable(),
  uploadUrl: z.string().nullable(),
  /** The settings of the post; null for drafts. */
  postSettings: PostSettings.nullable(),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** Whether TikTok has accepted the post and is processing it. */
  accepted: z.boolean(),
  /** When (ms) TikTok first said that the post is complete. It gives the public id a little later. */
  completedAt: z.number().nullable(),
  /** Whether TikTok refused the upload URL after a call with an uncertain outcome. */
  uploadExpired: z.boolean(),
});
export type CommitRef = z.infer<typeof CommitRef>;

export function createCommitRef(values: Partial<CommitRef>): CommitRef {
  return {
    publishId: null,
    uploadUrl: null,
    postSettings: null,
    sendCount: 0,
    sentAt: null,
    accepted: false,
    completedAt: null,
    uploadExpired: false,
    ...values,
  };
}
