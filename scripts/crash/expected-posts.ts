import type { MediaKind } from "./media-kinds.ts";

/** What one edit (or the first confirm) would publish. */
export interface ExpectedVersion {
  readonly text: string;
  readonly dueAt: number;
  /** `unknown`: the answer was lost, so the service may have applied it or not. */
  confirmation: "confirmed" | "unknown" | "refused";
}

/** What the caller knows of one post; the API and the platforms are checked against it. */
export interface ExpectedPost {
  readonly marker: string;
  readonly apiKey: string;
  readonly platforms: readonly string[];
  readonly kind: MediaKind;
  /** The SHA-256 of each media file, in order. */
  readonly media: readonly string[];
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
