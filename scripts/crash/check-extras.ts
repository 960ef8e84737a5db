import type { ApiClient, PublishedExtra } from "./api-client.ts";
import type { Violation } from "./check-invariants.ts";
import { commentMarker, COVER_PLATFORM, type ExpectedPost } from "./expected-posts.ts";
import { type PublishedPosts, publishedOf } from "./published-posts.ts";

/** The API's state of each addition to a post. */
export type TargetExtras = Readonly<Partial<Record<PublishedExtra["name"], { readonly status: string }>>> | null;

/**
 * The number of each addition to public posts, by platform and content: the first word of a comment, the playlist and
 * the post, the video and its cover.
 */
export type PublishedExtras = ReadonlyMap<string, number>;

export const playlistKey = (playlist: string, postId: string): string => `${playlist} ${postId}`;
/** The key of a cover: its video and its SHA-256. */
export const coverKey = (postId: string, sha256: string): string => `cover ${postId} ${sha256}`;

/** Reads the additions to the posts of all users, with one request per platform. */
export async function readPublishedExtras(client: ApiClient, platforms: readonly string[]): Promise<PublishedExtras> {
  const counts = new Map<string, number>();
  for (const platform of platforms) {
    for (const { name, text, addedTo } of await client.publishedExtras(platform)) {
      const what =
        name === "playlists"
          ? playlistKey(text, addedTo)
          : name === "cover"
            ? coverKey(addedTo, text)
            : (/^\S+/.exec(text)?.[0] ?? "");
      const key = `${platform} ${what}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Finds violations in the first comment, the playlists and the cover of a post at a platform: one appears twice (I1),
 * is another cover (I4), exists without its post (I14), or differs from what the API says (I6).
 */
export function findExtraViolations(
  post: ExpectedPost,
  platform: string,
  target: { readonly extras: TargetExtras } | undefined,
  published: { readonly posts: PublishedPosts; readonly extras: PublishedExtras },
): Violation[] {
  const violations: Violation[] = [];
  const report = (invariant: string, what: string): void => {
    violations.push({ invariant, marker: post.marker, what });
  };
  const onPlatform = publishedOf(published.posts, platform, post);
  const comments = published.extras.get(`${platform} ${commentMarker(post.marker)}`) ?? 0;
  const told = target?.extras?.first_comment?.status;
  if (comments > 1) {
    report("I1", `${platform} has its first comment ${comments} times`);
  }
  if (comments > 0 && onPlatform.length === 0) {
    report("I14", `${platform} has its first comment without the post`);
  }
  if ((told === "published" && comments === 0) || (told === "failed" && comments > 0)) {
    report("I6", `${platform} has its first comment ${comments} times, which the API reports as ${told}`);
  }
  const counts = onPlatform.flatMap(({ id }) =>
    post.playlists.map((playlist) => published.extras.get(`${platform} ${playlistKey(playlist, id)}`) ?? 0),
  );
  if (counts.some((count) => count > 1)) {
    report("I1", `${platform} has it in one playlist ${Math.max(...counts)} times`);
  }
  if (target?.extras?.playlists?.status === "published" && counts.includes(0)) {
    report("I6", `${platform} lacks it in a playlist, although the API reports it as added`);
  }
  for (const { id } of platform === COVER_PLATFORM ? onPlatform : []) {
    for (const problem of coverProblems(post, id, target?.extras?.cover?.status, published.extras)) {
      report(...problem);
    }
  }
  return violations;
}

/** A repeated call replaces the cover of a video, so a video has at most one. */
function coverProblems(
  { cover, storyPlatforms }: Pick<ExpectedPost, "cover" | "storyPlatforms">,
  id: string,
  told: string | undefined,
  extras: PublishedExtras,
): (readonly [invariant: string, what: string])[] {
  const prefix = `${COVER_PLATFORM} ${coverKey(id, "")}`;
  const covers = [...extras].filter(([key]) => key.startsWith(prefix));
  const expected = storyPlatforms.includes(COVER_PLATFORM) ? null : cover;
  const count = covers.reduce((total, [, times]) => total + times, 0);
  const problems: (readonly [string, string])[] = [];
  if (covers.some(([key]) => key !== `${prefix}${expected}`)) {
    problems.push(["I4", `${COVER_PLATFORM} has it with a cover that was not confirmed`]);
  }
  if (count > 1) {
    problems.push(["I1", `${COVER_PLATFORM} has it with ${count} covers`]);
  }
  if ((told === "published" && count === 0) || (told === "failed" && count > 0)) {
    problems.push(["I6", `${COVER_PLATFORM} has it with ${count} covers, which the API reports as ${told}`]);
  }
  return problems;
}
