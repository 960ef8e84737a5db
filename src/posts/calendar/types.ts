import type { TargetAccount } from "#accounts/index.ts";
import type { PausedReason } from "#core/codes.ts";
import type { Platform } from "#core/platform.ts";
import type { CreatedVia, ListedStatus, MediaType, PostType } from "#core/status.ts";
import type { AnnotationFilter, SearchExtent } from "#posts/list/types.ts";
import type { PostHistory } from "#posts/summary/types.ts";
import type { Target } from "#posts/rows/types.ts";

export interface CalendarFilter extends AnnotationFilter {
  readonly accountId?: string | undefined;
  readonly platform?: Platform | undefined;
  readonly status?: ListedStatus | undefined;
  readonly createdVia?: CreatedVia | undefined;
  /** Words to search. A post matches if its texts, labels or notes have all of them. */
  readonly search?: string | undefined;
}

/** The input for one page of the posts of all times, newest first. */
export interface AllPostsInput {
  readonly filter: CalendarFilter;
  /** Only posts before this time (ms). Null for posts of all times. */
  readonly until: number | null;
  readonly limit: number;
  readonly offset: number;
}

export interface AllPosts extends Pick<Calendar, "posts" | "accounts" | "hasMore"> {
  readonly total: number;
  readonly search: SearchExtent;
}

/** The input for the posts of a time range: `from` <= time < `until`. */
export interface CalendarInput extends CalendarFilter {
  readonly from: number;
  readonly until: number;
}

export interface CalendarPost {
  readonly id: string;
  readonly status: ListedStatus;
  readonly pausedReason: PausedReason | null;
  readonly scheduledAt: number;
  /** The first 140 characters of the caption, counted in code points. */
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
  readonly createdVia: CreatedVia;
  readonly mediaCount: number;
  readonly firstMedia: { readonly type: MediaType; readonly url: string } | null;
  readonly targets: readonly Pick<Target, "accountId" | "platform" | "status">[];
}

export interface Calendar {
  /** When (ms) the next post after the range is due, if the range has no posts. Otherwise null. */
  readonly nextAt: number | null;
  /** What the workspace has done so far; null if the range has posts. */
  readonly history: PostHistory | null;
  /** The posts, ordered by time. */
  readonly posts: readonly CalendarPost[];
  /** The connected accounts of the workspace. */
  readonly accounts: readonly TargetAccount[];
  /** Whether the range contains more posts than this result. */
  readonly hasMore: boolean;
}
