import { z } from "@hono/zod-openapi";

export const PhotosCursor = z.object({ photos: z.array(z.string().nullable()), since: z.number() });
export type PhotosCursor = z.infer<typeof PhotosCursor>;

export const ReelCursor = z.object({
  stage: z.enum(["upload", "wait"]),
  videoId: z.string(),
  uploadUrl: z.string(),
  /** Hosted: the platform fetches the file. Bytes: we send it. */
  way: z.enum(["hosted", "bytes"]),
  since: z.number(),
  polls: z.number(),
  rebuilds: z.number(),
});
export type ReelCursor = z.infer<typeof ReelCursor>;

/** What can be asked for after the visible call, by kind of post. */
export const Ref = z.object({
  kind: z.enum(["feed", "reel", "video"]),
  photos: z.array(z.string()),
  videoId: z.string().nullable(),
  sends: z.number(),
  sentAt: z.number().nullable(),
  /** The platform said yes and works on it. */
  accepted: z.boolean(),
  /** The platform answered that the same post is there already. */
  duplicate: z.boolean(),
});
export type Ref = z.infer<typeof Ref>;

export function refOf(kind: Ref["kind"], more: Partial<Ref> = {}): Ref {
  return { kind, photos: [], videoId: null, sends: 0, sentAt: null, accepted: false, duplicate: false, ...more };
}
