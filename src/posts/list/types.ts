import type { AccountStatus, ListedStatus } from "#core/status.ts";
import type { Attempt, Post, PostChange } from "#posts/rows/types.ts";

/** Filters posts by their annotations. If both members are set, a post must match both. */
export interface AnnotationFilter {
  readonly externalId?: string | undefined;
  readonly label?: string | undefined;
}

/** How far a search has looked. */
export interface SearchExtent {
  /** How many posts were examined, 5,000 at most. */
  readonly searched: number;
  /** The bound of the search that looks at the other posts: `until` for the newest first, otherwise `from`; null if there are none. */
  readonly next: number | null;
}

export interface ListInput extends AnnotationFilter {
  /** Words that all must be in the texts, the labels or the notes of a post. Posts of the past are listed, too. */
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
  /** Null without a search. */
  readonly search: SearchExtent | null;
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
