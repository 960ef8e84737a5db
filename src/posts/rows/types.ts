import type { Author } from "#core/actor.ts";
import type { PausedReason, TargetErrorCode } from "#core/codes.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { CreatedVia, ExtraName, ListedStatus, PostStatus, PostType, TargetStatus } from "#core/status.ts";
import type { StoredExtra, StoredMediaItem, StoredPostChange } from "#db/schema.ts";
import type { FaultCategory } from "#platforms/contract.ts";

/** A media item of a post. Instants are milliseconds since 1970 in this module; the API writes them as ISO 8601. */
export type MediaItem = StoredMediaItem;

export interface Target {
  readonly accountId: string;
  readonly platform: Platform;
  readonly username: string;
  readonly caption: string | null;
  readonly effectiveCaption: string;
  readonly platformOptions: JsonObject;
  /** The media that only this account publishes. Null if it publishes the post's media. */
  readonly mediaItems: readonly MediaItem[] | null;
  readonly status: TargetStatus;
  readonly platformPostId: string | null;
  readonly platformPostUrl: string | null;
  readonly publishedAt: number | null;
  readonly attempts: number;
  readonly nextAttemptAt: number | null;
  readonly error: TargetError | null;
  /** The results of the extras (cover, playlists, first comment). Null if there are none. */
  readonly extras: Readonly<Partial<Record<ExtraName, TargetExtra>>> | null;
  readonly dueAt: number;
  readonly startedAt: number | null;
  readonly lateByMs: number | null;
  /** The parts of a thread, where the first is the post itself. Null if the account publishes no thread. */
  readonly parts: readonly ThreadPart[] | null;
}

/** Labels and notes for the makers of a post, which are never published. */
export interface Annotations {
  /** The id of the post in the makers' own system. */
  readonly externalId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The labels in the order of the request, without repetition. */
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
  /** The API key or app that created the post. Null for the dashboard. */
  readonly createdBy: Author | null;
  readonly pausedReason: PausedReason | null;
  readonly planHash: string;
  readonly targets: readonly Target[];
  readonly mediaItems: readonly MediaItem[];
  readonly annotations: Annotations;
  /** Set if the post has moved to the archive and can no longer change. */
  readonly archived?: true;
}

export interface PostSummary {
  readonly id: string;
  readonly status: ListedStatus;
  readonly scheduledAt: number;
  /** The first 140 characters of the caption, counted in code points. */
  readonly caption: string;
  readonly postType: PostType;
  readonly platforms: readonly Platform[];
  readonly targetCount: number;
  readonly mediaCount: number;
  readonly externalId: string | null;
  readonly labels: readonly string[];
}

export type PostChange = StoredPostChange;

/* The error of a target: what it shows about the platform's response. */

export interface TargetError {
  readonly code: TargetErrorCode;
  readonly category: FaultCategory;
  readonly message: string;
  readonly platformCode: string | null;
  readonly retryable: boolean;
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

export interface ThreadPart {
  /** The number of the thread part, where 0 is the post itself. */
  readonly index: number;
  readonly status: TargetStatus;
  readonly platformPostId: string | null;
  readonly url: string | null;
}

/** The result of one extra: a cover, playlists or a first comment. */
export interface TargetExtra extends Omit<StoredExtra, "error"> {
  readonly error: TargetError | null;
}

/** A member of a post that an edit changes. */
export interface EditChange {
  readonly field: string;
  readonly accountId?: string;
  /** The value before, as the API shows it (instants in ISO 8601). */
  readonly from: unknown;
  readonly to: unknown;
}

/** A call to a platform and its result. */
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
