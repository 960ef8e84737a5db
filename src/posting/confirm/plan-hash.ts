import { sha256Hex } from "#core/encoding.ts";
import { canonicalJson, type JsonObject } from "#core/json.ts";
import type { MediaType, PostType } from "#core/status.ts";

/** The published content of a post: exactly the columns that the adapters receive. */
export interface PlanHashInput {
  readonly postType: PostType;
  readonly media: readonly { readonly type: MediaType; readonly sha256: string }[];
  readonly targets: readonly {
    readonly accountId: string;
    readonly effectiveCaption: string;
    readonly options: JsonObject;
    readonly dueAt: number;
  }[];
}

/**
 * SHA-256 over the canonical JSON of the content, with the targets of every state, because a result does not change what was
 * confirmed. The publisher computes it again from the rows it claimed.
 */
export function planHashOf(content: PlanHashInput): Promise<string> {
  const targets = content.targets
    .toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1))
    .map((target) => ({
      account_id: target.accountId,
      caption: target.effectiveCaption,
      options: target.options,
      scheduled_at: target.dueAt,
    }));
  const media = content.media.map(({ type, sha256 }) => ({ type, sha256 }));
  return sha256Hex(canonicalJson({ post_type: content.postType, media, targets }));
}
