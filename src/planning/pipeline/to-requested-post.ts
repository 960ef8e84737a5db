import { toTargetMediaInput } from "#planning/candidates/media-lists.ts";
import { type NewPostOfPlan, toMediaInput } from "#planning/plan/post-plan.ts";
import type { RequestedPost } from "./assess-new-posts.ts";

export function toRequestedPost({ post, row }: NewPostOfPlan): RequestedPost {
  return {
    id: post.id,
    row,
    input: {
      caption: post.caption,
      scheduledAt: post.scheduledAt,
      mediaItems: post.media.map(toMediaInput),
      targets: post.targets.map(({ accountId, caption, requestedOptions, media }) => ({
        accountId,
        caption,
        platformOptions: requestedOptions,
        ...toTargetMediaInput(media, toMediaInput),
      })),
    },
  };
}
