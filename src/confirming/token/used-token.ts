import { type ApprovalReference, refuse } from "#core/errors.ts";

/** Refuses a used token and names its posts, so that a caller who lost the first response learns what was created. */
export function refuseUsedToken(postIds: readonly string[], approval?: ApprovalReference): never {
  refuse({
    code: "token_already_used",
    message: `confirmation token already used; it was for ${postIds.length === 1 ? "post" : "posts"} ${postIds.join(", ")}`,
    param: "confirmation_token",
    postIds,
    ...(approval && { approval }),
  });
}
