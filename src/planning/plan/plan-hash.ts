import { sha256Hex } from "#core/encoding.ts";
import { canonicalJson, type JsonObject } from "#core/json.ts";
import type { MediaType, PostType } from "#core/status.ts";
import type { PlannedTime } from "./types.ts";

interface HashedMedia {
  readonly type: MediaType;
  readonly sha256: string;
  readonly altText?: string | undefined;
  readonly cover?: { readonly atMs?: number; readonly image?: { readonly sha256: string } } | undefined;
}

/** What a post publishes: exactly the columns that adapters receive. */
export interface PlanHashInput {
  readonly postType: PostType;
  readonly media: readonly HashedMedia[];
  readonly targets: readonly {
    readonly accountId: string;
    readonly effectiveCaption: string;
    readonly options: JsonObject;
    readonly media?: readonly HashedMedia[] | null;
    readonly dueAt: PlannedTime;
  }[];
}

/**
 * Hashes the canonical JSON of a post's content with SHA-256. Targets count in every state, because a result does not
 * change what was confirmed. The publisher computes the hash again from the claimed rows, so a member that is not set
 * must be absent.
 */
export function planHashOf(content: PlanHashInput): Promise<string> {
  const targets = content.targets
    .toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1))
    .map((target) => ({
      account_id: target.accountId,
      caption: target.effectiveCaption,
      options: target.options,
      scheduled_at: target.dueAt,
      ...(target.media && { media: target.media.map(mediaJson) }),
    }));
  const media = content.media.map(mediaJson);
  return sha256Hex(canonicalJson({ post_type: content.postType, media, targets }));
}

function mediaJson({ type, sha256, altText, cover }: HashedMedia) {
  return {
    type,
    sha256,
    ...(altText !== undefined && { alt_text: altText }),
    ...(cover && { cover: coverJson(cover) }),
  };
}

function coverJson({ atMs, image }: NonNullable<HashedMedia["cover"]>): JsonObject {
  return image ? { sha256: image.sha256 } : { at_ms: atMs ?? 0 };
}
