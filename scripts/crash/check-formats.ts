import type { PublishedPost } from "./api-client.ts";
import { coverKey, type PublishedExtras } from "./check-extras.ts";
import type { Violation } from "./check-invariants.ts";
import { COVER_PLATFORM, expectedFormat, type ExpectedPost, isUniqueFormat } from "./expected-posts.ts";
import type { PublishedPosts } from "./published-posts.ts";

/** The problem with the kind, the title or the files of a published post; null without one. */
export function formatProblem(
  post: ExpectedPost,
  platform: string,
  published: Pick<PublishedPost, "kind" | "title" | "media">,
): string | null {
  const { kind, title, media } = expectedFormat(post, platform);
  if (kind === null ? isUniqueFormat(published.kind) : published.kind !== kind) {
    return `${platform} holds it as ${published.kind} instead of ${kind ?? "a usual post"}`;
  }
  if (kind !== null && published.title !== title) {
    return `${platform} holds it with another title`;
  }
  return published.media.map(({ sha256 }) => sha256).join() === media.join()
    ? null
    : `${platform} holds ${published.media.length} media files that are not those confirmed`;
}

/** Stories, documents and covers with a file that no post of this platform has (I4). */
export function findInventedFiles(
  posts: readonly ExpectedPost[],
  published: { readonly posts: PublishedPosts; readonly extras: PublishedExtras },
): Violation[] {
  const expected = new Set(
    posts.flatMap((post) =>
      post.platforms.flatMap((platform) => {
        const { kind, media } = expectedFormat(post, platform);
        return kind === null ? [] : [`${platform} ${kind} ${media.join()}`];
      }),
    ),
  );
  const found = [...published.posts].flatMap(([key, several]) =>
    several
      .filter(({ kind }) => isUniqueFormat(kind))
      .map(({ id, kind, media }) => {
        const platform = key.split(" ", 1)[0] ?? "";
        const file = `${platform} ${kind} ${media.map(({ sha256 }) => sha256).join()}`;
        return { file, marker: id, what: `${platform} holds a ${kind} that nobody confirmed` };
      }),
  );
  const videos = new Set(
    [...published.posts]
      .filter(([key]) => key.startsWith(`${COVER_PLATFORM} `))
      .flatMap(([, several]) => several.map(({ id }) => id)),
  );
  const covers = [...published.extras.keys()]
    .filter((key) => key.startsWith(`${COVER_PLATFORM} ${COVER_PREFIX}`))
    .map((key) => key.split(" ").at(2) ?? "");
  return [
    ...found.filter(({ file }) => !expected.has(file)).map(({ marker, what }) => ({ invariant: "I4", marker, what })),
    ...covers
      .filter((video) => !videos.has(video))
      .map((video) => ({ invariant: "I14", marker: video, what: `${COVER_PLATFORM} has a cover without its video` })),
  ];
}

const COVER_PREFIX = coverKey("", "").trimEnd();
