import { toTargetMediaInput } from "#planning/candidates/media-lists.ts";
import { type PostInsert, toMediaInput } from "#planning/plan/post-plan.ts";
import type { AskedPost } from "./assess-new-posts.ts";

/** Asks for a planned post once more. */
export function askAgain(post: PostInsert, row: number | undefined): AskedPost {
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
