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
  /** Those of its platforms that publish the thread. */
  readonly threadPlatforms: readonly string[];
  /** The text of its first comment; null without one. */
  readonly comment: string | null;
  /** Those of its platforms that publish the comment. */
  readonly commentPlatforms: readonly string[];
  /** The playlists that its video is added to. */
  readonly playlists: readonly string[];
  postId: string | null;
  readonly versions: ExpectedVersion[];
  cancellation: "none" | "confirmed" | "unknown" | "refused";
  /** How many confirms of one token answered 200. */
  successfulConfirms: number;
}

/** The texts that may be published: the last confirmed one, and every later one whose confirm got no answer. */
export function allowedVersions(post: ExpectedPost): readonly ExpectedVersion[] {
  const lastConfirmed = post.versions.findLastIndex((version) => version.confirmation === "confirmed");
  return post.versions.filter(
    (version, index) => index === lastConfirmed || (index > lastConfirmed && version.confirmation === "unknown"),
  );
}

/** What the text of the first comment of a post begins with. */
export const commentMarker = (marker: string): string => `${marker}c`;

/** What the text of a further part of a thread begins with. */
export function partMarker(marker: string, index: number): string {
  return `${marker}t${index + 1}`;
}
