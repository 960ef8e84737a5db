import type { TargetAccount } from "#accounts/index.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import type { MediaRef, ResolvedFile } from "#media/index.ts";
import type { DocumentByPlace } from "#posts/rows/option-document.ts";
import type { PostRow } from "#posts/rows/store-post-rows.ts";

export interface MediaWithFacts extends StoredMediaItem {
  readonly facts: JsonObject;
}

/** Media by the path in the request that gives them. */
export type MediaByPlace<Media = MediaWithFacts> = ReadonlyMap<string, readonly Media[]>;

export interface RequestedMedia {
  readonly refs: MediaByPlace<MediaRef>;
  /** The ids of the stored files to read. */
  readonly ids: readonly string[];
  /** The files of other servers, with the request members that name them. */
  readonly addresses: readonly Pick<MediaRef, "param" | "url">[];
  readonly tooMany: RefusalDetail | null;
  /**
   * True if an import reads the stored files and fetches the others. `ids` is then empty, and nothing is known before.
   */
  readonly isImported: boolean;
  /** The request member of each media item. */
  readonly params: MediaByPlace<string>;
  /**
   * The media as the request declares them. If types are undeclared, there are two guesses: all images and all videos.
   */
  readonly guesses: readonly MediaByPlace[];
}

/** The media of a request, as far as the facts contain them. */
export interface FoundMedia {
  /** The media by path. A file that was not read has an empty id and no size. */
  readonly lists: MediaByPlace;
  /** The documents that options name. */
  readonly documents: DocumentByPlace;
  readonly problems: readonly RefusalDetail[];
  /** Whether every file of the request was read. */
  readonly complete: boolean;
}

/** A text that an account posts, or has posted, at a time. */
export interface TextAtTime {
  readonly postId: string;
  /** The position in a bulk request, whose posts have no ids yet. */
  readonly row?: number | undefined;
  readonly at: number;
  readonly text: string;
}

/** When the other posts of each account are due, and their texts. */
export interface NearbyPosts {
  readonly times: ReadonlyMap<string, readonly number[]>;
  readonly texts: ReadonlyMap<string, readonly TextAtTime[]>;
}

/** The account of a target. It may have been disconnected since. */
export interface PostAccount {
  readonly account: TargetAccount;
  readonly connected: boolean;
}

export interface EditedPostFacts {
  readonly rows: readonly PostRow[];
  /** The ids of posts that have no row, because they are in the archive. */
  readonly archivedIds: ReadonlySet<string>;
  readonly accounts: ReadonlyMap<string, PostAccount>;
  readonly mediaFacts: ReadonlyMap<string, JsonObject>;
}

/** Everything that the check of a request's posts needs to know. */
export interface Facts {
  readonly now: number;
  readonly subscribed: boolean;
  /** The accounts that the request selects. */
  readonly accounts: readonly TargetAccount[];
  /** The stored files by id. Null for a file whose upload is not complete. */
  readonly files: ReadonlyMap<string, ResolvedFile | null>;
  readonly nearbyPosts: NearbyPosts;
  /** How many posts of the user are scheduled. Null for an edit, which adds none. */
  readonly scheduledPosts: number | null;
  readonly edited: EditedPostFacts;
  /** What the platforms allow, by account, if they were asked just now. Empty until then. */
  readonly capabilities: ReadonlyMap<string, JsonObject>;
  /** The media of requests whose files were fetched. Empty until then. */
  readonly fetched: ReadonlyMap<RequestedMedia, FoundMedia>;
}

/** For a request that cannot be read at all, because facts would not change its problems. */
export const NO_FACTS: Facts = {
  now: 0,
  subscribed: false,
  accounts: [],
  files: new Map(),
  nearbyPosts: { times: new Map(), texts: new Map() },
  scheduledPosts: null,
  edited: { rows: [], archivedIds: new Set(), accounts: new Map(), mediaFacts: new Map() },
  capabilities: new Map(),
  fetched: new Map(),
};
