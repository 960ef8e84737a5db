import { z } from "@hono/zod-openapi";

export const ImagesCursor = z.object({
  kind: z.literal("images"),
  /** The images uploaded so far, in the order of the post. */
  urns: z.array(z.string()),
  /** How many of them LinkedIn has finished processing. */
  availableCount: z.number(),
  uploadedAt: z.number().nullable(),
});
export type ImagesCursor = z.infer<typeof ImagesCursor>;

export const VideoCursor = z.object({
  kind: z.literal("video"),
  stage: z.enum(["parts", "finalize", "processing"]),
  urn: z.string(),
  uploadToken: z.string(),
  parts: z.array(z.object({ firstByte: z.number(), lastByte: z.number(), uploadUrl: z.string() })),
  /** Where the cover goes; null without one. */
  thumbnailUrl: z.string().nullable(),
  etags: z.array(z.string()),
  expiresAt: z.number().nullable(),
  /** When the upload was finalized; before that, when it started. */
  processingSince: z.number(),
  /** How often the upload started again because its URLs expired. */
  restartCount: z.number(),
});
export type VideoCursor = z.infer<typeof VideoCursor>;

export const DocumentCursor = z.object({
  kind: z.literal("document"),
  urn: z.string(),
  uploadedAt: z.number(),
});
export type DocumentCursor = z.infer<typeof DocumentCursor>;

export const Cursor = z.discriminatedUnion("kind", [ImagesCursor, VideoCursor, DocumentCursor]);

/** What the visible call needs, and what earlier visible calls recorded for `verify`. */
export const CommitRef = z.object({
  /** Images, a video or a document; only this post uses them. */
  urns: z.array(z.string()),
  /** When the last of them finished uploading. */
  uploadedAt: z.number(),
  sendCount: z.number(),
  firstSentAt: z.number().nullable(),
  sentAt: z.number().nullable(),
  /** LinkedIn refused a repeated call as a duplicate. */
  duplicate: z.boolean(),
  /** The post that this refusal named; it may not exist. */
  duplicateUrn: z.string().nullish(),
});
export type CommitRef = z.infer<typeof CommitRef>;

export function createCommitRef(urns: readonly string[], uploadedAt: number): CommitRef {
  return { urns: [...urns], uploadedAt, sendCount: 0, firstSentAt: null, sentAt: null, duplicate: false };
}
