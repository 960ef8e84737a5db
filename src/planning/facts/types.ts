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

/** Media by the place of the request that names them. */
export type MediaByPlace<Media = MediaWithFacts> = ReadonlyMap<string, readonly Media[]>;

export interface RequestedMedia {
  readonly refs: MediaByPlace<MediaRef>;
  /** The stored files to read. */
  readonly ids: readonly string[];
  /** The files of other servers, by the request fields that name them. */
  readonly addresses: readonly Pick<MediaRef, "param" | "url">[];
  readonly tooMany: RefusalDetail | null;
  /** One import reads the stored files and fetches the others, so that `ids` is empty and nothing is known before. */
  readonly isImported: boolean;
  /** The request field of each item. */
  readonly params: MediaByPlace<string>;
  /** The media as far as the request declares them; undeclared types once as images, once as videos. */
  readonly guesses: readonly MediaByPlace[];
}

/** The media of a request as far as the facts tell. */
export interface FoundMedia {
  /** A file that was not read has an empty id and no size. */
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
  /** Its place in a request of many, whose posts have no ids yet. */
  readonly row?: number | undefined;
  readonly at: number;
  readonly text: string;
}

/** When the other posts of each account are due, and what they say. */
export interface NearbyPosts {
  readonly times: ReadonlyMap<string, readonly number[]>;
  readonly texts: ReadonlyMap<string, readonly TextAtTime[]>;
}

/** The account of a target, which may have been disconnected since. */
export interface PostAccount {
  readonly account: TargetAccount;
  readonly connected: boolean;
}

export interface EditedPostFacts {
  readonly rows: readonly PostRow[];
  /** The posts without a row that are in the archive. */
  readonly archivedIds: ReadonlySet<string>;
  readonly accounts: ReadonlyMap<string, PostAccount>;
  readonly mediaFacts: ReadonlyMap<string, JsonObject>;
}

/** All that the assessment needs to know, for every candidate of a request. */
export interface Facts {
  readonly now: number;
  readonly subscribed: boolean;
  /** The accounts that the request selects. */
  readonly accounts: readonly TargetAccount[];
  /** The stored files by id; null for one whose upload is not complete. */
  readonly files: ReadonlyMap<string, ResolvedFile | null>;
  readonly nearbyPosts: NearbyPosts;
  /** How many posts of the user are scheduled; null for an edit, which schedules no further one. */
  readonly scheduledPosts: number | null;
  readonly edited: EditedPostFacts;
  /** Capabilities that the platforms told just now, by account; empty until they are asked. */
  readonly capabilities: ReadonlyMap<string, JsonObject>;
  /** The media of the requests whose files were fetched; empty until then. */
  readonly fetched: ReadonlyMap<RequestedMedia, FoundMedia>;
}

/** For a request that cannot be read at all: no fact would change its problems. */
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
