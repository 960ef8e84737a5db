import type { z } from "@hono/zod-openapi";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { MediaType, PostType } from "#core/status.ts";

/*
 * What a platform is to the rest of the house. An adapter is a folder that fills this in; nothing outside the folder says
 * its name. Adapters hold no state, never sleep, never loop over time: they answer, and the alarm does the waiting.
 */

/** The only way out to a platform. A call that throws may or may not have arrived: callers of `commit` treat it as uncertain. */
export interface PlatformClient {
  /** Refuses hosts the adapter did not declare; times out after 20 s unless `timeoutMs` says otherwise; never follows redirects. */
  fetch(url: string | URL, init?: PlatformRequestInit): Promise<Response>;
}

export interface PlatformRequestInit {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: BodyInit | null;
  readonly timeoutMs?: number;
}

/** What the operator entered for one platform: `{PLATFORM}_CLIENT_ID`, `{PLATFORM}_CLIENT_SECRET`, and every other `{PLATFORM}_*` variable as a setting. */
export interface AppCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Keys without the platform's prefix, in the operator's spelling: `QUOTE_MODE`, `API_VERSION`. */
  readonly settings: Readonly<Record<string, string>>;
}

// ---------------------------------------------------------------- faults

export type FaultCategory =
  | "auth"
  | "content"
  | "duplicate"
  | "media"
  | "permission"
  | "rate_limit"
  | "quota"
  | "billing"
  | "platform"
  | "internal";

/** A definite refusal: nothing was published by the call that returned it. */
export interface Fault {
  /**
   * `reconnect`: only the person can help, by logging in again. `rate_limited`: later, without using up an attempt.
   * `temporary`: later, using up an attempt (never from `commit`). `rejected`: never again by itself.
   */
  readonly kind: "reconnect" | "rate_limited" | "temporary" | "rejected";
  /** Our stable word: `auth_expired`, `duplicate_content`, `media_invalid`, `rejected`, … */
  readonly code: string;
  readonly category: FaultCategory;
  /** A sentence for the post's owner; never contains a token or a header. */
  readonly message: string;
  /** The platform's own code, as text: `9007/2207027`, `spam_risk_too_many_posts`. */
  readonly platformCode: string | null;
  readonly httpStatus: number | null;
  /** Seconds the platform itself asked us to wait. */
  readonly retryAfterSeconds?: number;
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

// ---------------------------------------------------------------- connecting

/** The tokens of one login; sealed as JSON at rest. */
export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Milliseconds since 1970; null means it does not expire by itself. */
  readonly expiresAt: number | null;
  readonly refreshExpiresAt: number | null;
  readonly scopes: readonly string[];
  /** Anything else the adapter needs again (a region, the login variant). */
  readonly extra?: JsonObject;
}

export interface Login {
  /** The platform's id of the person who logged in, as text. */
  readonly externalId: string;
  readonly displayName: string;
  readonly tokens: TokenSet;
}

/** Something a login can post to. */
export interface PostableAccount {
  readonly platformAccountId: string;
  readonly username: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  readonly profileUrl: string | null;
  /** Scopes that posting needs and the person did not grant. */
  readonly missingScopes: readonly string[];
  /** What this account may do, in the adapter's own words; handed back to `validate` and to every step. */
  readonly capabilities: JsonObject;
  /** A token of this account alone (a Page token); null where the login's token serves. */
  readonly token: string | null;
}

/** An account the login has but that cannot be posted to, and why, in a sentence for the person. */
export interface UnpostableAccount {
  readonly platformAccountId: string;
  readonly displayName: string;
  readonly reason: string;
}

/** Success or a fault, as values. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export interface AuthorizeRequest {
  readonly redirectUri: string;
  readonly state: string;
  /** S256 challenge (base64url); used where the platform has PKCE. */
  readonly codeChallenge: string;
}

export interface CodeExchange {
  readonly redirectUri: string;
  /** Every parameter the browser brought back. */
  readonly params: Readonly<Record<string, string>>;
  readonly codeVerifier: string;
  readonly now: number;
}

export interface Board {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly privacy: string;
  readonly pinCount: number | null;
}

export interface Connect {
  authorizeUrl(app: AppCredentials, request: AuthorizeRequest): URL;
  /** Runs inside the callback itself: some codes live 30 seconds. Includes the exchange for a long-lived token. */
  exchange(client: PlatformClient, app: AppCredentials, exchange: CodeExchange): Promise<Result<Login>>;
  /** Everything the login can post to now, all pages. */
  accounts(
    client: PlatformClient,
    app: AppCredentials,
    tokens: TokenSet,
  ): Promise<Result<{ accounts: readonly PostableAccount[]; unpostable: readonly UnpostableAccount[] }>>;
  /**
   * A new token set; `reconnect` when the platform says the grant is dead, `temporary` when it merely did not answer.
   * Absent where the platform gives no way to refresh. Callers guarantee one call at a time per connection.
   */
  readonly refresh?: (
    client: PlatformClient,
    app: AppCredentials,
    tokens: TokenSet,
    now: number,
  ) => Promise<Result<TokenSet>>;
  /** Whether this set can be renewed at all (some apps are given no refresh token); absent means always. */
  readonly canRefresh?: (tokens: TokenSet) => boolean;
  /** Milliseconds before expiry at which a token is refreshed. */
  readonly refreshAheadMs: number;
  /** Withdraws the whole grant at the platform; best effort. Absent where the platform has no such call. */
  readonly revoke?: (client: PlatformClient, app: AppCredentials, tokens: TokenSet) => Promise<void>;
}

/** What a call on behalf of an account needs. */
export interface AccountAccess {
  readonly platformAccountId: string;
  readonly username: string;
  readonly capabilities: JsonObject;
  /** The account's own token where it has one, else the login's access token. */
  readonly accessToken: string;
  /** The login's access token. */
  readonly loginToken: string;
  readonly app: AppCredentials;
}

// ---------------------------------------------------------------- validating

export interface MediaDescription {
  readonly id: string;
  readonly type: MediaType;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  /** `videoCodec`, `audioCodec`, `frameRate`, `animated`, … as far as the bytes told; absent members are unknown, not wrong. */
  readonly facts: JsonObject;
}

export interface ValidationInput {
  /** The caption this account will get. */
  readonly caption: string;
  readonly postType: PostType;
  readonly media: readonly MediaDescription[];
  /** As the caller sent them; unknown keys pass and are kept. */
  readonly options: JsonObject;
  readonly account: { readonly username: string; readonly capabilities: JsonObject };
  readonly settings: Readonly<Record<string, string>>;
}

export interface ValidationProblem {
  /** Stable word: `caption_too_long`, `media_required`, `option_required`, `option_invalid`, `media_too_large`, … */
  readonly code: string;
  readonly message: string;
  /** Relative to the target: `caption`, `platform_options.title`, `media_items[2]`. */
  readonly param: string;
  readonly limit?: number | string;
  readonly actual?: number | string;
}

export interface ValidationWarning {
  readonly code: string;
  readonly message: string;
}

export interface ValidationResult {
  /** What was asked for with this platform's defaults filled in; this is what gets published. */
  readonly options: JsonObject;
  /** `reels`, `timeline`, `short`, … where the platform has such a thing. */
  readonly placement: string | null;
  /** In `limits.caption.unit`. */
  readonly captionLength: number;
  /** The limit that applies to this account. */
  readonly captionLimit: number;
  /** Every problem, not the first. Empty means: as far as can be known now, the platform will take it. */
  readonly problems: readonly ValidationProblem[];
  readonly warnings: readonly ValidationWarning[];
  /** What the platform charges the operator for the call. */
  readonly cost: { readonly amountUsd: number; readonly reason: string } | null;
}

/** The data behind `validate`, served by GET /platforms. Each number's source is named in the folder's limits.ts. */
export interface PlatformLimits {
  readonly caption: { readonly max: number; readonly unit: string };
  readonly media: {
    readonly textOnly: boolean;
    readonly images: {
      readonly max: number;
      readonly maxBytes: number;
      readonly contentTypes: readonly string[];
    } | null;
    readonly videos: {
      readonly max: number;
      readonly maxBytes: number;
      readonly contentTypes: readonly string[];
      readonly minSeconds: number;
      readonly maxSeconds: number;
    } | null;
    /** Whether images and videos may stand in one post. */
    readonly mixed: boolean;
  };
  /** Posts the platform takes per account within a rolling window. */
  readonly dailyCaps: readonly { readonly count: number; readonly windowHours: number; readonly what: string }[];
}

// ---------------------------------------------------------------- publishing

export interface JobMedia extends MediaDescription {
  readonly sha256: string;
  /** Public HTTPS address for platforms that pull. */
  readonly url: string;
  readonly filename: string;
  /** The bytes, or `length` of them from `offset`; from our own store, never from the source. */
  read(range?: { readonly offset: number; readonly length: number }): Promise<ReadableStream<Uint8Array>>;
}

/** One target of one post, as confirmed. */
export interface Job {
  readonly postId: string;
  readonly accountId: string;
  readonly account: AccountAccess;
  readonly caption: string;
  readonly postType: PostType;
  /** The `options` of the verdict. */
  readonly options: JsonObject;
  readonly media: readonly JobMedia[];
  /** When the visible call may be sent. */
  readonly dueAt: number;
  /** When the visible call whose fate is asked for was first sent; null before. `verify` looks from here on. */
  readonly committedAt: number | null;
  /** What earlier runs of this target already made visible (`more` below); null at first. */
  readonly progress: JsonValue;
  readonly now: number;
}

/**
 * `prepare`: invisible and repeatable (uploads, containers, their processing); may run before the due time, may run again
 * from any cursor it returned. Throwing means "temporary".
 */
export type PrepareOutcome =
  | {
      readonly state: "ready";
      readonly ref: JsonValue;
      /** When the reference dies at the platform. */ readonly expiresAt?: number;
    }
  | { readonly state: "again"; readonly afterSeconds: number; readonly cursor: JsonValue }
  | { readonly state: "refused"; readonly fault: Fault };

/**
 * `commit`: exactly one visible call; the intent is in the journal before it is sent. Throwing means "uncertain".
 * `accepted`: the platform took it and works on it; `verify` follows and tells the end.
 * `more`: this visible call is done, `progress` remembers it, and another one follows with `ref`.
 * `stale`: the reference is no good any more and nothing was published: prepare again.
 */
export type CommitOutcome =
  | { readonly state: "published"; readonly remoteId: string; readonly url: string | null }
  | { readonly state: "accepted"; readonly ref: JsonValue; readonly afterSeconds: number }
  | { readonly state: "more"; readonly ref: JsonValue; readonly progress: JsonValue }
  | { readonly state: "stale"; readonly detail: string }
  | { readonly state: "refused"; readonly fault: Fault }
  | {
      readonly state: "uncertain";
      readonly detail: string;
      readonly httpStatus: number | null;
      readonly ref?: JsonValue;
    };

/**
 * `verify`: after an uncertain or accepted commit, or a crash: is it there? Reads only. `absent` is said only when the
 * platform's answer is authoritative and old enough for its lag: it is the one way back to sending. Throwing means "again".
 */
export type VerifyOutcome =
  | { readonly state: "published"; readonly remoteId: string; readonly url: string | null }
  | { readonly state: "more"; readonly ref: JsonValue; readonly progress: JsonValue }
  /** `known` = the platform certainly has it and works on it, so waiting is not doubt. */
  | { readonly state: "again"; readonly afterSeconds: number; readonly known: boolean }
  | { readonly state: "absent" }
  | { readonly state: "stale"; readonly detail: string }
  | { readonly state: "refused"; readonly fault: Fault }
  | { readonly state: "cannot_tell"; readonly detail: string };

export interface Adapter {
  readonly platform: Platform;
  /** Every host a call may go to: exact names, or `*.example.com`. */
  readonly hosts: readonly string[];
  readonly limits: PlatformLimits;
  /** Known keys parsed exactly, unknown keys pass (z.looseObject); feeds validation, GET /platforms and the document. */
  readonly options: z.ZodType;
  readonly connect: Connect;
  /** Pure: no network, no clock. */
  validate(draft: ValidationInput): ValidationResult;
  /** Fresh capabilities right before a preview, where they change often; failing falls back to the stored ones. */
  readonly inspect?: (client: PlatformClient, account: AccountAccess) => Promise<Result<JsonObject>>;
  /** The boards an account can pin to, all pages; served at `/accounts/{platform}-boards`. */
  readonly boards?: (client: PlatformClient, account: AccountAccess) => Promise<Result<readonly Board[]>>;
  /** How long before the due time `prepare` starts, in ms; 0 where there is nothing to prepare. */
  prepareAheadMs(job: { readonly media: readonly MediaDescription[] }): number;
  prepare(client: PlatformClient, job: Job, cursor: JsonValue | undefined): Promise<PrepareOutcome>;
  commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome>;
  verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome>;
}

export function defineAdapter<const A extends Adapter>(adapter: A): A {
  return adapter;
}
