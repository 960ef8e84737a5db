import { z } from "@hono/zod-openapi";
import { Id } from "#platforms/response.ts";

/* Only the fields that the adapter reads. Servers that are forks or older leave some of them out. */

export const RegisteredApp = z.looseObject({
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
});

export const Profile = z.looseObject({
  id: Id,
  username: z.string().min(1),
  display_name: z.string().nullish(),
  url: z.string().nullish(),
  avatar: z.string().nullish(),
});
export type Profile = z.infer<typeof Profile>;

const Count = z.number().positive();

/**
 * The answer to `GET /api/v2/instance`, and to `GET /api/v1/instance`, which calls the host `uri` and has the same
 * `configuration`.
 */
export const InstanceResponse = z.looseObject({
  domain: z.string().nullish(),
  uri: z.string().nullish(),
  version: z.string(),
  api_versions: z.looseObject({ mastodon: z.number().nullish() }).nullish(),
  max_toot_chars: Count.nullish(),
  configuration: z
    .looseObject({
      statuses: z
        .looseObject({
          max_characters: Count.nullish(),
          max_media_attachments: z.number().nonnegative().nullish(),
          characters_reserved_per_url: Count.nullish(),
        })
        .nullish(),
      media_attachments: z
        .looseObject({
          supported_mime_types: z.array(z.string()).nullish(),
          image_size_limit: Count.nullish(),
          video_size_limit: Count.nullish(),
          image_matrix_limit: Count.nullish(),
          video_matrix_limit: Count.nullish(),
          video_frame_rate_limit: Count.nullish(),
          description_limit: Count.nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
export type InstanceResponse = z.infer<typeof InstanceResponse>;

export const MediaAttachment = z.looseObject({ id: Id, url: z.string().nullish() });

export const Status = z.looseObject({
  id: Id,
  url: z.string().nullish(),
  uri: z.string().nullish(),
  created_at: z.string().nullish(),
  in_reply_to_id: Id.nullish(),
  application: z.looseObject({ name: z.string().nullish() }).nullish(),
  media_attachments: z.array(z.looseObject({ id: Id, type: z.string().nullish() })).nullish(),
});
export type Status = z.infer<typeof Status>;

export const StatusList = z.array(Status);

export const StatusSource = z.looseObject({ text: z.string(), spoiler_text: z.string().nullish() });
export type StatusSource = z.infer<typeof StatusSource>;

export const ErrorBody = z.looseObject({ error: z.string() });
