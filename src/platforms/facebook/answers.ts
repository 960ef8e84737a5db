import { z } from "@hono/zod-openapi";
import { Id } from "#platforms/response.ts";
import { graphList } from "#platforms/graph-api.ts";

export const Page = z.looseObject({
  id: Id,
  name: z.string().nullish(),
  username: z.string().nullish(),
  access_token: z.string().nullish(),
  tasks: z.array(z.string()).nullish(),
  picture: z.looseObject({ data: z.looseObject({ url: z.string().nullish() }).nullish() }).nullish(),
});
export type Page = z.infer<typeof Page>;

/** The answer to a new photo or post. `id` is the photo's own id, `post_id` the post's. */
export const CreatedPost = z.looseObject({ id: Id, post_id: Id.nullish(), permalink_url: z.string().nullish() });

export const ReelUploadSession = z.looseObject({ video_id: Id, upload_url: z.string().nullish() });

/** The offset in a file. Some answers have it as text, others as a number. */
const Offset = z.coerce.number().int().min(0);

export const TransferRange = z.looseObject({ start_offset: Offset, end_offset: Offset });

export const VideoUploadSession = TransferRange.extend({ upload_session_id: Id, video_id: Id });

const parseJsonText = (value: unknown): unknown => {
  if (typeof value !== "string") {
    return value;
  }
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
};

/** The refusal of an uploaded part with the wrong offset. Its data are an object, or an object as text. */
export const UploadRangeError = z.looseObject({
  error: z.looseObject({ error_data: z.preprocess(parseJsonText, TransferRange) }),
});

export const SuccessFlag = z.looseObject({ success: z.boolean(), post_id: Id.nullish() });

const PhaseErrors = z.array(z.looseObject({ message: z.string().nullish(), code: z.number().nullish() }));

const Phase = z
  .looseObject({
    status: z.string().nullish(),
    // Meta's documents disagree: some show one error, others a list of errors.
    error: z.looseObject({ message: z.string().nullish(), code: z.number().nullish() }).nullish(),
    errors: PhaseErrors.nullish(),
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

const AttachmentTarget = z.looseObject({ target: z.looseObject({ id: Id.nullish() }).nullish() });

const ListedPost = z.looseObject({
  id: Id,
  message: z.string().nullish(),
  created_time: z.string().nullish(),
  permalink_url: z.string().nullish(),
  application: z.looseObject({ id: Id.nullish() }).nullish(),
  attachments: z
    .looseObject({
      data: z
        .array(
          AttachmentTarget.extend({ subattachments: z.looseObject({ data: z.array(AttachmentTarget) }).nullish() }),
        )
        .nullish(),
    })
    .nullish(),
});
export type ListedPost = z.infer<typeof ListedPost>;
export const PostList = graphList(ListedPost);

export const VideoList = graphList(
  z.looseObject({
    id: Id,
    description: z.string().nullish(),
    created_time: z.string().nullish(),
    permalink_url: z.string().nullish(),
    custom_labels: z.array(z.string()).nullish(),
  }),
);

/**
 * A list of stories: developers.facebook.com/docs/page-stories-api, "Get stories". `media_id` is the id of the photo or
 * video.
 */
export const StoryList = graphList(
  z.looseObject({ post_id: Id.nullish(), media_id: Id.nullish(), url: z.string().nullish() }),
);

/** The error body of the upload host, which differs from the Graph API's. */
export const UploadErrorBody = z.looseObject({
  debug_info: z.looseObject({
    retriable: z.boolean().nullish(),
    type: z.string().nullish(),
    message: z.string().nullish(),
  }),
});
