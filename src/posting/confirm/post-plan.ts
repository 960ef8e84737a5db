import type { PausedReason } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { PostType } from "#core/status.ts";
import type { StoredFieldChange, StoredMediaItem } from "#db/schema.ts";
import type { EditInput } from "#posting/types.ts";
import { type PlanHashInput, planHashOf } from "./plan-hash.ts";

/** A target as it will be inserted or updated. */
export interface TargetUpsert {
  readonly accountId: string;
  readonly platform: Platform;
  readonly username: string;
  readonly caption: string | null;
  readonly effectiveCaption: string;
  /** The requested options with the platform's defaults filled in. */
  readonly options: JsonObject;
  readonly requestedOptions: JsonObject;
  /** Its place in the list of targets; a plan from before the column was added has none. */
  readonly position: number;
  /** Its account is disconnected: the target is stored as `skipped` until the account is connected again. */
  readonly skipped: boolean;
}

export interface PostInsert {
  readonly id: string;
  readonly scheduledAt: number;
  readonly caption: string;
  readonly postType: PostType;
  readonly media: readonly StoredMediaItem[];
  readonly targets: readonly TargetUpsert[];
  readonly planHash: string;
}

/** The columns of a post that an edit writes. */
export interface PostUpdate {
  readonly id: string;
  /** Version and status at the preview; the confirm is refused when either has changed. */
  readonly version: number;
  readonly previousStatus: EditableStatus;
  readonly status: "scheduled" | "paused";
  readonly pausedReason: PausedReason | null;
  readonly scheduledAt: number;
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
  readonly planHash: string;
  /** The new media; null leaves them unchanged. */
  readonly media: readonly StoredMediaItem[] | null;
  /** Targets that are new or differ from their row. */
  readonly targets: readonly TargetUpsert[];
  /** Accounts whose targets are deleted. */
  readonly removedAccountIds: readonly string[];
  /** Whether the edit sets a new time, which the confirm compares with the clock. */
  readonly rescheduled: boolean;
  /** What the edit changes, for the record; a plan from before the column was added has none. */
  readonly changes?: readonly StoredFieldChange[];
}

export const EDITABLE_STATUSES = ["scheduled", "paused", "failed", "partially_failed"] as const;
export type EditableStatus = (typeof EDITABLE_STATUSES)[number];

interface PlanHeader {
  readonly userId: string;
  readonly workspaceId: string;
  readonly issuedAt: number;
  /** Exclusive: from this millisecond on the token is invalid. */
  readonly expiresAt: number;
  /** What must still be usable at the confirm. */
  readonly dependencies: { readonly accountIds: readonly string[]; readonly mediaIds: readonly string[] };
}

export interface SchedulePlan extends PlanHeader {
  readonly kind: "schedule";
  readonly post: PostInsert;
}

export interface EditPlan extends PlanHeader {
  readonly kind: "edit";
  readonly posts: readonly PostUpdate[];
  /** What was asked for, from which an approval checks and shows the edit again. */
  readonly request: EditInput;
}

/** Stored under a confirmation token: everything that the confirm writes. */
export type PostPlan = SchedulePlan | EditPlan;

/** The times that the plan itself sets. */
export function timesSetBy(plan: PostPlan): number[] {
  return plan.kind === "schedule"
    ? [plan.post.scheduledAt]
    : plan.posts.flatMap((post) => (post.rescheduled ? [post.scheduledAt] : []));
}

export function postIdsOf(plan: PostPlan): string[] {
  return plan.kind === "schedule" ? [plan.post.id] : plan.posts.map((post) => post.id);
}

export function platformsOf(targets: readonly { readonly platform: Platform }[]): Platform[] {
  return [...new Set(targets.map((target) => target.platform))];
}

/** The members that the post stores, without those that only validation reads. */
export function storedMedia(item: StoredMediaItem): StoredMediaItem {
  const { id, type, url, contentType, sizeBytes, width, height, durationSeconds, sha256 } = item;
  return { id, type, url, contentType, sizeBytes, width, height, durationSeconds, sha256 };
}

export async function withPlanHash(post: Omit<PostInsert, "planHash">): Promise<PostInsert> {
  return { ...post, planHash: await planHashOf(planHashInputOf(post)) };
}

function planHashInputOf(post: Omit<PostInsert, "planHash">): PlanHashInput {
  const { postType, media, scheduledAt } = post;
  return { postType, media, targets: post.targets.map((target) => ({ ...target, dueAt: scheduledAt })) };
}
