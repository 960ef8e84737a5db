import type { ApiClient, PublishedPost } from "./api-client.ts";
import { expectedKey, type ExpectedPost, publishedKey } from "./expected-posts.ts";

/** What is published on the platforms, by platform and by what it is recognized. */
export type PublishedPosts = ReadonlyMap<string, readonly PublishedPost[]>;

/** One request per platform reads the published posts of all users. */
export async function readPublishedPosts(client: ApiClient, platforms: readonly string[]): Promise<PublishedPosts> {
  const postsByKey = new Map<string, PublishedPost[]>();
  for (const platform of platforms) {
    for (const post of await client.publishedPosts(platform)) {
      const key = `${platform} ${publishedKey(post)}`;
      postsByKey.set(key, [...(postsByKey.get(key) ?? []), post]);
    }
  }
  return postsByKey;
}

export const postsWithMarker = (
  publishedPosts: PublishedPosts,
  platform: string,
  { marker }: Pick<ExpectedPost, "marker">,
): readonly PublishedPost[] => publishedPosts.get(`${platform} ${marker}`) ?? [];

/** The post that a platform published, without the later parts of its thread. */
export const publishedOf = (
  publishedPosts: PublishedPosts,
  platform: string,
  post: Parameters<typeof expectedKey>[0],
): readonly PublishedPost[] => publishedPosts.get(`${platform} ${expectedKey(post, platform)}`) ?? [];
