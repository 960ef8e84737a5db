import { z } from "@hono/zod-openapi";

/* Only the fields that the adapter reads. X's specification and its guides name some fields differently (`post`,
   `tweet`); both names are accepted. */

export const MeResponse = z.looseObject({
  data: z.looseObject({
    id: z.string().min(1),
    name: z.string().nullish(),
    username: z.string().min(1),
    profile_image_url: z.string().nullish(),
    verified_type: z.string().nullish(),
    subscription_type: z.string().nullish(),
    protected: z.boolean().nullish(),
  }),
});

export type Me = z.infer<typeof MeResponse>["data"];

export const CreatedPost = z.looseObject({ data: z.looseObject({ id: z.string().min(1) }) });

const ProcessingInfo = z.looseObject({
  state: z.string(),
  check_after_secs: z.number().nullish(),
  error: z
    .looseObject({ name: z.string().nullish(), message: z.string().nullish(), code: z.number().nullish() })
    .nullish(),
});

export const UploadResponse = z.looseObject({
  data: z.looseObject({
    id: z.string().min(1),
    media_key: z.string().nullish(),
    expires_after_secs: z.number().nullish(),
    processing_info: ProcessingInfo.nullish(),
  }),
});
export type UploadedMedia = z.infer<typeof UploadResponse>["data"];

const UrlEntities = z
  .looseObject({ urls: z.array(z.looseObject({ url: z.string(), expanded_url: z.string().nullish() })).nullish() })
  .nullish();

const LongPostText = z.looseObject({ text: z.string(), entities: UrlEntities }).nullish();

const References = z.array(z.looseObject({ type: z.string(), id: z.string() })).nullish();

export const ListedPost = z.looseObject({
  id: z.string().min(1),
  text: z.string().nullish(),
  created_at: z.string().nullish(),
  entities: UrlEntities,
  note_tweet: LongPostText,
  note_post: LongPostText,
  attachments: z.looseObject({ media_keys: z.array(z.string()).nullish() }).nullish(),
  referenced_posts: References,
  referenced_tweets: References,
});
export type ListedPost = z.infer<typeof ListedPost>;

export const PostList = z.looseObject({
  data: z.array(ListedPost).nullish(),
  meta: z.looseObject({ result_count: z.number().nullish(), next_token: z.string().nullish() }),
});

/** The body of an error. X sends problem JSON (RFC 9457), a list of errors, or a code with a message. */
export const ErrorBody = z.looseObject({
  title: z.string().nullish(),
  detail: z.string().nullish(),
  type: z.string().nullish(),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  code: z.number().nullish(),
  errors: z
    .array(z.looseObject({ message: z.string().nullish(), detail: z.string().nullish(), code: z.number().nullish() }))
    .nullish(),
});
