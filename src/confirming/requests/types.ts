import type { Author } from "#core/actor.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { Platform } from "#core/platform.ts";
import type { PlannedTime } from "#planning/plan/types.ts";
import type { ApprovalState, CreatedVia, PostType } from "#core/status.ts";

/** A request of an agent that only a signed-in person can approve, with its outcome. */
export interface Approval {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: "schedule" | "edit" | "bulk";
  readonly state: ApprovalState;
  /** The page on which the person decides. The URL contains no secret. */
  readonly url: string;
  /**
   * The hash that the person approves: the plan hash of a new post, or for an edit a hash over the plan hashes of its
   * posts.
   */
  readonly planHash: string;
  readonly requestedBy: Author;
  readonly via: CreatedVia;
  /** What the person wrote when declining; null without a note. */
  readonly note: string | null;
  /** The ids of the posts that the approval scheduled or changed. Null until the person approves. */
  readonly postIds: readonly string[] | null;
  /** Why the plan can no longer be written; empty unless the state is `stale`. */
  readonly details: readonly RefusalDetail[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  /** The requested posts in short form, as the plan would write them. */
  readonly posts: readonly ApprovalPost[];
}

interface ApprovalPost {
  readonly id: string;
  /** The planned time. `now` means the time of the approval. */
  readonly scheduledAt: PlannedTime;
  /** The first 140 characters of the caption, counted in code points. */
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
}
