import type { TargetAccount } from "#accounts/index.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { PostType } from "#core/status.ts";
import type { MediaItemInput } from "#media/index.ts";
import type { CreatorInfo, PlatformLimits, ValidationResult, ValidationWarning } from "#platforms/contract.ts";
import type { Annotations, EditChange, MediaItem } from "#posts/rows/types.ts";

/** When a post is due: an instant (ms), or `now` for the time of the confirm. */
export type PlannedTime = number | "now";

export interface TargetInput {
  readonly accountId: string;
  /** The account's own caption; null for none. In an edit of options, undefined keeps the stored one. */
  readonly caption?: string | null | undefined;
  readonly platformOptions?: JsonObject | undefined;
  /**
   * Own media instead of the post's; an empty list means none. In an edit of options, null removes them and undefined
   * keeps them.
   */
  readonly mediaItems?: readonly MediaItemInput[] | null | undefined;
  readonly mediaUrls?: readonly string[] | null | undefined;
}

export interface ScheduleInput {
  readonly caption: string;
  readonly scheduledAt: PlannedTime;
  /**
   * `next` schedules the post at the first free slot at or after `scheduledAt`. The slot must still be free at the
   * confirm.
   */
  readonly slot?: "next" | undefined;
  /** A warning about how the time was read, if the caller should know. */
  readonly timeWarning?: ValidationWarning | undefined;
  /** Warnings about members of the request that nothing reads. */
  readonly memberWarnings?: readonly ValidationWarning[] | undefined;
  readonly accountIds?: readonly string[] | undefined;
  /** Accounts as people write them: `almanac`, `@almanac`, or `x/almanac` if several have the username. */
  readonly accounts?: readonly string[] | undefined;
  readonly platforms?: readonly Platform[] | undefined;
  readonly targets?: readonly TargetInput[] | undefined;
  /** Options by platform, for the accounts that `targets` does not name. */
  readonly optionsByPlatform?: Readonly<Partial<Record<Platform, JsonObject>>> | undefined;
  readonly postType?: PostType | undefined;
  readonly mediaItems?: readonly MediaItemInput[] | undefined;
  readonly mediaUrls?: readonly string[] | undefined;
  readonly annotations?: Annotations | undefined;
  /** The draft from which the post is made. The confirm deletes it, unless it was changed meanwhile. */
  readonly draft?: DraftVersion | undefined;
  /** Members of the request that could not be read. The other members are checked, but the request is refused. */
  readonly unreadMembers?: ReadonlySet<string> | undefined;
}

export interface DraftVersion {
  readonly id: string;
  readonly version: number;
}

/** A move of posts on the clock of a zone. A clock change then does not change their time of day. */
export interface ClockMove {
  readonly days: number;
  /** The new time of day in minutes since midnight. Null keeps each post's own. */
  readonly minute: number | null;
  readonly timeZone: string;
}

interface LabelChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export interface EditInput {
  readonly postIds: readonly string[];
  readonly caption?: string | undefined;
  readonly scheduledAt?: PlannedTime | undefined;
  /** `next` moves the post to the first free slot. Only for a single post. */
  readonly slot?: "next" | undefined;
  /** A warning about how the time was read, if the caller should know. */
  readonly timeWarning?: ValidationWarning | undefined;
  /** Warnings about members of the request that nothing reads. */
  readonly memberWarnings?: readonly ValidationWarning[] | undefined;
  readonly shiftMinutes?: number | undefined;
  readonly clock?: ClockMove | undefined;
  /** Pauses, cancels or resumes the posts without changing their content. */
  readonly status?: "scheduled" | "paused" | "cancelled" | undefined;
  readonly labels?: LabelChange | undefined;
  readonly accountIds?: readonly string[] | undefined;
  readonly platforms?: readonly Platform[] | undefined;
  readonly targets?: readonly TargetInput[] | undefined;
  readonly targetOptions?: readonly TargetInput[] | undefined;
  readonly mediaItems?: readonly MediaItemInput[] | undefined;
  readonly mediaUrls?: readonly string[] | undefined;
  readonly removeMedia?: boolean | undefined;
  /** Members of the request that could not be read. The other members are checked, but the request is refused. */
  readonly unreadMembers?: ReadonlySet<string> | undefined;
}

export interface PreviewTarget {
  readonly accountId: string;
  readonly platform: Platform;
  readonly username: string;
  readonly effectiveCaption: string;
  readonly captionLength: number;
  readonly captionLimit: number;
  /** The length of each thread part after the first. Absent if there is only one part. */
  readonly partLengths?: readonly number[] | undefined;
  readonly captionUnit: string;
  /** The limits of this account. Null if they are those of its platform. */
  readonly limits: PlatformLimits | null;
  readonly platformOptions: JsonObject;
  /** The media that only this account publishes. Null if it publishes the post's media. */
  readonly mediaItems: readonly MediaItem[] | null;
  readonly placement: string | null;
  readonly warnings: readonly ValidationWarning[];
  readonly cost: ValidationResult["cost"];
  readonly creator: CreatorInfo | null;
}

export interface SchedulePreview {
  readonly action: "schedule";
  readonly scheduledAt: PlannedTime;
  readonly postType: PostType;
  readonly caption: string;
  readonly targets: readonly PreviewTarget[];
  readonly mediaItems: readonly MediaItem[];
  readonly annotations: Annotations;
  readonly warnings: readonly ValidationWarning[];
  readonly planHash: string;
}

export interface EditPreview {
  readonly action: "edit";
  readonly posts: readonly {
    readonly id: string;
    readonly version: number;
    /** The accounts of the post before the edit. */
    readonly accounts: readonly { readonly platform: Platform; readonly username: string }[];
    readonly changes: readonly EditChange[];
    /** Warnings in `after` that the post does not have already. If that was not compared, all warnings. */
    readonly newWarnings: Pick<SchedulePreview, "scheduledAt" | "warnings" | "targets">;
    /**
     * The post after the edit. It leaves out accounts that were not checked: all of them, if the post only stops or
     * gets other labels.
     */
    readonly after: SchedulePreview;
  }[];
}

/** What a preview would say of a post that a person is still typing. */
export interface ScheduleCheck {
  /** All problems. Empty if a preview would accept the post, as far as stored facts tell. */
  readonly problems: readonly RefusalDetail[];
  /** Why no further post can be scheduled now; null if one can. */
  readonly limitReached: string | null;
  /** The targets in the order of the request, even with problems. An account that cannot be used is left out. */
  readonly targets: readonly PreviewTarget[];
  readonly accounts: readonly TargetAccount[];
  /** The media in the order of the request. An item that was not read has an empty id and no size. */
  readonly mediaItems: readonly MediaItem[];
  readonly warnings: readonly ValidationWarning[];
}
