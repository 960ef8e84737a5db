import { z } from "@hono/zod-openapi";

export const UserInfo = z.looseObject({
  sub: z.string().min(1),
  name: z.string().nullish(),
  picture: z.string().nullish(),
});

export const Me = z.looseObject({
  id: z.string().min(1),
  localizedFirstName: z.string().nullish(),
  localizedLastName: z.string().nullish(),
  vanityName: z.string().nullish(),
});

/** The roles of a person in organizations. Older API versions name the organization `organizationTarget`. */
export const OrganizationAclList = z.looseObject({
  elements: z.array(
    z.looseObject({
      role: z.string(),
      state: z.string().nullish(),
      organization: z.string().nullish(),
      organizationTarget: z.string().nullish(),
    }),
  ),
  paging: z
    .looseObject({ links: z.array(z.looseObject({ rel: z.string().nullish(), href: z.string().nullish() })).nullish() })
    .nullish(),
});

export const Organization = z.looseObject({
  localizedName: z.string().nullish(),
  vanityName: z.string().nullish(),
});
export type Organization = z.infer<typeof Organization>;

/** Organizations by id. An organization that LinkedIn could not read has only a status. */
export const OrganizationLookup = z.looseObject({ results: z.record(z.string(), Organization) });

/** The upload of an image or a document. Each answer has its id in a different member. */
export const FileUploadSession = z.looseObject({
  value: z.looseObject({
    uploadUrl: z.string().min(1),
    image: z.string().min(1).optional(),
    document: z.string().min(1).optional(),
  }),
});

export const VideoUploadSession = z.looseObject({
  value: z.looseObject({
    video: z.string().min(1),
    uploadToken: z.string().nullish(),
    uploadUrlsExpireAt: z.number().nullish(),
    thumbnailUploadUrl: z.string().nullish(),
    uploadInstructions: z
      .array(z.looseObject({ firstByte: z.number(), lastByte: z.number(), uploadUrl: z.string().min(1) }))
      .min(1),
  }),
});

export const AssetStatus = z.looseObject({ status: z.string(), processingFailureReason: z.string().nullish() });

const ListedPost = z.looseObject({
  id: z.string().min(1),
  commentary: z.string().nullish(),
  createdAt: z.number().nullish(),
  publishedAt: z.number().nullish(),
  content: z
    .looseObject({
      media: z.looseObject({ id: z.string().nullish() }).nullish(),
      multiImage: z.looseObject({ images: z.array(z.looseObject({ id: z.string().nullish() })).nullish() }).nullish(),
    })
    .nullish(),
});
export type ListedPost = z.infer<typeof ListedPost>;

export const PostList = z.looseObject({ elements: z.array(ListedPost) });

export const ErrorBody = z.looseObject({
  code: z.union([z.string(), z.number()]).nullish(),
  message: z.string().nullish(),
  serviceErrorCode: z.number().nullish(),
  errorDetails: z
    .looseObject({
      inputErrors: z.array(z.looseObject({ code: z.string().nullish(), description: z.string().nullish() })).nullish(),
    })
    .nullish(),
});

/** One list of comments. A comment is named by its id or its URN. */
export const CommentList = z.looseObject({
  elements: z.array(
    z.looseObject({
      id: z.string().nullish(),
      commentUrn: z.string().nullish(),
      actor: z.string().nullish(),
      message: z.looseObject({ text: z.string().nullish() }).nullish(),
    }),
  ),
});
