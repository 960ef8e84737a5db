import { z } from "@hono/zod-openapi";

export const ImagesCursor = z.object({
  kind: z.literal("images"),
  /** The URNs of the images uploaded so far, in the order of the post. */
  urns: z.array(z.string()),
  /** How many of these images LinkedIn has finished processing. */
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
  /** The URL to which the cover is uploaded; null without a cover. */
  thumbnailUrl: z.string().nullable(),
  etags: z.array(z.string()),
  expiresAt: z.number().nullable(),
  /** When (ms) the upload was finalized. Before that, when it started. */
  processingSince: z.number(),
  /** How often the upload was started again because its URLs had expired. */
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
  /** The URNs of the images, the video or the document, which only this post uses. */
  urns: z.array(z.string()),
  /** When (ms) the last of these files was uploaded. */
  uploadedAt: z.number(),
  sendCount: z.number(),
  firstSentAt: z.number().nullable(),
  sentAt: z.number().nullable(),
  /** Whether LinkedIn has refused a repeated call as a duplicate. */
  duplicate: z.boolean(),
  /** The post that the refusal of a duplicate named. It may not exist. */
  duplicateUrn: z.string().nullish(),
});
export type CommitRef = z.infer<typeof CommitRef>;

export function createCommitRef(urns: readonly string[], uploadedAt: number): CommitRef {
  return { urns: [...urns], uploadedAt, sendCount: 0, firstSentAt: null, sentAt: null, duplicate: false };
}
