import { z } from "@hono/zod-openapi";
import { Id } from "#platforms/response.ts";

export const ErrorBody = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string().nullish() }),
});

export const TokenOwner = z.looseObject({ open_id: z.string().min(1) });

export const UserInfo = z.looseObject({
  data: z.looseObject({
    user: z.looseObject({
      open_id: z.string().min(1),
      avatar_url: z.string().nullish(),
      display_name: z.string().nullish(),
      /** The user name. Present only for logins with the scope `user.info.profile`. */
      username: z.string().nullish(),
    }),
  }),
});
export type User = z.infer<typeof UserInfo>["data"]["user"];

export const CreatorBody = z.looseObject({
  data: z.looseObject({
    creator_username: z.string().nullish(),
    creator_nickname: z.string().nullish(),
    creator_avatar_url: z.string().nullish(),
    privacy_level_options: z.array(z.string()),
    comment_disabled: z.boolean().nullish(),
    duet_disabled: z.boolean().nullish(),
    stitch_disabled: z.boolean().nullish(),
    max_video_post_duration_sec: z.number().nullish(),
  }),
});
export type Creator = z.infer<typeof CreatorBody>["data"];

export const PublishInit = z.looseObject({
  data: z.looseObject({ publish_id: z.string().min(1), upload_url: z.string().nullish() }),
});

export const PublishStatus = z.looseObject({
  data: z.looseObject({
    status: z.string(),
    fail_reason: z.string().nullish(),
    uploaded_bytes: z.number().nullish(),
    // TikTok's documentation spells this member in two ways.
    publicaly_available_post_id: z.unknown().optional(),
    publicly_available_post_id: z.unknown().optional(),
  }),
});
export type PublishStatus = z.infer<typeof PublishStatus>["data"];

/**
 * The public id of a post. While publishing completes, the list may contain empty texts and nulls, so the first usable
 * member counts.
 */
export function publicPostId(status: PublishStatus): string | undefined {
  return [status.publicaly_available_post_id, status.publicly_available_post_id]
    .flat()
    .map((item) => Id.safeParse(item).data)
    .find((id) => id !== undefined);
}

const ListedVideo = z.looseObject({
  id: Id,
  title: z.string().nullish(),
  video_description: z.string().nullish(),
  create_time: z.number().nullish(),
  share_url: z.string().nullish(),
});
export type ListedVideo = z.infer<typeof ListedVideo>;

export const VideoList = z.looseObject({
  data: z.looseObject({
    videos: z.array(ListedVideo).nullish(),
    cursor: z.number().nullish(),
    has_more: z.boolean().nullish(),
  }),
});
