import type { AccountStatus, ListedStatus } from "#core/status.ts";
import type { Attempt, Post, PostChange } from "#posts/rows/types.ts";

/** Filters posts by their annotations. If both members are set, a post must match both. */
export interface AnnotationFilter {
  readonly externalId?: string | undefined;
  readonly label?: string | undefined;
}

export interface ListInput extends AnnotationFilter {
  readonly limit: number;
  readonly offset: number;
  readonly fields: "full" | "summary";
  readonly order: "asc" | "desc";
  readonly status?: ListedStatus | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly includePast?: boolean | undefined;
}

export interface Page<T> {
  readonly posts: readonly T[];
  readonly pagination: {
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly hasMore: boolean;
  };
}

/** A post with its history, for a user who wants to know what happened. */
export interface PostRecord {
  readonly post: Post;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** The newest 50 changes, oldest first. */
  readonly changes: readonly PostChange[];
  /** The current data of the accounts of the post and of its changes, by id. */
  readonly accounts: ReadonlyMap<string, RecordAccount>;
}

interface RecordAccount {
  readonly username: string;
  readonly displayName: string;
  readonly status: AccountStatus | "disconnected";
  readonly statusReason: string | null;
}
