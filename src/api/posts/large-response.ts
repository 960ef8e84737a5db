import { getPosts } from "#posts/index.ts";
import type { LargeResponse } from "#api/idempotency.ts";
import type { JsonObject } from "#core/json.ts";
import { presentPost } from "#wire/schemas/post.ts";

interface Reference {
  readonly workspaceId: string;
  readonly postIds: readonly string[];
  /** The other members of the response body, which are stored unchanged. */
  readonly rest: JsonObject;
}

/** For responses with `posts`: a repeated call with the same idempotency key gets the posts in their current state. */
export const postsByReference: LargeResponse = {
  toReference({ actor }, { posts, ...rest }) {
    const postIds = (posts as readonly { readonly id: string }[]).map(({ id }) => id);
    return { workspaceId: actor.workspaceId, postIds, rest };
  },
  async rebuild(ctx, reference) {
    const { workspaceId, postIds, rest } = reference as unknown as Reference;
    const posts = await getPosts(ctx, { workspaceId, ids: postIds });
    return { posts: posts.map(presentPost) as unknown as JsonObject[], ...rest };
  },
};
