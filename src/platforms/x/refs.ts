import { z } from "@hono/zod-openapi";

/** A chunked upload under way. */
export const Cursor = z.object({
  stage: z.enum(["append", "processing"]),
  id: z.string(),
  key: z.string().nullable(),
  expiresAt: z.number(),
  /** The next byte to send, and the number its segment gets. */
  offset: z.number(),
  segment: z.number(),
  segmentBytes: z.number(),
  /** When processing began. */
  since: z.number(),
  /** Uploads begun again because X had forgotten the one before. */
  restarts: z.number(),
});
export type Cursor = z.infer<typeof Cursor>;

/** All that the visible call needs, and what earlier ones left behind for `verify`. */
export const Ref = z.object({
  mediaIds: z.array(z.string()),
  /** X shows these at the post: the surest way to know our own again. */
  mediaKeys: z.array(z.string()),
  quote: z.enum(["none", "native", "link"]),
  sends: z.number(),
  sentAt: z.number().nullable(),
  /** X answered that the same text is there already. */
  duplicate: z.boolean(),
});
export type Ref = z.infer<typeof Ref>;
