import type { Author } from "#core/actor.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { Platform } from "#core/platform.ts";
import type { PlannedTime } from "#planning/plan/types.ts";
import type { ApprovalState, CreatedVia, PostType } from "#core/status.ts";

/** A request of an agent that only a signed-in person can approve, and its outcome. */
export interface Approval {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: "schedule" | "edit" | "bulk";
  readonly state: ApprovalState;
  /** The page on which the person decides; it contains no secret. */
  readonly url: string;
  /** The plan hash of a new post; for an edit, the hash of its posts' plan hashes. */
  readonly planHash: string;
  readonly requestedBy: Author;
  readonly via: CreatedVia;
  /** The person's words on declining. */
  readonly note: string | null;
  /** The posts that were scheduled or changed; null until it is approved. */
  readonly postIds: readonly string[] | null;
  /** Why it became stale. */
  readonly details: readonly RefusalDetail[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  /** The posts as they would be, shortened. */
  readonly posts: readonly ApprovalPost[];
}

interface ApprovalPost {
  readonly id: string;
  /** `now`: at the time of the approval. */
  readonly scheduledAt: PlannedTime;
  /** The first 140 characters, counted in code points. */
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
}
