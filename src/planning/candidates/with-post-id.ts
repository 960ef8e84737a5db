import type { RefusalDetail } from "#core/errors.ts";

/** Names the post in the message, where a request has several. */
export function withPostId(problem: RefusalDetail, postId: string): RefusalDetail {
  return { ...problem, message: `post ${postId}: ${problem.message}` };
}
