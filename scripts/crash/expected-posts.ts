import type { MediaKind } from "./media-kinds.ts";

/** What one edit (or the first confirm) would publish. */
export interface ExpectedVersion {
  readonly text: string;
  readonly dueAt: number;
  /** `unknown`: the answer was lost, so the service may have applied it or not. */
  confirmation: "confirmed" | "unknown" | "refused";
}

/** A part of a thread: its text, and the SHA-256 of each of its media files, in order. */
export interface ExpectedPart {
  readonly text: string;
  readonly media: readonly string[];
}

/** A document as the platform shows it. */
interface ExpectedDocument {
  readonly title: string;
  readonly sha256: string;
}

/** What the caller knows of one post; the API and the platforms are checked against it. */
export interface ExpectedPost {
  readonly marker: string;
  readonly apiKey: string;
  readonly platforms: readonly string[];
  readonly kind: MediaKind;
  /** The SHA-256 of each media file, in order. */
  readonly media: readonly string[];
  /** The parts of its thread after the first; empty without one. */
  readonly parts: readonly ExpectedPart[];
  /** The platforms of the post that publish the thread. */
  readonly threadPlatforms: readonly string[];
  /** The text of its first comment; null without one. */
  readonly comment: string | null;
  /** The platforms of the post that publish the comment. */
  readonly commentPlatforms: readonly string[];
  /** The playlists that its video is added to. */
  readonly playlists: readonly string[];
  /** The platforms of the post that publish its one file as a story, which has no text. */
  readonly storyPlatforms: readonly string[];
  /** The document that `DOCUMENT_PLATFORM` publishes with it; null without one. */
  readonly document: ExpectedDocument | null;
  /** The SHA-256 of the cover that `COVER_PLATFORM` adds to its video; null without one. */
  readonly cover: string | null;
  postId: string | null;
  readonly versions: ExpectedVersion[];
  cancellation: "none" | "confirmed" | "unknown" | "refused";
  /** How many confirms of one token answered 200. */
  successfulConfirms: number;
}

/** The texts that may be published: the last confirmed one, and every later one whose confirm got no answer. */
function allowedVersions(post: ExpectedPost): readonly ExpectedVersion[] {
  const lastConfirmed = post.versions.findLastIndex((version) => version.confirmation === "confirmed");
  return post.versions.filter(
    (version, index) => index === lastConfirmed || (index > lastConfirmed && version.confirmation === "unknown"),
  );
}

export const STORY_PLATFORMS: readonly string[] = ["instagram", "facebook"];
export const DOCUMENT_PLATFORM = "linkedin";
export const COVER_PLATFORM = "facebook";

type Format = Pick<ExpectedPost, "marker" | "media" | "storyPlatforms" | "document">;

const STORY_FORMAT = "story";
const DOCUMENT_FORMAT = "document";

/** Kinds of published posts that are identified by their file, because no other post has the same file. */
export const isUniqueFormat = (kind: string): boolean => kind === STORY_FORMAT || kind === DOCUMENT_FORMAT;

/** The format that a platform must show: the kind of a story or document, the title and the SHA-256 of each file. */
export function expectedFormat(
  { media, storyPlatforms, document }: Format,
  platform: string,
): { readonly kind: string | null; readonly title: string | null; readonly media: readonly string[] } {
  if (storyPlatforms.includes(platform)) {
    return { kind: STORY_FORMAT, title: null, media };
  }
  return document && platform === DOCUMENT_PLATFORM
    ? { kind: DOCUMENT_FORMAT, title: document.title, media: [document.sha256] }
    : { kind: null, title: null, media };
}

/** By what a published post is recognized: the first word of its text; a story, which has none, by its file. */
export const publishedKey = ({
  kind,
  text,
  media,
}: {
  readonly kind: string;
  readonly text: string;
  readonly media: readonly { readonly sha256: string }[];
}): string => (kind === STORY_FORMAT ? storyKey(media[0]?.sha256) : (/^\S+/.exec(text)?.[0] ?? ""));

/** The key of what a platform publishes of a post. */
export const expectedKey = (post: Format, platform: string): string =>
  post.storyPlatforms.includes(platform) ? storyKey(post.media[0]) : post.marker;

const storyKey = (sha256: string | undefined): string => `${STORY_FORMAT} ${sha256 ?? ""}`;

/** The published version: the one with this text; for a story, which shows no text, any that may be published. */
export function publishedVersion(post: ExpectedPost, platform: string, text: string): ExpectedVersion | undefined {
  const allowed = allowedVersions(post);
  return post.storyPlatforms.includes(platform)
    ? allowed.filter(() => text === "").toSorted((a, b) => a.dueAt - b.dueAt)[0]
    : allowed.find((version) => version.text === text);
}

/** What the text of the first comment of a post begins with. */
export const commentMarker = (marker: string): string => `${marker}c`;

/** The beginning of the text of a thread part after the first. */
export function partMarker(marker: string, index: number): string {
  return `${marker}t${index + 1}`;
}
