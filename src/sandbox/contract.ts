import type { Platform } from "#core/platform.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { OperationRules } from "./operation.ts";

/* The contract of a simulator. Its authors read platforms/*.md part 6 and never the adapters, so that the two cannot
   share a mistake. The Durable Object around it (durable-object.ts) adds injected faults, latency, the log of calls
   and the list of published posts. */

/** A test user with a login at the platform. `ada` exists on every platform. */
export interface SimulatorLogin {
  readonly name: string;
  readonly description: string;
  /** The platform's ids of the accounts to which this login can post. `?account=` and `revoke` accept them. */
  readonly accounts: readonly string[];
  /** What the user enters on the connect page: a handle or a server. Absent if the page asks for nothing. */
  readonly connectInput?: Readonly<Record<string, string>>;
}

/** A post as the platform published it, for tests to compare. */
export interface PublishedPost {
  readonly id: string;
  readonly url: string;
  /** The platform's id of the account that published it. */
  readonly account: string;
  /** The kind of post: `text`, `image`, `carousel`, `reel`, `video`, `draft`, `pin`, … */
  readonly kind: string;
  readonly text: string;
  readonly title: string | null;
  readonly media: readonly { readonly type: "image" | "video" | "document"; readonly sha256: string }[];
  /** Every field of the publishing call that changes what readers see. */
  readonly options: JsonObject;
  /** When the platform accepted the post (ISO 8601). */
  readonly accepted_at: string;
  /** When the call reached the simulators (ISO 8601). Only if they run in their own Worker. */
  readonly received_at?: string;
}

/** Something that a separate call added to a public post, for tests to compare. */
export interface PublishedExtra {
  readonly name: "first_comment" | "playlists" | "cover";
  readonly id: string;
  /** The platform's id of the post that it was added to. */
  readonly addedTo: string;
  /** The text of a comment, the id of a playlist, or the SHA-256 of a cover. */
  readonly text: string;
}

/** The storage of a simulator. It is synchronous and durable, because the simulator's Durable Object provides it. */
export interface SimulatorStore {
  get<T extends JsonValue>(key: string): T | undefined;
  put(key: string, value: JsonValue): void;
  delete(key: string): void;
  /** Lists keys in ascending order, or in descending order with `reverse`. `from` is the first key, with its prefix. */
  list<T extends JsonValue>(
    prefix: string,
    range?: { readonly from?: string; readonly reverse?: boolean; readonly limit?: number },
  ): readonly (readonly [key: string, value: T])[];
}

export interface SimulatorSettings {
  /** How long (ms) the platform processes media. */
  readonly processing_ms: number;
  readonly latency_ms: number;
  /** How long (ms) reads do not show a new post. */
  readonly verify_lag_ms: number;
  /** The lifetime (s) of access tokens. Null keeps the platform's own. */
  readonly token_lifetime_s: number | null;
  /** The publishing quota per account and day. Null keeps the platform's own. */
  readonly quota: number | null;
  /** Settings that only one simulator has, such as `access: "enterprise"`. */
  readonly extra: JsonObject;
}

export interface SimulatorContext {
  readonly store: SimulatorStore;
  /** The parts of uploads that the platform has received. This is not the service's own media bucket. */
  readonly blobs: R2Bucket;
  readonly settings: SimulatorSettings;
  /**
   * The client credentials that a simulator expects: `sandbox-{platform}` and `sandbox-{platform}-secret`. With the
   * setting `shared_app`, those of its `appFamily`; with `app_secret`, that secret.
   */
  readonly app: { readonly clientId: string; readonly clientSecret: string };
  /** Ends the user's tokens at the other simulators of the family that have the setting `shared_app`. */
  endSharedGrant(login: string): void;
  now(): number;
  /**
   * Starts work that continues after the response. While work with the key is running, its promise is returned. So a
   * poll can restart work that a killed process did not finish.
   */
  runOnce(key: string, work: () => Promise<void>): Promise<void>;
  /** Makes a real request to a media URL, as the platform would. */
  fetchUrl(url: string, headers?: Record<string, string>): Promise<Response>;
  /** SHA-256 in hexadecimal, length and first bytes (up to 64 KiB) of a stream, which is never in memory as a whole. */
  digest(body: ReadableStream<Uint8Array>): Promise<{ sha256: string; size: number; head: Uint8Array }>;
  /** The digest of several R2 objects, read in order as one file. */
  digestBlobs(keys: readonly string[]): Promise<{ sha256: string; size: number; head: Uint8Array }>;
  /** Records a post. To be called when the post becomes public, or when a draft is delivered. */
  recordPublishedPost(post: PublishedPost): void;
  publishedPosts(account?: string): readonly PublishedPost[];
  /** A random decimal id of `digits` digits, as text. */
  newId(digits: number): string;
  /** A random opaque secret with this prefix. */
  newSecret(prefix: string): string;
}

/** The app that the sandbox's operator has registered at a platform. */
export interface OperatorApp {
  /** The state of the app at the platform: initial values of the simulator's own settings. */
  readonly settings: JsonObject;
  /** The operator's settings apart from the credentials: `{PLATFORM}_*` variables by name without the prefix. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The sample posts of a new workspace. */
export type SampleName = "text" | "failing" | "thread" | "carousel" | "reel";

export interface Simulator {
  readonly platform: Platform;
  /**
   * The hosts of the platform: exact names, or `*.example.com`. Together they must cover every address in the
   * platform's documents.
   */
  readonly hosts: readonly string[];
  readonly logins: readonly SimulatorLogin[];
  /** The sample posts that `ada` publishes here. Absent if no account is connected for the samples. */
  readonly samplePosts?: readonly SampleName[];
  /** The family of platforms of one company that can share one app. A person then has one grant for all of them. */
  readonly appFamily?: string;
  /** The operator's app. Absent if the app has the simulator's strictest state and the operator sets nothing. */
  readonly operatorApp?: OperatorApp;
  /**
   * The requests that each operation accepts. The sandbox checks them before `handle`, unless the simulator does so
   * itself.
   */
  readonly rules: OperationRules;
  /** The additions to public posts. Absent if the platform has none. */
  publishedExtras?(sim: SimulatorContext): readonly PublishedExtra[];
  /**
   * Answers every request to one of the hosts, including the browser's consent page. GET of the authorize URL with
   * `login=<name>` redirects back at once; otherwise a small page lists the logins as links.
   */
  handle(request: Request, sim: SimulatorContext): Promise<Response>;
  /** Records posts whose processing has ended. The sandbox calls it before it reads the published posts. */
  readonly publishProcessed?: (sim: SimulatorContext) => void;
  /** The user revokes the app's access at the platform. False if no login has that account id or name. */
  revoke(account: string, sim: SimulatorContext): boolean;
}
