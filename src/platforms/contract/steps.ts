import type { JsonObject, JsonValue } from "#core/json.ts";
import type { ExtraName, ExtraStatus, PostType } from "#core/status.ts";
import type { AccountAccess } from "./client.ts";
import type { Fault } from "./fault.ts";
import type { MediaDescription } from "./media.ts";

/* The part of the adapter contract that is about publishing: the job of a target, and what each step of it can come to. */

/** A stored file of a job, whatever it is. */
export interface JobFile {
  /** Our id of the file. */
  readonly id: string;
  /** Exact. */
  readonly sizeBytes: number;
  /** Lower-case hexadecimal, over the whole file. */
  readonly sha256: string;
  /** Public HTTPS address, for platforms that download the file themselves. */
  readonly url: string;
  /** A file name with extension; not unique. */
  readonly filename: string;
  /** A new stream of the whole file, or of `length` bytes from `offset`. Reads our own store; throws when the file is missing. Repeatable. */
  read(range?: { readonly offset: number; readonly length: number }): Promise<ReadableStream<Uint8Array>>;
}

/** A media item of a job. */
export interface JobMedia extends MediaDescription, JobFile {
  /** As in `MediaDescription`; the picture can be read. */
  readonly cover?: { readonly atMs?: number; readonly image?: JobMedia } | undefined;
}

/** Another target of the same account that published, or may have published, in the time that `verify` searches. */
export interface SiblingTarget {
  /** Its post at the platform; null while that is not known. */
  readonly remoteId: string | null;
  /** The caption it was sent with. */
  readonly caption: string;
  /** Its `Job.progress`. */
  readonly progress: JsonValue;
}

/** One confirmed target of one post. Every step of the target gets the same content; only tokens, times and progress change. */
export interface Job {
  /** Our id; the same in every run of the post. */
  readonly postId: string;
  /** Our id of the account. */
  readonly accountId: string;
  /** Tokens as they are now: they may have been refreshed between two steps. */
  readonly account: AccountAccess;
  /** The final caption for this account. */
  readonly caption: string;
  /** Derived from the media. */
  readonly postType: PostType;
  /** `ValidationResult.options`. */
  readonly options: JsonObject;
  /** In the order of the post. */
  readonly media: readonly JobMedia[];
  /** Of the parts of a thread after the first, by their places; absent where none of them has any. */
  readonly partMedia?: readonly (readonly JobMedia[])[] | undefined;
  /** The file that the option `document` names; absent without one. */
  readonly document?: JobFile | undefined;
  /** The earliest time at which the visible call may be sent. */
  readonly dueAt: number;
  /** When the visible call that is now in question was first sent; null before. `verify` searches from here on. */
  readonly committedAt: number | null;
  /** When it was last sent, or may have been; null before. `verify` measures its waits from here: a repeated call is as new as the first was. */
  readonly lastCommittedAt: number | null;
  /** What earlier visible calls of this target have published (`progress` of the outcome `more`); null at first. */
  readonly progress: JsonValue;
  /** Filled for a `verify` without a reference: posts that belong to these targets are not this target's post. */
  readonly siblings: readonly SiblingTarget[];
  /** The current time; adapters do not read a clock. */
  readonly now: number;
}

/**
 * The outcome of `prepare`. `ready`: `ref` goes to `commit`; after `expiresAt` the target is prepared again. `again`: call again
 * after `afterSeconds` with `cursor`. `refused`: the fault decides whether it is tried again. A throw means a temporary fault.
 */
export type PrepareOutcome =
  | { readonly state: "ready"; readonly ref: JsonValue; readonly expiresAt?: number }
  | { readonly state: "again"; readonly afterSeconds: number; readonly cursor: JsonValue }
  | { readonly state: "refused"; readonly fault: Fault };

/** What became of something that is added to a post once it is public. */
export interface ExtraResult {
  readonly status: ExtraStatus;
  /** At the platform; null where it has none of its own. */
  readonly id: string | null;
  /** Null where it has none. */
  readonly url: string | null;
  /** Null when it was published. */
  readonly fault: Fault | null;
}

/** The post is visible. What became visible in several calls was published with the first of them. */
export interface PublishedOutcome {
  readonly state: "published";
  readonly remoteId: string;
  readonly url: string | null;
  /** When the first of several visible calls published; absent: now. */
  readonly publishedAt?: number;
  /** The last `Job.progress`; absent: unchanged. */
  readonly progress?: JsonValue;
  /** What became of what was added to the post; absent: it has no extras. */
  readonly extras?: Readonly<Partial<Record<ExtraName, ExtraResult>>>;
}

/** Another visible call follows; with `afterSeconds` the platform is given that time first. */
export interface MoreOutcome {
  readonly state: "more";
  readonly ref: JsonValue;
  readonly progress: JsonValue;
  readonly afterSeconds?: number;
  /** The next call is prepared first, so that it gets the reference of that preparation and not `ref`. */
  readonly prepareFirst?: true;
}

/**
 * The outcome of `commit`. A throw means "uncertain".
 * `published`: the post is visible under `remoteId`.
 * `accepted`: the platform accepted the post and is still processing it; `verify` follows after `afterSeconds` with `ref`.
 * `more`: this visible call is done and recorded in `progress`; the next one follows with `ref`, at once or after `afterSeconds`.
 * `stale`: `ref` is no longer valid and nothing was published; the target is prepared again.
 * `refused`: nothing was published by this call.
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
 * The outcome of `verify`. A throw means `again`.
 * `again`: not known yet; `isProcessing` means that the platform confirmed that it has the post and is processing it. The next
 * call gets `ref`, or the old reference when absent.
 * `absent`: the post is certainly not published, so it is sent again. Only for a complete answer of the platform that is older
 * than its listing delay: no other outcome leads to a second send.
 * `cannot_tell`: it will not become known; a user has to look at the platform.
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
