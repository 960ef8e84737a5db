import { z } from "@hono/zod-openapi";
import { Id } from "#platforms/response.ts";
import { graphList } from "#platforms/graph-api.ts";

/** The names of granted scopes. Meta sends either a list or one text with commas. */
const ScopeNames = z.union([
  z.array(z.string()),
  z.string().transform((text) => text.split(",").map((name) => name.trim())),
]);

const ShortToken = z.looseObject({ access_token: z.string().min(1), permissions: ScopeNames.nullish() });

/**
 * The answer with a short-lived token. The documentation describes the form with `data`, but real responses are flat.
 * `user_id` is not read, because posts go to another id.
 */
export const ShortTokenResponse = z.union([
  z.looseObject({ data: z.array(ShortToken).min(1) }).transform((body) => body.data[0]),
  ShortToken,
]);

/** The error body of the token host, which differs from the Graph API's. */
export const TokenErrorBody = z.looseObject({
  error_type: z.string().nullish(),
  code: z.number().nullish(),
  error_message: z.string().nullish(),
});

const Me = z.looseObject({
  /** `id` names the user only within this app. Posts go to `user_id`. */
  id: Id.nullish(),
  user_id: Id,
  username: z.string().min(1),
  name: z.string().nullish(),
  account_type: z.string().nullish(),
  profile_picture_url: z.string().nullish(),
});
export type Me = z.infer<typeof Me>;

export const MeResponse = z.union([z.looseObject({ data: z.array(Me).min(1) }).transform((body) => body.data[0]), Me]);

export const Followers = z.looseObject({ followers_count: z.number() });

export const Page = z.looseObject({
  id: Id,
  name: z.string().nullish(),
  access_token: z.string().nullish(),
  tasks: z.array(z.string()).nullish(),
  instagram_business_account: z
    .looseObject({
      id: Id,
      username: z.string().nullish(),
      name: z.string().nullish(),
      profile_picture_url: z.string().nullish(),
      followers_count: z.number().nullish(),
    })
    .nullish(),
});
export type Page = z.infer<typeof Page>;

export const Container = z.looseObject({ status_code: z.string(), status: z.string().nullish() });

export const PublishedMedia = z.looseObject({ id: Id, permalink: z.string().nullish() });

export const MediaList = graphList(
  z.looseObject({
    id: Id,
    caption: z.string().nullish(),
    media_type: z.string().nullish(),
    timestamp: z.string().nullish(),
    permalink: z.string().nullish(),
  }),
);
