import { z } from "@hono/zod-openapi";

/** An upload under way. The publish id is in the journal before the first byte leaves, and never begun anew while it may work. */
export const Cursor = z.object({
  publishId: z.string(),
  uploadUrl: z.string(),
  startedAt: z.number(),
  /** The number of the next piece. */
  piece: z.number(),
  failures: z.number(),
  /** Uploads begun again because TikTok had forgotten the one before. */
  restarts: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** What the account's own settings make of a post, as found right before it. */
export const Terms = z.object({
  privacyLevel: z.string(),
  disableComment: z.boolean(),
  disableDuet: z.boolean(),
  disableStitch: z.boolean(),
});
export type Terms = z.infer<typeof Terms>;

export const Ref = z.object({
  /** The only handle on a post; null for photos, whose one visible call hands it out. */
  publishId: z.string().nullable(),
  uploadUrl: z.string().nullable(),
  /** Null for drafts. */
  terms: Terms.nullable(),
  sends: z.number(),
  sentAt: z.number().nullable(),
  /** TikTok said yes and works on it. */
  accepted: z.boolean(),
  /** The address of the upload was refused after a call of unknown fate. */
  expired: z.boolean(),
});
export type Ref = z.infer<typeof Ref>;

export function refOf(more: Partial<Ref>): Ref {
  return {
    publishId: null,
    uploadUrl: null,
    terms: null,
    sends: 0,
    sentAt: null,
    accepted: false,
    expired: false,
    ...more,
  };
}
