import { z } from "@hono/zod-openapi";

export const ImagesCursor = z.object({
  kind: z.literal("images"),
  /** Those that are at LinkedIn, in order. */
  urns: z.array(z.string()),
  /** How many of them LinkedIn has finished. */
  available: z.number(),
  /** When the last one was there. */
  since: z.number().nullable(),
});
export type ImagesCursor = z.infer<typeof ImagesCursor>;

export const VideoCursor = z.object({
  kind: z.literal("video"),
  stage: z.enum(["parts", "finalize", "processing"]),
  urn: z.string(),
  token: z.string(),
  parts: z.array(z.object({ firstByte: z.number(), lastByte: z.number(), uploadUrl: z.string() })),
  /** What LinkedIn called each part that it has. */
  etags: z.array(z.string()),
  expiresAt: z.number().nullable(),
  /** When processing began. */
  since: z.number(),
  /** Uploads begun again because the one before had expired. */
  restarts: z.number(),
});
export type VideoCursor = z.infer<typeof VideoCursor>;

export const Cursor = z.discriminatedUnion("kind", [ImagesCursor, VideoCursor]);

/** All that the visible call needs, and what earlier ones left behind for `verify`. */
export const Ref = z.object({
  /** Images or a video; each of them belongs to this post alone. */
  urns: z.array(z.string()),
  /** When the last of them was uploaded. */
  uploadedAt: z.number(),
  sends: z.number(),
  firstSentAt: z.number().nullable(),
  sentAt: z.number().nullable(),
  /** LinkedIn answered that the same post is there already, and did not say which. */
  duplicate: z.boolean(),
});
export type Ref = z.infer<typeof Ref>;

export function refOf(urns: readonly string[], uploadedAt: number): Ref {
  return { urns: [...urns], uploadedAt, sends: 0, firstSentAt: null, sentAt: null, duplicate: false };
}
