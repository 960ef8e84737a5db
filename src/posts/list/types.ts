import type { AccountStatus, ListedStatus } from "#core/status.ts";
import type { Attempt, Post, PostChange } from "#posts/rows/types.ts";

/** Filters posts by external id and label. If both are set, a post must match both. */
export interface AnnotationFilter {
  readonly externalId?: string | undefined;
  readonly label?: string | undefined;
}

/** How far a search has looked. */
export interface SearchExtent {
  /** How many posts were examined, 5,000 at most. */
  readonly searched: number;
  /**
   * Where a further search must begin: `until` if the newest posts come first, otherwise `from`. Null if no posts are
   * left.
   */
  readonly next: number | null;
}

export interface ListInput extends AnnotationFilter {
  /** Words to search. A post matches if its texts, labels or notes have all of them. Past posts are listed too. */
  readonly search?: string | undefined;
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
  /** How far the search has looked; null without a search. */
  readonly search: SearchExtent | null;
}

/** A post with its history, for a user who wants to know what happened. */
export interface PostRecord {
  readonly post: Post;
  /** The attempts to publish, oldest first. */
  readonly attempts: readonly Attempt[];
  /** The newest 50 changes, oldest first. */
  readonly changes: readonly PostChange[];
  /** The present data of the accounts of the post and of its changes, by id. */
  readonly accounts: ReadonlyMap<string, RecordAccount>;
}

interface RecordAccount {
  readonly username: string;
  readonly displayName: string;
  readonly status: AccountStatus | "disconnected";
  readonly statusReason: string | null;
}
