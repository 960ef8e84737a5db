import { z } from "@hono/zod-openapi";

export const PhotosCursor = z.object({ photos: z.array(z.string().nullable()), since: z.number() });
export type PhotosCursor = z.infer<typeof PhotosCursor>;

export const ReelCursor = z.object({
  stage: z.enum(["upload", "wait"]),
  videoId: z.string(),
  uploadUrl: z.string(),
  /** `hosted`: Facebook downloads the file. `bytes`: we send it. */
  uploadMode: z.enum(["hosted", "bytes"]),
  since: z.number(),
  pollCount: z.number(),
  rebuildCount: z.number(),
});
export type ReelCursor = z.infer<typeof ReelCursor>;

/** `start` and `end` are the part of the file that Facebook wants next. */
export const TimelineCursor = z.object({
  sessionId: z.string(),
  videoId: z.string(),
  start: z.number(),
  end: z.number(),
  since: z.number(),
  rebuildCount: z.number(),
});
export type TimelineCursor = z.infer<typeof TimelineCursor>;

/** What `commit` needs and what identifies the post for `verify`; one form per kind of post. */
export const CommitRef = z.object({
  kind: z.enum(["feed", "reel", "video", "story"]),
  photos: z.array(z.string()),
  videoId: z.string().nullable(),
  /** The upload session of a timeline video. */
  sessionId: z.string().nullable(),
  /** The id of a story, once an answer named it. */
  storyId: z.string().nullish(),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** Facebook accepted the post and is processing it. */
  accepted: z.boolean(),
  /** Facebook refused the post as a duplicate. */
  duplicate: z.boolean(),
});
export type CommitRef = z.infer<typeof CommitRef>;

export function createCommitRef(kind: CommitRef["kind"], changes: Partial<CommitRef> = {}): CommitRef {
  return {
    kind,
    photos: [],
    videoId: null,
    sessionId: null,
    sendCount: 0,
    sentAt: null,
    accepted: false,
    duplicate: false,
    ...changes,
  };
}
