import type { PausedReason } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { PostStatus, PostType } from "#core/status.ts";
import type { StoredFieldChange, StoredMediaItem } from "#db/schema.ts";
import type { MediaItemInput } from "#media/index.ts";
import { storedDocument } from "#posts/rows/option-document.ts";
import { storedThreadMedia } from "#posts/rows/thread-media.ts";
import type { Annotations } from "#posts/rows/types.ts";
import type { DraftVersion, EditInput, PlannedTime } from "./types.ts";
import { type PlanHashInput, planHashOf } from "./plan-hash.ts";

/** A target as the confirm inserts or updates it. */
export interface TargetUpsert {
  readonly accountId: string;
  readonly platform: Platform;
  readonly username: string;
  readonly caption: string | null;
  readonly effectiveCaption: string;
  /** The requested options with the platform's defaults filled in. */
  readonly options: JsonObject;
  readonly requestedOptions: JsonObject;
  /** The media that only this account publishes. Null if it publishes the post's media. */
  readonly media: readonly StoredMediaItem[] | null;
  /** The position in the list of targets. */
  readonly position: number;
  /** Whether the account is disconnected. The target is then stored as `skipped` until a reconnect. */
  readonly skipped: boolean;
}

export interface PostInsert<Time extends PlannedTime = number> {
  readonly id: string;
  readonly scheduledAt: Time;
  readonly caption: string;
  readonly postType: PostType;
  readonly media: readonly StoredMediaItem[];
  readonly targets: readonly TargetUpsert[];
  /** Labels and notes; absent without any. The plan hash does not cover them, because they are not published. */
  readonly annotations?: Annotations;
  readonly planHash: string;
}

/** The columns of a post that an edit writes. */
export interface PostUpdate<Time extends PlannedTime = number> {
  readonly id: string;
  /** The version of the post at the preview. The confirm is refused if version or status has changed since. */
  readonly version: number;
  readonly previousStatus: PostStatus;
  readonly status: PostStatus;
  readonly pausedReason: PausedReason | null;
  readonly scheduledAt: Time;
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
  readonly planHash: string;
  /** The new media. Null if the edit does not change them. */
  readonly media: readonly StoredMediaItem[] | null;
  /** The ids of all files that the post needs afterwards. Null if they have not changed. */
  readonly mediaIds: readonly string[] | null;
  /** The new texts for searches. Null if no text has changed. */
  readonly searchText: string | null;
  /** Targets that are new, or that differ from their row. */
  readonly targets: readonly TargetUpsert[];
  /** The accounts whose targets are deleted. */
  readonly removedAccountIds: readonly string[];
  /** Whether the edit sets a new time, which the confirm compares with the clock. */
  readonly rescheduled: boolean;
  /** The labels before and after; null if they do not change. An edit of labels changes nothing else. */
  readonly labels: { readonly before: readonly string[]; readonly after: readonly string[] } | null;
  /** The changes of the edit for the change record. */
  readonly changes: readonly StoredFieldChange[];
  /**
   * What the plan hash covers besides the targets. Present if the confirm computes the hash again with its own time.
   */
  readonly hashed?: PlanHashInput;
}

export const EDITABLE_STATUSES = ["scheduled", "paused", "failed", "partially_failed"] as const;

interface PlanHeader {
  readonly userId: string;
  readonly workspaceId: string;
  readonly issuedAt: number;
  /** From this time (ms) on the token is invalid. */
  readonly expiresAt: number;
  /** The accounts and media that must still be usable at the confirm. */
  readonly dependencies: { readonly accountIds: readonly string[]; readonly mediaIds: readonly string[] };
  /** The times that the preview chose as free slots. They must still be free at the confirm. Absent without any. */
  readonly slots?: readonly number[];
}

export interface SchedulePlan<Time extends PlannedTime = PlannedTime> extends PlanHeader {
  readonly kind: "schedule";
  readonly post: PostInsert<Time>;
  /**
   * The draft from which the post is made; absent without one. The confirm deletes it, unless it was changed meanwhile.
   * The plan hash does not cover it.
   */
  readonly draft?: DraftVersion;
}

export interface EditPlan<Time extends PlannedTime = PlannedTime> extends PlanHeader {
  readonly kind: "edit";
  readonly posts: readonly PostUpdate<Time>[];
  /** The request, so that an approval can check and show the edit again. */
  readonly request: EditInput;
}

/**
 * A target in a bulk plan. To save space, the effective caption is left out if it equals the target's own caption, or
 * else the post's.
 */
type BulkTarget = Omit<TargetUpsert, "effectiveCaption"> & { readonly effectiveCaption?: string };

export interface BulkPost extends Omit<PostInsert, "targets"> {
  /** The position in the request, counted from 1. */
  readonly row: number;
  readonly targets: readonly BulkTarget[];
}

export interface BulkPlan extends PlanHeader {
  readonly kind: "bulk";
  readonly posts: readonly BulkPost[];
  /** A hash over the plan hashes of the posts. */
  readonly planHash: string;
}

/** Everything that confirming a preview writes. KV stores it under the confirmation token. */
export type PostPlan = SchedulePlan | EditPlan | BulkPlan;

/** A plan with fixed times, as the confirm writes it. */
export type TimedPlan = SchedulePlan<number> | EditPlan<number> | BulkPlan;

export function toBulkPost({ scheduledAt, ...post }: PostInsert<PlannedTime>, row: number): BulkPost {
  if (scheduledAt === "now") {
    throw new Error("a post of many has a time of its own");
  }
  return {
    ...post,
    scheduledAt,
    row,
    targets: post.targets.map(({ effectiveCaption, ...target }) => ({
      ...target,
      ...(effectiveCaption !== (target.caption ?? post.caption) && { effectiveCaption }),
    })),
  };
}

/** A new post of a plan, with its row in a bulk request. */
export interface NewPostOfPlan {
  readonly post: PostInsert<PlannedTime>;
  readonly row?: number;
}

export function newPostsOf(plan: SchedulePlan | BulkPlan): readonly NewPostOfPlan[] {
  return plan.kind === "schedule"
    ? [{ post: plan.post }]
    : plan.posts.map((post) => ({ post: fromBulkPost(post), row: post.row }));
}

function fromBulkPost({ row: _row, ...post }: BulkPost): PostInsert {
  return {
    ...post,
    targets: post.targets.map((target) => ({
      ...target,
      effectiveCaption: target.effectiveCaption ?? target.caption ?? post.caption,
    })),
  };
}

/** The accounts and media that new posts need at the confirm. */
export function dependenciesOf(posts: readonly PostInsert<PlannedTime>[]): PlanHeader["dependencies"] {
  return {
    accountIds: [...new Set(posts.flatMap(({ targets }) => targets.map(({ accountId }) => accountId)))],
    mediaIds: [...new Set(posts.flatMap(mediaIdsOf))],
  };
}

/** The instants that a plan sets for its posts. `now` has none before the confirm. */
export function timesSetBy(plan: PostPlan): number[] {
  const times =
    plan.kind === "schedule"
      ? [plan.post.scheduledAt]
      : plan.kind === "bulk"
        ? plan.posts.map((post) => post.scheduledAt)
        : plan.posts.flatMap((post) => (post.rescheduled ? [post.scheduledAt] : []));
  return times.filter((time) => time !== "now");
}

export function postIdsOf(plan: PostPlan): string[] {
  return plan.kind === "schedule" ? [plan.post.id] : plan.posts.map((post) => post.id);
}

/** Keeps what a post stores of a media item. Facts that only the check needs are left out. */
export function storedMedia(item: StoredMediaItem): StoredMediaItem {
  const { id, type, url, contentType, sizeBytes, width, height, durationSeconds, sha256, altText, cover, own, fitted } =
    item;
  return {
    id,
    type,
    url,
    contentType,
    sizeBytes,
    width,
    height,
    durationSeconds,
    sha256,
    ...(altText !== undefined && { altText }),
    ...(cover && { cover: cover.image ? { image: storedMedia(cover.image) } : { atMs: cover.atMs ?? 0 } }),
    ...(own && { own }),
    ...(fitted && { fitted }),
  };
}

/**
 * Lists the files that a post needs, without repetition: its media, those of its targets and thread parts, documents
 * and covers.
 */
export function mediaIdsOf({
  media,
  targets = [],
}: {
  readonly media: readonly StoredMediaItem[];
  readonly targets?: readonly Pick<TargetUpsert, "media" | "options">[];
}): string[] {
  const ofTargets = targets.flatMap((target) => [...(target.media ?? []), ...storedThreadMedia(target.options).flat()]);
  // Include the originals of copies that were made to fit, because an edit makes the copies again.
  const items = [...media, ...ofTargets, ...ofTargets.flatMap(({ fitted }) => fitted?.source ?? [])];
  return [
    ...new Set([
      ...items.flatMap(({ id, cover }) => (cover?.image ? [id, cover.image.id] : [id])),
      ...targets.flatMap(({ options }) => storedDocument(options)?.id ?? []),
    ]),
  ];
}

/** The input that uses a stored media item in the same way again. */
export function toMediaInput({ url, type, altText, cover }: StoredMediaItem): MediaItemInput {
  return { url, type, altText, cover: cover && { atMs: cover.atMs, url: cover.image?.url } };
}

export async function withPlanHash<Time extends PlannedTime>(
  post: Omit<PostInsert<Time>, "planHash">,
): Promise<PostInsert<Time>> {
  const { postType, media, scheduledAt, targets } = post;
  return { ...post, planHash: await planHashOf(withTargets({ postType, media, targets: [] }, targets, scheduledAt)) };
}

/** What the plan hash covers, if all targets are due at the same time. */
export function withTargets(
  hashed: PlanHashInput,
  targets: readonly Omit<PlanHashInput["targets"][number], "dueAt">[],
  dueAt: PlannedTime,
): PlanHashInput {
  return { ...hashed, targets: [...hashed.targets, ...targets.map((target) => ({ ...target, dueAt }))] };
}
