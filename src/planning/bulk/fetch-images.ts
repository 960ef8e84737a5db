import type { Context } from "#context.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { importImages, type MediaItemInput } from "#media/index.ts";
import { assertScheduledPostsLimit } from "#planning/checks/scheduled-posts-quota.ts";
import { withThreadAddresses } from "#posts/rows/thread-media.ts";
import type { ScheduleInput } from "#planning/plan/types.ts";
import { type AssessedBulk, assessBulk, type NewPost } from "./assess-bulk.ts";

/**
 * Imports the images of other servers that the good posts name, each once, and assesses the posts again with the stored files. For a
 * request that is refused anyway nothing is fetched, and that they are not stored is none of its problems.
 */
export async function fetchImages<Post extends NewPost>(
  ctx: Context,
  posts: readonly Post[],
  assessed: AssessedBulk,
  { isRefused }: { readonly isRefused: boolean },
): Promise<AssessedBulk & { readonly inputs: readonly Post[] }> {
  const urls = [...new Set(assessed.posts.flatMap(({ fetchable }) => fetchable))];
  if (urls.length === 0) {
    return { ...assessed, inputs: posts };
  }
  if (isRefused) {
    const others = assessed.posts.map((post) => (post.fetchable.length > 0 ? { ...post, problems: [] } : post));
    return { ...assessed, posts: others, inputs: posts };
  }
  assertScheduledPostsLimit(
    ctx,
    assessed.scheduled,
    assessed.posts.filter(({ problems, fetchable }) => problems.length === 0 || fetchable.length > 0).length,
  );
  const stored = new Map<string, string>();
  const unfetched = new Map<string, RefusalDetail>();
  for (const [url, result] of await importImages(ctx, urls)) {
    if (result.ok) {
      stored.set(url, result.value.url);
    } else {
      unfetched.set(url, result.problem);
    }
  }
  const inputs = posts.map((post) => ({ ...post, input: withStoredMedia(post.input, stored) }));
  return { ...(await assessBulk(ctx, inputs, { counts: false, asksPlatforms: false, unfetched })), inputs };
}

/** The input with the addresses of the files as they are stored. */
function withStoredMedia(input: ScheduleInput, stored: ReadonlyMap<string, string>): ScheduleInput {
  const addressOf = (url: string) => stored.get(url) ?? url;
  const itemOf = ({ cover, ...item }: MediaItemInput): MediaItemInput => ({
    ...item,
    url: addressOf(item.url),
    ...(cover && { cover: { ...cover, ...(cover.url !== undefined && { url: addressOf(cover.url) }) } }),
  });
  return {
    ...input,
    mediaItems: input.mediaItems?.map(itemOf),
    mediaUrls: input.mediaUrls?.map(addressOf),
    targets: input.targets?.map((target) => ({
      ...target,
      mediaItems: target.mediaItems && target.mediaItems.map(itemOf),
      mediaUrls: target.mediaUrls && target.mediaUrls.map(addressOf),
      ...(target.platformOptions && { platformOptions: withThreadAddresses(target.platformOptions, addressOf) }),
    })),
    ...(input.optionsByPlatform && {
      optionsByPlatform: Object.fromEntries(
        Object.entries(input.optionsByPlatform).map(([platform, options]) => [
          platform,
          withThreadAddresses(options, addressOf),
        ]),
      ),
    }),
  };
}
