import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { PausedReason, PostType } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { type PlannedContent, planHashOf } from "./plan-hash.ts";

/** One target as it will be stored. */
export interface PlannedTarget {
  readonly accountId: string;
  readonly platform: Platform;
  readonly username: string;
  readonly caption: string | null;
  readonly effectiveCaption: string;
  /** What was asked for with the platform's defaults filled in. */
  readonly options: JsonObject;
  /** What was asked for. */
  readonly asked: JsonObject;
  /** Its account is disconnected: the row stays `skipped` until it comes back. */
  readonly resting: boolean;
}

export interface PlannedPost {
  readonly id: string;
  readonly scheduledAt: number;
  readonly caption: string;
  readonly postType: PostType;
  readonly media: readonly StoredMediaItem[];
  readonly targets: readonly PlannedTarget[];
  readonly planHash: string;
}

/** What one post will be after an edit, as the columns that are written. */
export interface PlannedEdit {
  readonly id: string;
  /** The version and status that were previewed; any other at the confirm means the post changed. */
  readonly version: number;
  readonly from: EditableStatus;
  readonly status: "scheduled" | "paused";
  readonly pausedReason: PausedReason | null;
  readonly scheduledAt: number;
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
  readonly planHash: string;
  /** The new media; null leaves them as they are. */
  readonly media: readonly StoredMediaItem[] | null;
  /** Targets that are new or differ from their row. */
  readonly targets: readonly PlannedTarget[];
  /** Accounts that leave the post. */
  readonly removed: readonly string[];
  /** Whether the edit itself sets the time, so that the confirm must look at the clock. */
  readonly retimed: boolean;
}

export const EDITABLE = ["scheduled", "paused", "failed", "partially_failed"] as const;
export type EditableStatus = (typeof EDITABLE)[number];

interface Issued {
  readonly userId: string;
  readonly workspaceId: string;
  readonly issuedAt: number;
  /** Exclusive: the last millisecond in which the token works is one before it. */
  readonly expiresAt: number;
  /** What must still be usable when the plan is confirmed. */
  readonly needs: { readonly accountIds: readonly string[]; readonly mediaIds: readonly string[] };
}

export interface SchedulePlan extends Issued {
  readonly kind: "schedule";
  readonly post: PlannedPost;
}

export interface EditPlan extends Issued {
  readonly kind: "edit";
  readonly posts: readonly PlannedEdit[];
}

/** What a confirmation token stands for: everything that the confirm will write. */
export type PostPlan = SchedulePlan | EditPlan;

export function postIdsOf(plan: PostPlan): string[] {
  return plan.kind === "schedule" ? [plan.post.id] : plan.posts.map((post) => post.id);
}

export function platformsOf(targets: readonly { readonly platform: Platform }[]): Platform[] {
  return [...new Set(targets.map((target) => target.platform))];
}

/** The media as the post keeps them, without what only validation reads. */
export function storedMedia(item: StoredMediaItem): StoredMediaItem {
  const { id, type, url, contentType, sizeBytes, width, height, durationSeconds, sha256 } = item;
  return { id, type, url, contentType, sizeBytes, width, height, durationSeconds, sha256 };
}

export async function planPost(draft: Omit<PlannedPost, "planHash">): Promise<PlannedPost> {
  return { ...draft, planHash: await planHashOf(contentOf(draft)) };
}

function contentOf(draft: Omit<PlannedPost, "planHash">): PlannedContent {
  const { postType, media, scheduledAt } = draft;
  return { postType, media, targets: draft.targets.map((target) => ({ ...target, dueAt: scheduledAt })) };
}
