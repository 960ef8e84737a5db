import { z } from "@hono/zod-openapi";

const Thumbnail = z.looseObject({ url: z.string().nullish() }).nullish();

export const ChannelList = z.looseObject({
  nextPageToken: z.string().nullish(),
  // The list is absent if the Google account has no channel.
  items: z
    .array(
      z.looseObject({
        id: z.string().min(1),
        snippet: z
          .looseObject({
            title: z.string().nullish(),
            customUrl: z.string().nullish(),
            thumbnails: z.looseObject({ default: Thumbnail, medium: Thumbnail }).nullish(),
          })
          .nullish(),
        contentDetails: z
          .looseObject({ relatedPlaylists: z.looseObject({ uploads: z.string().nullish() }).nullish() })
          .nullish(),
        status: z.looseObject({ longUploadsStatus: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
});
export type Channel = NonNullable<z.infer<typeof ChannelList>["items"]>[number];

export const Video = z.looseObject({
  id: z.string().min(1),
  status: z
    .looseObject({
      uploadStatus: z.string().nullish(),
      failureReason: z.string().nullish(),
      rejectionReason: z.string().nullish(),
    })
    .nullish(),
  // YouTube returns these details only to the owner of the video.
  processingDetails: z
    .looseObject({ processingStatus: z.string().nullish(), processingFailureReason: z.string().nullish() })
    .nullish(),
});
export type Video = z.infer<typeof Video>;

export const VideoList = z.looseObject({ items: z.array(Video).nullish() });

export const PlaylistItem = z.looseObject({
  id: z.string().nullish(),
  snippet: z
    .looseObject({
      title: z.string().nullish(),
      description: z.string().nullish(),
      publishedAt: z.string().nullish(),
      resourceId: z.looseObject({ videoId: z.string().nullish() }).nullish(),
    })
    .nullish(),
  contentDetails: z.looseObject({ videoId: z.string().nullish(), videoPublishedAt: z.string().nullish() }).nullish(),
});
export type PlaylistItem = z.infer<typeof PlaylistItem>;

export const PlaylistItems = z.looseObject({
  nextPageToken: z.string().nullish(),
  items: z.array(PlaylistItem).nullish(),
});

/** A comment thread: developers.google.com/youtube/v3/docs/commentThreads. Its id is that of its first comment. */
export const CommentThread = z.looseObject({
  id: z.string().min(1),
  snippet: z
    .looseObject({
      topLevelComment: z
        .looseObject({
          snippet: z
            .looseObject({
              textOriginal: z.string().nullish(),
              textDisplay: z.string().nullish(),
              authorChannelId: z.looseObject({ value: z.string().nullish() }).nullish(),
            })
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
export type CommentThread = z.infer<typeof CommentThread>;

export const CommentThreads = z.looseObject({
  nextPageToken: z.string().nullish(),
  items: z.array(CommentThread).nullish(),
});

export const ErrorBody = z.looseObject({
  error: z.looseObject({
    message: z.string().nullish(),
    status: z.string().nullish(),
    errors: z.array(z.looseObject({ reason: z.string().nullish(), message: z.string().nullish() })).nullish(),
    details: z.array(z.looseObject({ reason: z.string().nullish() })).nullish(),
  }),
});

/**
 * The claims of Google's ID token:
 * https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload
 */
export const IdTokenClaims = z.looseObject({
  iss: z.enum(["https://accounts.google.com", "accounts.google.com"]),
  aud: z.string(),
  sub: z.string().min(1).max(255),
});

export const IdTokenResponse = z.looseObject({ id_token: z.string() });
