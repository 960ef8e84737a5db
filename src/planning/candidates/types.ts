import type { TargetAccount } from "#accounts/index.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import type { PublishedPart, ValidationWarning } from "#platforms/contract.ts";
import type { FoundMedia, MediaByPlace, MediaWithFacts, RequestedMedia, TextAtTime } from "#planning/facts/types.ts";

/** One account to post to, with its caption and options from the request. */
export interface ResolvedTarget {
  readonly account: TargetAccount;
  readonly caption: string | null;
  readonly requestedOptions: JsonObject;
  /** The request field that selects it (`targets[1]`); null when a platform selects it or it was already on the post. */
  readonly param: string | null;
  /** Null for the media of the post. */
  readonly ownMedia: OwnMedia | null;
  /** Where to find the media of its thread; absent when its options name none. */
  readonly threadMedia?: ThreadMedia | undefined;
  /** The member of the request with the options that name its document; absent where they are stored. */
  readonly documentAt?: string | undefined;
  /** Its account is disconnected: nothing is published before a reconnect, but edits apply. */
  readonly skipped: boolean;
  /** In an edit: what the target has already published. */
  readonly published?: PublishedPart | undefined;
}

/** Media of one account: named in a place of the request, or stored. */
export type OwnMedia = { readonly at: string } | { readonly items: readonly MediaWithFacts[] };

/** Named in the options at a place of the request, or stored in the options, with the facts of the files by their ids. */
type ThreadMedia = { readonly at: string } | { readonly facts: ReadonlyMap<string, JsonObject> };

/** What one post would be. */
export interface Candidate {
  readonly id: string;
  /** Its place in a request of many, from 1. */
  readonly row?: number | undefined;
  readonly caption: string;
  /** Null while no time is chosen: what depends on it is not checked. */
  readonly scheduledAt: number | null;
  /** The media of the post itself. */
  readonly media: readonly MediaWithFacts[];
  /** The media that the request names for one account alone, by the path of the list in the request. */
  readonly lists: MediaByPlace;
  readonly resolvedTargets: readonly ResolvedTarget[];
  /** What its accounts have sent already, so that other posts of the request are compared with it. */
  readonly sentTexts: readonly (TextAtTime & { readonly accountId: string })[];
  readonly warnings: readonly ValidationWarning[];
}

/** The posts that one request makes: one for a new post, one for each stored post that an edit changes. */
export interface CandidateSet<C extends Candidate = Candidate> {
  readonly candidates: readonly C[];
  /** Everything that is wrong before the platforms' rules are asked. */
  readonly problems: readonly RefusalDetail[];
  readonly request: RequestedMedia;
  readonly media: FoundMedia;
  /** Whether the problems of each post name it. */
  readonly namesPosts: boolean;
  /** Members of the request that could not be read. Any such member refuses the whole set. */
  readonly unreadMembers?: ReadonlySet<string> | undefined;
}
