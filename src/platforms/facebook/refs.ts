import { z } from "@hono/zod-openapi";

export const PhotosCursor = z.object({ photos: z.array(z.string().nullable()), since: z.number() });
export type PhotosCursor = z.infer<typeof PhotosCursor>;

export const ReelCursor = z.object({
  stage: z.enum(["upload", "wait"]),
  videoId: z.string(),
  uploadUrl: z.string(),
  /** How the video gets to Facebook. `hosted`: Facebook downloads the file. `bytes`: the service sends it. */
  uploadMode: z.enum(["hosted", "bytes"]),
  since: z.number(),
  pollCount: z.number(),
  rebuildCount: z.number(),
});
export type ReelCursor = z.infer<typeof ReelCursor>;

/** The progress of a timeline video's upload. `start` and `end` are the part of the file that Facebook wants next. */
export const TimelineCursor = z.object({
  sessionId: z.string(),
  videoId: z.string(),
  start: z.number(),
  end: z.number(),
  since: z.number(),
  rebuildCount: z.number(),
});
export type TimelineCursor = z.infer<typeof TimelineCursor>;

/** What `commit` needs, and what identifies the post for `verify`. Each kind of post has its own form. */
export const CommitRef = z.object({
  kind: z.enum(["feed", "reel", "video", "story"]),
  photos: z.array(z.string()),
  videoId: z.string().nullable(),
  /** The id of a timeline video's upload session. */
  sessionId: z.string().nullable(),
  /** The id of a story, once an answer has named it. */
  storyId: z.string().nullish(),
  sendCount: z.number(),
  sentAt: z.number().nullable(),
  /** Whether Facebook has accepted the post and is processing it. */
  accepted: z.boolean(),
  /** Whether Facebook has refused the post as a duplicate. */
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
