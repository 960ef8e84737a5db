import { z } from "@hono/zod-openapi";
import { Id } from "#platforms/answer.ts";
import { listOf } from "#platforms/graph.ts";

export const Page = z.looseObject({
  id: Id,
  name: z.string().nullish(),
  username: z.string().nullish(),
  access_token: z.string().nullish(),
  tasks: z.array(z.string()).nullish(),
  picture: z.looseObject({ data: z.looseObject({ url: z.string().nullish() }).nullish() }).nullish(),
});
export type Page = z.infer<typeof Page>;

/** A photo answers with its own id beside the post's. */
export const Posted = z.looseObject({ id: Id, post_id: Id.nullish(), permalink_url: z.string().nullish() });

export const Started = z.looseObject({ video_id: Id, upload_url: z.string().nullish() });

export const Success = z.looseObject({ success: z.boolean(), post_id: Id.nullish() });

const Errors = z.array(z.looseObject({ message: z.string().nullish(), code: z.number().nullish() }));

const Phase = z
  .looseObject({
    status: z.string().nullish(),
    // Documented differently from page to page: one error, or several.
    error: z.looseObject({ message: z.string().nullish(), code: z.number().nullish() }).nullish(),
    errors: Errors.nullish(),
    publish_status: z.string().nullish(),
  })
  .nullish();

export const Video = z.looseObject({
  status: z
    .looseObject({
      video_status: z.string().nullish(),
      uploading_phase: Phase,
      processing_phase: Phase,
      publishing_phase: Phase,
    })
    .nullish(),
  published: z.boolean().nullish(),
  permalink_url: z.string().nullish(),
  post_id: Id.nullish(),
});
export type Video = z.infer<typeof Video>;

const Target = z.looseObject({ target: z.looseObject({ id: Id.nullish() }).nullish() });

const ListedPost = z.looseObject({
  id: Id,
  message: z.string().nullish(),
  created_time: z.string().nullish(),
  permalink_url: z.string().nullish(),
  application: z.looseObject({ id: Id.nullish() }).nullish(),
  attachments: z
    .looseObject({
      data: z.array(Target.extend({ subattachments: z.looseObject({ data: z.array(Target) }).nullish() })).nullish(),
    })
    .nullish(),
});
export type ListedPost = z.infer<typeof ListedPost>;
export const PostList = listOf(ListedPost);

export const VideoList = listOf(
  z.looseObject({
    id: Id,
    description: z.string().nullish(),
    created_time: z.string().nullish(),
    permalink_url: z.string().nullish(),
    custom_labels: z.array(z.string()).nullish(),
  }),
);

/** The upload host refuses in a shape of its own. */
export const UploadTrouble = z.looseObject({
  debug_info: z.looseObject({
    retriable: z.boolean().nullish(),
    type: z.string().nullish(),
    message: z.string().nullish(),
  }),
});
