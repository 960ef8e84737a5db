import type { RefusalDetail } from "#core/errors.ts";

/** Adds the post's id to the message of a problem, if the request has several posts. */
export function withPostId(problem: RefusalDetail, postId: string): RefusalDetail {
  return { ...problem, message: `post ${postId}: ${problem.message}` };
}
