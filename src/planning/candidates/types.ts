import type { TargetAccount } from "#accounts/index.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import type { PublishedPart, ValidationWarning } from "#platforms/contract.ts";
import type { FoundMedia, MediaByPlace, MediaWithFacts, RequestedMedia, TextAtTime } from "#planning/facts/types.ts";

/** An account to which a post goes, with its caption and options from the request. */
export interface ResolvedTarget {
  readonly account: TargetAccount;
  readonly caption: string | null;
  readonly requestedOptions: JsonObject;
  /**
   * The request member that selects the account (`targets[1]`). Null if a platform selects it, or if the post already
   * had it.
   */
  readonly param: string | null;
  /** The own media of the account. Null if it publishes the post's media. */
  readonly ownMedia: OwnMedia | null;
  /** Where the media of the account's thread are. Absent if its options give none. */
  readonly threadMedia?: ThreadMedia | undefined;
  /** The request member with the options that name the account's document. Absent if they are stored. */
  readonly documentAt?: string | undefined;
  /** Whether the account is disconnected. The target is then not published before a reconnect, but edits change it. */
  readonly skipped: boolean;
  /** In an edit: the part that the target has already published. */
  readonly published?: PublishedPart | undefined;
}

/** The own media of an account: at a path in the request, or stored. */
export type OwnMedia = { readonly at: string } | { readonly items: readonly MediaWithFacts[] };

/** The media of a thread: at a path in the request, or stored in the options, with the facts of the files by id. */
type ThreadMedia = { readonly at: string } | { readonly facts: ReadonlyMap<string, JsonObject> };

/** A post as it would be after the request, before it is checked. */
export interface Candidate {
  readonly id: string;
  /** The position in a bulk request, counted from 1. */
  readonly row?: number | undefined;
  readonly caption: string;
  /** The time (ms). Null while none is chosen; rules about time are then not checked. */
  readonly scheduledAt: number | null;
  /** The media of the post itself. */
  readonly media: readonly MediaWithFacts[];
  /** The media that the request gives for single accounts, by the path of the list. */
  readonly lists: MediaByPlace;
  readonly resolvedTargets: readonly ResolvedTarget[];
  /** The texts that the post's accounts have already sent, with which other posts of the request are compared. */
  readonly sentTexts: readonly (TextAtTime & { readonly accountId: string })[];
  readonly warnings: readonly ValidationWarning[];
}

/** The posts of one request: a new post, or the stored posts that an edit changes. */
export interface CandidateSet<C extends Candidate = Candidate> {
  readonly candidates: readonly C[];
  /** Problems that were found before the platforms' rules are checked. */
  readonly problems: readonly RefusalDetail[];
  readonly request: RequestedMedia;
  readonly media: FoundMedia;
  /** Whether each problem names the post that it belongs to. */
  readonly namesPosts: boolean;
  /** Members of the request that could not be read. If there are any, the whole request is refused. */
  readonly unreadMembers?: ReadonlySet<string> | undefined;
}
