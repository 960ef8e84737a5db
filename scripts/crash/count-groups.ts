import type { PublishedPost } from "./api-client.ts";
import { coverKey, playlistKey, type PublishedExtras } from "./check-extras.ts";
import { MAX_TARGETS } from "./choose-targets.ts";
import { commentMarker, DOCUMENT_PLATFORM, type ExpectedPost } from "./expected-posts.ts";
import {
  COMMENT,
  COVER,
  DOCUMENT,
  MAX_TARGET,
  MULTI_TARGET,
  PAGE_COMMENT,
  PLAYLIST,
  STORY,
  THREAD,
} from "./minimums.ts";

/** What a run must have seen of each: the platform, the kind of media, several targets, the most targets, threads, comments, playlists, stories, documents and covers. */
export function groupsOf(
  post: ExpectedPost,
  platform: string,
  onPlatform: readonly PublishedPost[],
  extras: PublishedExtras,
): string[] {
  const { kind, platforms, threadPlatforms, storyPlatforms, document, cover } = post;
  const has = (what: string): boolean => extras.has(`${platform} ${what}`);
  return [
    platform,
    kind,
    ...(platforms.length > 1 ? [MULTI_TARGET] : []),
    ...(platforms.length === MAX_TARGETS ? [MAX_TARGET] : []),
    ...(threadPlatforms.includes(platform) ? [THREAD] : []),
    ...(has(commentMarker(post.marker)) ? [COMMENT] : []),
    ...(platform === "linkedin" && has(commentMarker(post.marker)) ? [PAGE_COMMENT] : []),
    ...(storyPlatforms.includes(platform) ? [`${STORY} at ${platform}`] : []),
    ...(document && platform === DOCUMENT_PLATFORM ? [DOCUMENT] : []),
    ...(onPlatform.some(({ id }) => has(coverKey(id, cover ?? ""))) ? [COVER] : []),
    ...(onPlatform.some(({ id }) => post.playlists.some((playlist) => has(playlistKey(playlist, id))))
      ? [PLAYLIST]
      : []),
  ];
}
