import type { Account, TargetAccount } from "#accounts/index.ts";
import type { Author } from "#core/actor.ts";
import type { PausedReason } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type {
  AccountStatus,
  CreatedVia,
  ExtraName,
  ListedStatus,
  MediaType,
  PostStatus,
  PostType,
  TargetStatus,
} from "#core/status.ts";
import type { StoredMediaItem, StoredPostChange } from "#db/schema.ts";
import type { MediaItemInput } from "#media/index.ts";
import type { CalendarDate } from "#core/wall-time.ts";
import type { CreatorInfo, PlatformLimits, ValidationResult, ValidationWarning } from "#platforms/contract.ts";
import type { TargetError, TargetExtra, ThreadPart } from "./target-types.ts";

export type * from "./target-types.ts";

/** Instants are milliseconds since 1970 in this module; the API module writes them as ISO 8601. */
export type MediaItem = StoredMediaItem;

export interface Target {
  readonly accountId: string;
  readonly platform: Platform;
  readonly username: string;
  readonly caption: string | null;
  readonly effectiveCaption: string;
  readonly platformOptions: JsonObject;
  /** What this account publishes; null for the media of the post. */
  readonly mediaItems: readonly MediaItem[] | null;
  readonly status: TargetStatus;
  readonly platformPostId: string | null;
  readonly platformPostUrl: string | null;
  readonly publishedAt: number | null;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly error: TargetError | null;
  /** What became of what was added to the post once it was public; null where nothing is. */
  readonly extras: Readonly<Partial<Record<ExtraName, TargetExtra>>> | null;
  readonly dueAt: number;
  readonly startedAt: number | null;
  readonly lateByMs: number | null;
  /** The first of them is the post itself; null where the account publishes no thread. */
  readonly parts: readonly ThreadPart[] | null;
}

/** What the makers of a post note about it; never published. */
export interface Annotations {
  /** Its id in the makers' own system. */
  readonly externalId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Each once, in the order in which they were given. */
  readonly labels: readonly string[];
  readonly notes: string | null;
}

export interface Post {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: PostStatus;
  readonly caption: string;
  readonly postType: PostType;
  readonly scheduledAt: number;
  readonly publishedAt: number | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdVia: CreatedVia;
  /** The API key or app that made it; null for the dashboard. */
  readonly createdBy: Author | null;
  readonly pausedReason: PausedReason | null;
  readonly planHash: string;
  readonly targets: readonly Target[];
  readonly mediaItems: readonly MediaItem[];
  readonly annotations: Annotations;
  /** The post has moved to the archive and can no longer change. */
  readonly archived?: true;
}

export interface PostSummary {
  readonly id: string;
  readonly status: ListedStatus;
  readonly scheduledAt: number;
  /** The first 140 characters, counted in code points. */
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
  readonly targetCount: number;
  readonly mediaCount: number;
  readonly externalId: string | null;
  readonly labels: readonly string[];
}

export interface TargetInput {
  readonly accountId: string;
  /** Null for no own caption; in an edit of options, undefined keeps the stored one. */
  readonly caption?: string | null | undefined;
  readonly platformOptions?: JsonObject | undefined;
  /** Its own media in place of the post's, also an empty list; null removes them in an edit of options, where undefined keeps them. */
  readonly mediaItems?: readonly MediaItemInput[] | null | undefined;
  readonly mediaUrls?: readonly string[] | null | undefined;
}

export interface ScheduleInput {
  readonly caption: string;
  readonly scheduledAt: number;
  /** `next`: at the first free slot at or after `scheduledAt`, which must still be free at the confirm. */
  readonly slot?: "next" | undefined;
  /** What the caller should know of how the time was read. */
  readonly timeWarning?: ValidationWarning | undefined;
  readonly accountIds?: readonly string[] | undefined;
  readonly platforms?: readonly Platform[] | undefined;
  readonly targets?: readonly TargetInput[] | undefined;
  /** Settings of every account of a platform that `targets` do not name. */
  readonly optionsByPlatform?: Readonly<Partial<Record<Platform, JsonObject>>> | undefined;
  readonly postType?: PostType | undefined;
  readonly mediaItems?: readonly MediaItemInput[] | undefined;
  readonly mediaUrls?: readonly string[] | undefined;
  readonly annotations?: Annotations | undefined;
  /** The draft that the post is made of; the confirm deletes it, unless it was changed meanwhile. */
  readonly draft?: DraftVersion | undefined;
  /** Members of the request that could not be read and are left out: the others are checked, and the request is refused. */
  readonly unreadMembers?: ReadonlySet<string> | undefined;
}

/** A draft as it was at one moment. */
export interface DraftVersion {
  readonly id: string;
  readonly version: number;
}

export interface EditInput {
  readonly postIds: readonly string[];
  readonly caption?: string | undefined;
  readonly scheduledAt?: number | undefined;
  /** As in a preview; for one post. */
  readonly slot?: "next" | undefined;
  /** What the caller should know of how the time was read. */
  readonly timeWarning?: ValidationWarning | undefined;
  readonly shiftMinutes?: number | undefined;
  readonly accountIds?: readonly string[] | undefined;
  readonly platforms?: readonly Platform[] | undefined;
  readonly targets?: readonly TargetInput[] | undefined;
  readonly targetOptions?: readonly TargetInput[] | undefined;
  readonly mediaItems?: readonly MediaItemInput[] | undefined;
  readonly mediaUrls?: readonly string[] | undefined;
  readonly removeMedia?: boolean | undefined;
  /** Members of the request that could not be read and are left out: the others are checked, and the request is refused. */
  readonly unreadMembers?: ReadonlySet<string> | undefined;
}

export interface PreviewTarget {
  readonly accountId: string;
  readonly platform: Platform;
  readonly username: string;
  readonly effectiveCaption: string;
  readonly captionLength: number;
  readonly captionLimit: number;
  /** Of the parts of a thread after the first; absent without further parts. */
  readonly partLengths?: readonly number[] | undefined;
  readonly captionUnit: string;
  /** The limits of this account; null when they are those of its platform. */
  readonly limits: PlatformLimits | null;
  readonly platformOptions: JsonObject;
  /** What this account publishes; null for the media of the post. */
  readonly mediaItems: readonly MediaItem[] | null;
  readonly placement: string | null;
  readonly warnings: readonly ValidationWarning[];
  readonly cost: ValidationResult["cost"];
  readonly creator: CreatorInfo | null;
}

export interface SchedulePreview {
  readonly action: "schedule";
  readonly scheduledAt: number;
  readonly postType: PostType;
  readonly caption: string;
  readonly targets: readonly PreviewTarget[];
  readonly mediaItems: readonly MediaItem[];
  readonly annotations: Annotations;
  readonly warnings: readonly ValidationWarning[];
  readonly planHash: string;
}

export interface EditChange {
  readonly field: string;
  readonly accountId?: string;
  /** As the API shows it (instants in ISO 8601). */
  readonly from: unknown;
  readonly to: unknown;
}

export interface EditPreview {
  readonly action: "edit";
  readonly posts: readonly {
    readonly id: string;
    readonly version: number;
    readonly changes: readonly EditChange[];
    readonly after: SchedulePreview;
  }[];
}

export interface PreviewResult<P> {
  readonly preview: P;
  readonly confirmationToken: string;
  readonly expiresAt: number;
}

export interface ConfirmInput {
  readonly confirmationToken: string;
}

/** Which posts by what is noted about them; both together mean posts with both. */
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

export interface CalendarFilter extends AnnotationFilter {
  readonly accountId?: string | undefined;
  readonly platform?: Platform | undefined;
  readonly status?: ListedStatus | undefined;
  readonly createdVia?: CreatedVia | undefined;
}

/** `from` <= time < `until`. */
export interface CalendarInput extends CalendarFilter {
  readonly from: number;
  readonly until: number;
}

/** What a calendar shows of a post. */
export interface CalendarPost {
  readonly id: string;
  readonly status: ListedStatus;
  readonly pausedReason: PausedReason | null;
  readonly scheduledAt: number;
  /** The first 140 characters, counted in code points. */
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
  readonly createdVia: CreatedVia;
  readonly mediaCount: number;
  readonly firstMedia: { readonly type: MediaType; readonly url: string } | null;
  readonly targets: readonly Pick<Target, "accountId" | "platform" | "status">[];
}

export interface Calendar {
  /** When the next post after the range is due, where the range has none; otherwise null. */
  readonly nextAt: number | null;
  /** By time. */
  readonly posts: readonly CalendarPost[];
  /** The connected accounts of the workspace. */
  readonly accounts: readonly TargetAccount[];
  /** Whether the range has more posts than were read. */
  readonly hasMore: boolean;
}

export interface ScheduleSummary {
  readonly timezone: string;
  readonly counts: Readonly<Record<ListedStatus, number>>;
  readonly byPlatform: Readonly<Partial<Record<Platform, number>>>;
  readonly nextPostAt: number | null;
  readonly upcoming: { readonly next24Hours: number; readonly next7Days: number; readonly next30Days: number };
  readonly patterns: {
    readonly byWeekday: readonly number[];
    readonly byHour: readonly number[];
    readonly busiest: readonly { readonly weekday: number; readonly hour: number; readonly count: number }[];
    readonly postsPerWeek: number;
  };
  /** Lateness of the targets published in the last 30 days, in ms after their due time. */
  readonly lateness: {
    readonly p50Ms: number | null;
    readonly p99Ms: number | null;
    readonly maxMs: number | null;
    readonly sample: number;
  };
}

export interface Attempt {
  readonly accountId: string;
  readonly platform: Platform;
  readonly at: number;
  readonly step: string;
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly platformCode: string | null;
  readonly message: string | null;
  readonly nextAttemptAt: number | null;
}

/** The posts ahead that an account is part of. Each number is counted up to `ACCOUNT_POSTS_MAX`. */
export interface AccountPosts {
  /** Scheduled and paused posts that still have to be published by it. */
  readonly ahead: number;
  /** Those of them whose time is after the login ends. */
  readonly afterLoginEnd: number;
  /** Scheduled posts that a disconnect pauses, because they have no other account. */
  readonly pausedByDisconnect: number;
}

export interface AccountWithPosts extends Account {
  readonly posts: AccountPosts;
}

export interface AccountOverview {
  readonly accounts: readonly AccountWithPosts[];
  /** In all workspaces of the user together. */
  readonly connectedCount: number;
}

export type PostChange = StoredPostChange;

/** A post with its history, for a person who wants to know what happened. */
export interface PostRecord {
  readonly post: Post;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** The newest 50, oldest first. */
  readonly changes: readonly PostChange[];
  /** The accounts of the post and of its changes as they are now, by id. */
  readonly accounts: ReadonlyMap<string, RecordAccount>;
}

interface RecordAccount {
  readonly username: string;
  readonly displayName: string;
  readonly status: AccountStatus | "disconnected";
  readonly statusReason: string | null;
}

/** A target that is not published, and why. */
export interface TargetProblem {
  readonly platform: Platform;
  readonly username: string;
  /** `unconfirmed`: it may be published; only a look at the platform tells. */
  readonly status: "failed" | "unconfirmed";
  readonly message: string | null;
}

export interface FailedPost extends PostSummary {
  readonly problems: readonly TargetProblem[];
}

/** The posts ahead that will not go to a disconnected account of one platform. */
export interface SkippedPosts {
  readonly platform: Platform;
  readonly count: number;
  /** The first of them. */
  readonly postId: string;
}

export interface Overview {
  readonly nextPosts: readonly PostSummary[];
  /** Posts of the last 30 days of which not everything was published, newest first. */
  readonly failedPosts: readonly FailedPost[];
  readonly hasMoreFailedPosts: boolean;
  /** How many posts are paused, by a reason other than the user's own wish. */
  readonly pausedPosts: readonly { readonly reason: PausedReason; readonly count: number }[];
  /** Posts ahead that leave out an account, because it was disconnected; those paused for it are in `pausedPosts`. */
  readonly skippedPosts: readonly SkippedPosts[];
  /** How many posts are scheduled for after the end of the subscription; 0 where no end is known. */
  readonly postsAfterSubscription: number;
  /** Of an account that needs no login now, only the posts after its login ends are counted. */
  readonly accounts: readonly AccountWithPosts[];
  readonly hasPosts: boolean;
  readonly hasPublished: boolean;
  /** The last 30 days in UTC, oldest first. */
  readonly outcomesByDay: readonly {
    readonly date: CalendarDate;
    readonly published: number;
    readonly partiallyFailed: number;
    readonly failed: number;
  }[];
  /** Scheduled and published posts of 90 days before and after now, by hour of the week in the user's zone: Monday 0:00 comes first. */
  readonly countByHourOfWeek: readonly number[];
  readonly lateness: ScheduleSummary["lateness"];
  /** The same targets by ranges; `belowMs` is null for the last one. */
  readonly latenessHistogram: readonly { readonly belowMs: number | null; readonly count: number }[];
}
