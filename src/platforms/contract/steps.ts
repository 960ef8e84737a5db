import type { JsonObject, JsonValue } from "#core/json.ts";
import type { ExtraName, ExtraStatus, PostType } from "#core/status.ts";
import type { AccountAccess } from "./client.ts";
import type { Fault } from "./fault.ts";
import type { MediaDescription } from "./media.ts";

/* Publishing: the job of one target, and the outcomes of each step. */

export interface JobFile {
  /** The service's own id of the file. */
  readonly id: string;
  /** The exact size (bytes) of the stored file. */
  readonly sizeBytes: number;
  /** The SHA-256 of the whole file, in lower-case hexadecimal. */
  readonly sha256: string;
  /** The public HTTPS address, for platforms that download the file themselves. */
  readonly url: string;
  /** A file name with extension. Two files can have the same name. */
  readonly filename: string;
  /**
   * Opens a new stream of the whole file, or of `length` bytes from `offset`. It reads our own storage and throws if
   * the file is missing. Can be repeated.
   */
  read(range?: { readonly offset: number; readonly length: number }): Promise<ReadableStream<Uint8Array>>;
}

export interface JobMedia extends MediaDescription, JobFile {
  /** The cover of a video, as in `MediaDescription`. The job can also read the picture. */
  readonly cover?: { readonly atMs?: number; readonly image?: JobMedia } | undefined;
}

/** Another target of the same account that published, or may have published, in the time that `verify` searches. */
export interface SiblingTarget {
  /** The platform's id of its post. Null while nobody knows it. */
  readonly remoteId: string | null;
  readonly caption: string;
  /** The progress (`Job.progress`) of that target. */
  readonly progress: JsonValue;
}

/** One confirmed target of one post. Every step gets the same content; only tokens, times and progress change. */
export interface Job {
  /** The service's own id of the post, the same in every run. */
  readonly postId: string;
  /** The service's own id of the account. */
  readonly accountId: string;
  /** The account's present tokens. The service may refresh them between two steps. */
  readonly account: AccountAccess;
  /** The caption that this account publishes. */
  readonly caption: string;
  /** The type of the post, which follows from its media. */
  readonly postType: PostType;
  /** The options with defaults (`ValidationResult.options`). */
  readonly options: JsonObject;
  /** The media in the order of the post. */
  readonly media: readonly JobMedia[];
  /** The media of each thread part after the first, in order. Absent if no such part has media. */
  readonly partMedia?: readonly (readonly JobMedia[])[] | undefined;
  /** The file that the option `document` names; absent without one. */
  readonly document?: JobFile | undefined;
  /** The earliest time (ms) at which the visible call may be sent. */
  readonly dueAt: number;
  /** When (ms) the visible call was first sent; null before that. `verify` searches posts from this time on. */
  readonly committedAt: number | null;
  /**
   * When (ms) the visible call was last sent, or may have been; null before that. `verify` measures its waits from this
   * time, because a repeated call takes as long as the first.
   */
  readonly lastCommittedAt: number | null;
  /** What earlier visible calls of this target have published (`progress` of the outcome `more`). Null at first. */
  readonly progress: JsonValue;
  /** Only for `verify` without a reference: posts of these targets do not count as this target's post. */
  readonly siblings: readonly SiblingTarget[];
  /** The present time (ms), because adapters do not read a clock. */
  readonly now: number;
}

/**
 * The outcome of `prepare`; a throw means a temporary fault.
 * `ready`: `commit` gets `ref`. After `expiresAt` the publisher prepares the target again.
 * `again`: the publisher calls again after `afterSeconds` with `cursor`.
 * `refused`: the fault decides whether the publisher tries again.
 */
export type PrepareOutcome =
  | { readonly state: "ready"; readonly ref: JsonValue; readonly expiresAt?: number }
  | { readonly state: "again"; readonly afterSeconds: number; readonly cursor: JsonValue }
  | { readonly state: "refused"; readonly fault: Fault };

/** The result of one extra, which the service adds after the post is public. */
export interface ExtraResult {
  /** Whether the extra was published. `unconfirmed`: nobody knows. */
  readonly status: ExtraStatus;
  /** The platform's id of the extra. Null if it has none. */
  readonly id: string | null;
  /** The address of the extra. Null if it has none. */
  readonly url: string | null;
  /** Why the extra was not published. Null if it was. */
  readonly fault: Fault | null;
}

/** The post is visible. If several calls make it visible, it counts from the first one. */
export interface PublishedOutcome {
  /** Tells this outcome from the others. */
  readonly state: "published";
  /** The platform's id of the post, as text. */
  readonly remoteId: string;
  /** The address of the post. Null if the platform does not say it. */
  readonly url: string | null;
  /** When (ms) the first of several visible calls published. Absent if it was now. */
  readonly publishedAt?: number;
  /** The last value of `Job.progress`. Absent if it did not change. */
  readonly progress?: JsonValue;
  /** The result of each extra. Absent if the post has none. */
  readonly extras?: Readonly<Partial<Record<ExtraName, ExtraResult>>>;
}

/** Another visible call follows. `afterSeconds` is how long the platform needs before it. */
export interface MoreOutcome {
  /** Tells this outcome from the others. */
  readonly state: "more";
  /** The reference that the next `commit` gets. */
  readonly ref: JsonValue;
  /** The new `Job.progress`: what is already published. */
  readonly progress: JsonValue;
  /** How long to wait before the next call. Absent if it follows at once. */
  readonly afterSeconds?: number;
  /** Set if the publisher must prepare the next call first. `commit` then gets the new reference instead of `ref`. */
  readonly prepareFirst?: true;
}

/**
 * The outcome of `commit`; a throw means "uncertain".
 * `published`: the post is visible under `remoteId`.
 * `accepted`: the platform accepted the post and is still processing it; `verify` follows after `afterSeconds` with
 * `ref`.
 * `more`: this visible call is done, and `progress` records it; the next one follows with `ref`, at once or after
 * `afterSeconds`.
 * `stale`: `ref` is no longer valid and nothing was published; the publisher prepares the target again.
 * `refused`: this call published nothing.
 * `uncertain`: the post may or may not be published; `verify` follows with `ref`, or with the old reference if absent.
 */
export type CommitOutcome =
  | PublishedOutcome
  | { readonly state: "accepted"; readonly ref: JsonValue; readonly afterSeconds: number }
  | MoreOutcome
  | { readonly state: "stale"; readonly detail: string }
  | { readonly state: "refused"; readonly fault: Fault }
  | {
      readonly state: "uncertain";
      readonly detail: string;
      readonly httpStatus: number | null;
      readonly ref?: JsonValue;
    };

/**
 * The outcome of `verify`; a throw means `again`.
 * `again`: not known yet. `isProcessing`: the platform confirmed that it has the post and is processing it. The next
 * call gets `ref`, or the old reference if absent.
 * `absent`: the post is certainly not published, so the publisher sends it again. Only a complete answer that is older
 * than the platform's listing delay justifies this, because no other outcome leads to a second send.
 * `cannot_tell`: the service cannot find out, so a user must look at the platform.
 * The other states mean the same as for `commit`.
 */
export type VerifyOutcome =
  | PublishedOutcome
  | MoreOutcome
  | {
      readonly state: "again";
      readonly afterSeconds: number;
      readonly isProcessing: boolean;
      readonly ref?: JsonValue;
    }
  | { readonly state: "absent" }
  | { readonly state: "stale"; readonly detail: string }
  | { readonly state: "refused"; readonly fault: Fault }
  | { readonly state: "cannot_tell"; readonly detail: string };
