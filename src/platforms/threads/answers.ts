import { z } from "@hono/zod-openapi";
import { Id } from "#platforms/response.ts";
import { graphList } from "#platforms/graph-api.ts";

/**
 * The account's own profile. `user_id` of the token response is a JSON number beyond 2^53, but this call returns the id
 * as text.
 */
export const Me = z.looseObject({
  id: Id,
  username: z.string().min(1),
  name: z.string().nullish(),
  threads_profile_picture_url: z.string().nullish(),
});
export type Me = z.infer<typeof Me>;

export const Container = z.looseObject({ status: z.string(), error_message: z.string().nullish() });

export const PublishedPost = z.looseObject({ id: Id, permalink: z.string().nullish() });

export const PostList = graphList(
  z.looseObject({
    id: Id,
    text: z.string().nullish(),
    media_type: z.string().nullish(),
    permalink: z.string().nullish(),
    timestamp: z.string().nullish(),
  }),
);

/** The replies of a conversation: developers.facebook.com/documentation/threads/reference/reply-management. */
export const ReplyList = graphList(
  z.looseObject({
    id: Id,
    text: z.string().nullish(),
    media_type: z.string().nullish(),
    permalink: z.string().nullish(),
    replied_to: z.looseObject({ id: Id }).nullish(),
    is_reply_owned_by_me: z.boolean().nullish(),
  }),
);
