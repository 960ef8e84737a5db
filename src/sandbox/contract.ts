import type { Platform } from "#core/platform.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";

/*
 * What a simulator is. Simulators are written from platforms/*.md part 6, never from the adapters, so that the two cannot
 * share a mistake. The framework around them (src/sandbox/simulator.ts) does faults, latency, the call log and the book.
 */

/** A made-up person with a login at the platform. `ada` exists everywhere. */
export interface SimLogin {
  readonly name: string;
  readonly description: string;
  /** The platform's ids of what this login can post to; `?account=` and `revoke` know them by it. */
  readonly accounts: readonly string[];
}

/** What the platform has published: the judge of every test. */
export interface BookEntry {
  readonly id: string;
  readonly url: string;
  /** The platform's id of the account it stands on. */
  readonly account: string;
  /** `text`, `image`, `carousel`, `reel`, `video`, `draft`, `pin`, … */
  readonly kind: string;
  readonly text: string;
  readonly title: string | null;
  readonly media: readonly { readonly type: "image" | "video"; readonly sha256: string }[];
  /** Every field of the publishing call that changes what readers see. */
  readonly options: JsonObject;
  /** ISO 8601. */
  readonly accepted_at: string;
}

/** Synchronous, durable: the storage of the simulator's Durable Object. */
export interface SimStore {
  get<T extends JsonValue>(key: string): T | undefined;
  put(key: string, value: JsonValue): void;
  delete(key: string): void;
  /** Keys in ascending order, or the last ones first; `from` is the first key (with its prefix) that counts. */
  list<T extends JsonValue>(
    prefix: string,
    range?: { readonly from?: string; readonly reverse?: boolean; readonly limit?: number },
  ): readonly (readonly [key: string, value: T])[];
}

export interface SimSettings {
  /** How long media takes to be processed. */
  readonly processing_ms: number;
  readonly latency_ms: number;
  /** How long a new post stays invisible to reads. */
  readonly verify_lag_ms: number;
  /** Overrides the access token's lifetime; null keeps the platform's own. */
  readonly token_lifetime_s: number | null;
  /** Overrides the publishing quota per account and day; null keeps the platform's own. */
  readonly quota: number | null;
  /** Switches of one simulator (`access: "enterprise"`). */
  readonly extra: JsonObject;
}

export interface Sim {
  readonly store: SimStore;
  /** Bytes under way (upload parts), as files of the platform, not of ours. */
  readonly blobs: R2Bucket;
  readonly settings: SimSettings;
  /** Client credentials every simulator expects: `sandbox-{platform}` / `sandbox-{platform}-secret`. */
  readonly app: { readonly clientId: string; readonly clientSecret: string };
  now(): number;
  /**
   * Work that goes on after the answer. While work of that key is under way its promise is handed back instead, so that a
   * poll may simply ask again for what a kill of the process cut off.
   */
  run(key: string, work: () => Promise<void>): Promise<void>;
  /** Really fetches a media address as the platform would; reads it to the end through `sha256`. */
  pull(url: string, headers?: Record<string, string>): Promise<Response>;
  /** Hex SHA-256 of a stream, without holding it; also its length and first bytes (up to 64 KiB). */
  digest(body: ReadableStream<Uint8Array>): Promise<{ sha256: string; size: number; head: Uint8Array }>;
  /** The same over R2 objects in order, as one file. */
  digestBlobs(keys: readonly string[]): Promise<{ sha256: string; size: number; head: Uint8Array }>;
  /** Writes into the book. Called at the instant the post becomes public (or a draft is delivered). */
  publish(entry: BookEntry): void;
  book(account?: string): readonly BookEntry[];
  /** A fresh decimal id of `digits` digits, as text. */
  id(digits: number): string;
  /** A fresh opaque secret with that prefix. */
  secret(prefix: string): string;
}

export interface Simulator {
  readonly platform: Platform;
  /** Exact host names, or `*.example.com`. Together they must cover every address the platform's documents name. */
  readonly hosts: readonly string[];
  readonly logins: readonly SimLogin[];
  /**
   * Everything that arrives at one of the hosts, the browser's consent page included: GET of the authorize address with
   * `login=<name>` in the query redirects back at once, without it a small HTML page lists the logins as links.
   */
  handle(request: Request, sim: Sim): Promise<Response>;
  /** Where time alone publishes (processing ends): writes into the book what has become public. Called before the book is read. */
  readonly settle?: (sim: Sim) => void;
  /** The person withdraws the app at the platform; false when nobody of that account or login name is known. */
  revoke(account: string, sim: Sim): boolean;
}
