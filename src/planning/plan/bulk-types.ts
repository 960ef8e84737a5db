import type { RefusalDetail } from "#core/errors.ts";
import type { ScheduleInput, SchedulePreview } from "#planning/plan/types.ts";

/** The input of a bulk preview: many new posts. */
export interface BulkInput {
  readonly posts: readonly BulkRow[];
  /** Whether to leave out posts with problems and schedule the others. */
  readonly skipInvalid: boolean;
}

export interface BulkRow {
  /** The position in the request, counted from 1. */
  readonly row: number;
  /** The input of the post; null if it could not be read. */
  readonly input: ScheduleInput | null;
  /** Why the post could not be read. */
  readonly problems: readonly RefusalDetail[];
}

export interface BulkPreview {
  readonly action: "bulk";
  /** The posts in the order of the request. */
  readonly posts: readonly {
    readonly row: number;
    /** The preview; null if the post has problems. */
    readonly preview: SchedulePreview | null;
    readonly problems: readonly RefusalDetail[];
  }[];
  /** A hash over the plan hashes of the posts. Null if all posts have problems. */
  readonly planHash: string | null;
}

export interface PreviewedBulk {
  readonly preview: BulkPreview;
  /** The token to confirm with. Null if no post can be scheduled. */
  readonly confirmation: { readonly confirmationToken: string; readonly expiresAt: number } | null;
}
