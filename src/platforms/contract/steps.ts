import type { JsonObject, JsonValue } from "#core/json.ts";
import type { ExtraName, ExtraStatus, PostType } from "#core/status.ts";
import type { AccountAccess } from "./client.ts";
import type { Fault } from "./fault.ts";
import type { MediaDescription } from "./media.ts";

/* Publishing: the job of one target, and the outcomes of each step. */

export interface JobFile {
  /** The service's own id of the file. */
  readonly id: string;
  /** The exact size of the stored file. */
  readonly sizeBytes: number;
  /** Lower-case hexadecimal, of the whole file. */
  readonly sha256: string;
  /** Public HTTPS address, for platforms that download the file themselves. */
  readonly url: string;
  /** A file name with extension; two files can have the same. */
  readonly filename: string;
  /**
   * Opens a new stream of the whole file, or of `length` bytes from `offset`. Reads our own store and throws when the file
   * is missing. Repeatable.
   */
  read(range?: { readonly offset: number; readonly length: number }): Promise<ReadableStream<Uint8Array>>;
}

export interface JobMedia extends MediaDescription, JobFile {
  /** As in `MediaDescription`; the job can read the picture. */
  readonly cover?: { readonly atMs?: number; readonly image?: JobMedia } | undefined;
}

/** Another target of the same account that published, or may have published, in the time that `verify` searches. */
export interface SiblingTarget {
  /** The id of its post at the platform; null while nobody knows it. */
  readonly remoteId: string | null;
  readonly caption: string;
  /** Its `Job.progress`. */
  readonly progress: JsonValue;
}

/** One confirmed target of one post. Every step of the target gets the same content; only tokens, times and progress change. */
export interface Job {
  /** The service's own id; the same in every run of the post. */
  readonly postId: string;
  /** The service's own id of the account. */
  readonly accountId: string;
  /** The tokens as they are now; the service may refresh them between two steps. */
  readonly account: AccountAccess;
  /** The final caption for this account. */
  readonly caption: string;
  /** Derived from the media. */
  readonly postType: PostType;
  /** `ValidationResult.options`. */
  readonly options: JsonObject;
  /** In the order of the post. */
  readonly media: readonly JobMedia[];
  /** The media of each part of a thread after the first, in order; absent when no such part has media. */
  readonly partMedia?: readonly (readonly JobMedia[])[] | undefined;
  /** The file that the option `document` names; absent without one. */
  readonly document?: JobFile | undefined;
  /** The earliest time at which the visible call may be sent. */
  readonly dueAt: number;
  /** When the visible call in question was first sent; null before. `verify` searches from this time. */
  readonly committedAt: number | null;
  /**
   * When the visible call was last sent, or may have been; null before. `verify` measures its waits from this time, because
   * a repeated call needs as long as the first.
   */
  readonly lastCommittedAt: number | null;
  /** What earlier visible calls of this target published (`progress` of the outcome `more`); null at first. */
  readonly progress: JsonValue;
  /** Only for a `verify` without a reference: posts of these targets are not this target's post. */
  readonly siblings: readonly SiblingTarget[];
  /** Now; adapters do not read a clock. */
  readonly now: number;
}

/**
 * The outcome of `prepare`; a throw means a temporary fault.
 * `ready`: `commit` gets `ref`; after `expiresAt` the publisher prepares the target again.
 * `again`: the publisher calls again after `afterSeconds` with `cursor`.
 * `refused`: the fault decides whether the publisher tries again.
 */
export type PrepareOutcome =
  | { readonly state: "ready"; readonly ref: JsonValue; readonly expiresAt?: number }
  | { readonly state: "again"; readonly afterSeconds: number; readonly cursor: JsonValue }
  | { readonly state: "refused"; readonly fault: Fault };

/** The result of one extra, which the service adds once the post is public. */
export interface ExtraResult {
  /** `unconfirmed`: the extra may or may not be there. */
  readonly status: ExtraStatus;
  /** Its id at the platform; null where it has none. */
  readonly id: string | null;
  /** Its address; null where it has none. */
  readonly url: string | null;
  /** Why the extra was not published; null when it was. */
  readonly fault: Fault | null;
}

/** The post is visible. A post that several calls make visible counts from the first of them. */
export interface PublishedOutcome {
  /** Tells the outcomes apart. */
  readonly state: "published";
  /** The platform's id of the post as text. */
  readonly remoteId: string;
  /** The address of the post; null when the platform does not say it. */
  readonly url: string | null;
  /** When the first of several visible calls published; absent: now. */
  readonly publishedAt?: number;
  /** The last `Job.progress`; absent: it did not change. */
  readonly progress?: JsonValue;
  /** The result of each extra; absent: the post has none. */
  readonly extras?: Readonly<Partial<Record<ExtraName, ExtraResult>>>;
}

/** Another visible call follows; `afterSeconds` gives the platform that time first. */
export interface MoreOutcome {
  /** Tells the outcomes apart. */
  readonly state: "more";
  /** The next `commit` gets it. */
  readonly ref: JsonValue;
  /** Replaces `Job.progress`: what is public already. */
  readonly progress: JsonValue;
  /** Absent: at once. */
  readonly afterSeconds?: number;
  /** The publisher prepares the next call first, so that `commit` gets the new reference instead of `ref`. */
  readonly prepareFirst?: true;
}

/**
 * The outcome of `commit`; a throw means "uncertain".
 * `published`: the post is visible under `remoteId`.
 * `accepted`: the platform accepted the post and is still processing it; `verify` follows after `afterSeconds` with `ref`.
 * `more`: this visible call is done, and `progress` records it; the next one follows with `ref`, at once or after
 * `afterSeconds`.
 * `stale`: `ref` is no longer valid and nothing was published; the publisher prepares the target again.
 * `refused`: this call published nothing.
 * `uncertain`: the post may or may not be published; `verify` follows with `ref`, or with the old reference when absent.
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
 * `again`: not known yet. `isProcessing`: the platform confirmed that it has the post and is processing it. The next call
 * gets `ref`, or the old reference when absent.
 * `absent`: the post is certainly not published, so the publisher sends it again. Only a complete answer that is older than
 * the platform's listing delay justifies it: no other outcome leads to a second send.
 * `cannot_tell`: nobody will find out here; a user has to look at the platform.
 * The others mean the same as for `commit`.
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
