import { z } from "@hono/zod-openapi";
import { Id } from "#platforms/answer.ts";
import { listOf } from "#platforms/graph.ts";

/** `user_id` is a bare number beyond 2^53 and another call tells it as text, so it is not read. */
export const Me = z.looseObject({
  id: Id,
  username: z.string().min(1),
  name: z.string().nullish(),
  threads_profile_picture_url: z.string().nullish(),
});
export type Me = z.infer<typeof Me>;

export const TokenInfo = z.looseObject({ data: z.looseObject({ scopes: z.array(z.string()) }) });

export const Container = z.looseObject({ status: z.string(), error_message: z.string().nullish() });

export const Published = z.looseObject({ id: Id, permalink: z.string().nullish() });

export const PostList = listOf(
  z.looseObject({
    id: Id,
    text: z.string().nullish(),
    media_type: z.string().nullish(),
    permalink: z.string().nullish(),
    timestamp: z.string().nullish(),
  }),
);
