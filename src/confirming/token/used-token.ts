import { type ApprovalReference, refuse } from "#core/errors.ts";

/** A caller who lost the first response learns which posts the token was for. */
export function refuseUsedToken(postIds: readonly string[], approval?: ApprovalReference): never {
  refuse({
    code: "token_already_used",
    message: `confirmation token already used; it was for ${postIds.length === 1 ? "post" : "posts"} ${postIds.join(", ")}`,
    param: "confirmation_token",
    postIds,
    ...(approval && { approval }),
  });
}
