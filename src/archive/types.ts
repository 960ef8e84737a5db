import type { PostStatus } from "#core/status.ts";

export const ARCHIVED_STATUSES = ["published", "partially_failed", "failed"] as const satisfies readonly PostStatus[];
export type ArchivedStatus = (typeof ARCHIVED_STATUSES)[number];

type Column = string | number | null;

/** A row of `posts` with all its columns, by their names in the database. */
export interface ArchivedPostRow {
  readonly id: string;
  readonly status: ArchivedStatus;
  readonly scheduled_at: number;
  readonly [column: string]: Column;
}

export interface ArchivedTargetRow {
  readonly post_id: string;
  readonly account_id: string;
  readonly [column: string]: Column;
}

export type ArchivedAnnotationsRow = Readonly<Record<string, Column>>;

/** One line of an archive file: a stored post with its targets and annotations. */
export interface ArchivedPost {
  readonly post: ArchivedPostRow;
  readonly targets: readonly ArchivedTargetRow[];
  readonly annotations?: ArchivedAnnotationsRow;
}

/** A row of the index, which describes one archive file. */
export interface ArchivePart {
  readonly workspaceId: string;
  readonly id: string;
  /** The time (ms) of the first post in the file, by schedule. `lastAt` is that of the last one. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly counts: Readonly<Record<ArchivedStatus, number>>;
}
