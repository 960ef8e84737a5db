import type { RefusalDetail } from "#core/errors.ts";
import type { ScheduleInput, SchedulePreview } from "#planning/plan/types.ts";

/** Many new posts at once. */
export interface BulkInput {
  readonly posts: readonly BulkRow[];
  /** Schedules the posts without problems and leaves the others out. */
  readonly skipInvalid: boolean;
}

export interface BulkRow {
  /** Its place in the request, from 1. */
  readonly row: number;
  /** Null when it could not be read. */
  readonly input: ScheduleInput | null;
  /** Why it could not be read. */
  readonly problems: readonly RefusalDetail[];
}

export interface BulkPreview {
  readonly action: "bulk";
  /** In the order of the request. */
  readonly posts: readonly {
    readonly row: number;
    /** Null when it has problems. */
    readonly preview: SchedulePreview | null;
    readonly problems: readonly RefusalDetail[];
  }[];
  /** Over the hashes of the posts; null when all have problems. */
  readonly planHash: string | null;
}

export interface PreviewedBulk {
  readonly preview: BulkPreview;
  /** Null when no post can be scheduled. */
  readonly confirmation: { readonly confirmationToken: string; readonly expiresAt: number } | null;
}
