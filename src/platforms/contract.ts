import type { ImageFitting } from "./image-fitting.ts";
import type { z } from "@hono/zod-openapi";
import type { DetailCode, LoginErrorCode, TargetErrorCode, WarningCode } from "#core/codes.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { MessageParts } from "#core/message-parts.ts";
import type { Platform } from "#core/platform.ts";
import type { MediaType, PostType } from "#core/status.ts";
import type { AppearanceInput, PostAppearance } from "./appearance-contract.ts";
import type { Connector } from "./connect-contract.ts";
import type { OptionForm } from "./form-contract.ts";
import type { AppTerms, PlatformLimits } from "./limits-contract.ts";
import type { DataPolicy } from "./operator-contract.ts";
import type { CommitOutcome, PrepareOutcome, VerifyOutcome } from "./outcome-contract.ts";

export type * from "./appearance-contract.ts";
export type * from "./connect-contract.ts";
export type * from "./form-contract.ts";
export type * from "./limits-contract.ts";
export type * from "./operator-contract.ts";
export type * from "./outcome-contract.ts";

/*
 * The adapter contract: everything the rest of the service knows about a platform. One folder per platform implements it;
 * code outside that folder never names the platform. Adapters keep no state, never sleep and never wait in a loop: each
 * call returns an outcome, and the publisher's alarm schedules the next call.
 *
 * Times are milliseconds since 1970 (UTC) unless a name ends in `Seconds`.
 */

/** Sends requests to one platform. A call that throws may or may not have reached the platform, so a throw in `commit` means "uncertain". */
export interface PlatformClient {
  /**
   * Sends one request. Throws for a host that the adapter did not declare, on a lost connection, and after `timeoutMs`. HTTP
   * error statuses are returned, not thrown. Redirects are returned, never followed. Nothing is retried.
   */
  fetch(url: string | URL, init?: PlatformRequestInit): Promise<Response>;
}

/** The parts of a request that an adapter may set. */
export interface PlatformRequestInit {
  /** Default: `GET`. */
  readonly method?: string;
  /** Header names in any case; authorization is the adapter's own task. */
  readonly headers?: Record<string, string>;
  /** A stream can be sent once only: a repeated request needs a new one. */
  readonly body?: BodyInit | null;
  /** Covers the request and its whole response; default: 20 000. */
  readonly timeoutMs?: number;
}

/** The operator's configuration of one platform, from the variables that begin with the platform's prefix. */
export interface AppCredentials {
  /** `{PLATFORM}_CLIENT_ID`. */
  readonly clientId: string;
  /** `{PLATFORM}_CLIENT_SECRET`; never in a URL that a browser opens, a log or a message. */
  readonly clientSecret: string;
  /** `{PLATFORM}_CLIENT_SECRET_NEXT`: tried where the platform no longer accepts `clientSecret`; never in the same call. */
  readonly nextClientSecret?: string | undefined;
  /** Every other `{PLATFORM}_*` variable, keys without the prefix: `QUOTE_MODE`, `API_VERSION`. Values are not validated. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The subject of a fault, as shown to users and counted in statistics. */
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

/** The codes a fault can have: those a target shows, and those only a login has. */
export type FaultCode = TargetErrorCode | LoginErrorCode;

/** A definite refusal: the call that returned it published nothing. */
export interface Fault<Code extends FaultCode = TargetErrorCode> {
  /**
   * What the publisher does. `reconnect`: fails until the user logs in again. `rate_limited`: tries again later without using
   * up an attempt. `temporary`: tries again later and uses up an attempt (never from `commit`). `rejected`: is not tried again.
   */
  readonly kind: "reconnect" | "rate_limited" | "temporary" | "rejected";
  /** Our own stable code, from the closed list in src/core/codes.ts. */
  readonly code: Code;
  /** The subject; independent of `kind`. */
  readonly category: FaultCategory;
  /** One sentence for the post's owner; never contains a token or a header. */
  readonly message: string;
  /** The platform's own code as text (`9007/2207027`, `spam_risk_too_many_posts`); null when it gave none. */
  readonly platformCode: string | null;
  /** Status of the response; null when no response arrived. */
  readonly httpStatus: number | null;
  /** The wait that the platform asked for; absent means that the publisher chooses it. */
  readonly retryAfterSeconds?: number;
  /** Who can remove the cause; `nobody` when waiting removes it. */
  readonly whoMustAct: "user" | "operator" | "platform" | "nobody";
}

/** Success or a fault, as values: whatever the platform or the network does is a fault, not an exception. */
export type Result<T, Code extends FaultCode = TargetErrorCode> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault<Code> };

/** A collection that posts can be saved to. */
export interface Board {
  /** The platform's id as text. */
  readonly id: string;
  /** As the user named it. */
  readonly name: string;
  /** Null when empty or not given. */
  readonly description: string | null;
  /** The platform's own word, not interpreted. */
  readonly privacy: string;
  /** Null when not given. */
  readonly pinCount: number | null;
}

/** What a call on behalf of an account needs. */
export interface AccountAccess {
  /** As in `PostableAccount`. */
  readonly platformAccountId: string;
  /** As in `PostableAccount`. */
  readonly username: string;
  /** As last listed or fetched; may be out of date. */
  readonly capabilities: JsonObject;
  /** The account's own token where it has one, otherwise the login's access token. */
  readonly accessToken: string;
  /** The login's access token. */
  readonly loginToken: string;
  /** `TokenSet.extra`; empty when the login has none. */
  readonly extra: JsonObject;
  /** The operator's configuration at this time. */
  readonly app: AppCredentials;
}

/** What is known about the picture that is a cover. */
type CoverImage = Omit<MediaDescription, "altText" | "cover" | "facts">;

/** What is known about a stored file without reading it. */
export interface MediaDescription {
  /** Our media id. */
  readonly id: string;
  /** Animated GIFs are images. */
  readonly type: MediaType;
  /** As detected from the bytes, not as declared by the sender. */
  readonly contentType: string;
  /** Exact. */
  readonly sizeBytes: number;
  /** Pixels as displayed (after rotation); null when unknown. */
  readonly width: number | null;
  /** Pixels as displayed (after rotation); null when unknown. */
  readonly height: number | null;
  /** Null for images and when unknown. */
  readonly durationSeconds: number | null;
  /** What the post says of it to people who cannot see it; absent when it says nothing. */
  readonly altText?: string | undefined;
  /** The cover of a video: a moment or a picture; absent: the platform chooses one. */
  readonly cover?: { readonly atMs?: number; readonly image?: CoverImage } | undefined;
  /** Further properties read from the bytes: `videoCodec`, `audioCodec`, `frameRate`, `animated`, … An absent member is unknown, not a problem. */
  readonly facts: JsonObject;
}

/** One target of a post that is not confirmed yet. */
export interface ValidationInput {
  /** The final caption for this account. */
  readonly caption: string;
  /** Derived from the media. */
  readonly postType: PostType;
  /** In the order of the post. */
  readonly media: readonly MediaDescription[];
  /** Of the parts of a thread after the first, by their places; absent where none of them has any. */
  readonly partMedia?: readonly (readonly MediaDescription[])[] | undefined;
  /** As the caller sent them; unknown keys are kept. */
  readonly options: JsonObject;
  /** The account as last listed, or with fetched capabilities. */
  readonly account: { readonly username: string; readonly capabilities: JsonObject };
  /** `AppCredentials.settings`. */
  readonly settings: Readonly<Record<string, string>>;
  /** The target as it was when a part of it became public; absent while nothing is. */
  readonly published?: PublishedPart | undefined;
}

/** A target of which a part is public: its next run goes on from there. */
export interface PublishedPart {
  readonly caption: string;
  readonly options: JsonObject;
  /** The ids of its media. */
  readonly media: readonly string[];
  /** `Job.progress`. */
  readonly progress: JsonValue;
}

/** A reason why the platform would refuse the target. */
export interface ValidationProblem {
  /** From the closed list in src/core/codes.ts. */
  readonly code: DetailCode;
  /** One sentence for the caller. */
  readonly message: string;
  /** The sentence for pages; absent where it names no member of the request and no time. */
  readonly parts?: MessageParts;
  /** Relative to the target: `caption`, `platform_options.title`, `media_items[2]`. */
  readonly param: string;
  /** The bound that was exceeded, in the unit that the message names. */
  readonly limit?: number | string;
  /** The value that exceeded it, in the same unit. */
  readonly actual?: number | string;
}

/** Something the caller should know; it does not prevent publishing. */
export interface ValidationWarning {
  /** From the closed list in src/core/codes.ts. */
  readonly code: WarningCode;
  /** One sentence for the caller. */
  readonly message: string;
  /** The sentence for pages; absent where it names no member of the request and no time. */
  readonly parts?: MessageParts;
}

/** What an account may choose at its platform now, for the person who confirms: some platforms' reviews ask that it is shown. */
export interface CreatorInfo {
  /** As the platform shows the account; null when it did not say. */
  readonly name: string | null;
  /** HTTPS; expires after hours. */
  readonly avatarUrl: string | null;
  /** The platform's own words for the audiences that it accepts from this account and this service. */
  readonly privacyOptions: readonly string[];
  /** Whether the account allows comments at all. */
  readonly commentAllowed: boolean;
  /** Whether the account allows duets at all. */
  readonly duetAllowed: boolean;
  /** Whether the account allows stitches at all. */
  readonly stitchAllowed: boolean;
  /** The longest video of this account; null when unknown. */
  readonly maxVideoSeconds: number | null;
}

/** The result of `validate`; a pure function of the input, so the same input gives the same result. */
export interface ValidationResult {
  /** The requested options with the platform's defaults filled in; these are published. With invalid options, as they were sent. */
  readonly options: JsonObject;
  /** `reels`, `timeline`, `short`, …; null where the platform has no placements. */
  readonly placement: string | null;
  /** In the unit of `limits.caption.unit`. */
  readonly captionLength: number;
  /** The limit of this account, which can differ from `limits.caption.max`; same unit. */
  readonly captionLimit: number;
  /** The length of each part of a thread after the first; same unit and limit. Absent without further parts. */
  readonly partLengths?: readonly number[] | undefined;
  /** Every problem, not only the first. Empty: as far as can be known now, the platform will accept the target. */
  readonly problems: readonly ValidationProblem[];
  /** Every warning; may be empty. */
  readonly warnings: readonly ValidationWarning[];
  /** What the platform charges the operator for the call; null when nothing. */
  readonly cost: { readonly amountUsd: number; readonly reason: string } | null;
  /** Absent where the platform has no such settings, and while they are not known. */
  readonly creator?: CreatorInfo | undefined;
}

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

/** One platform. Cursors, references and progress are stored as JSON between two calls, possibly across a deployment. */
export interface Adapter {
  /** The folder's name. */
  readonly platform: Platform;
  /** Every host that a call may go to: exact names, or `*.example.com` for subdomains. */
  readonly hosts: readonly string[];
  /**
   * Whether people name servers themselves. Calls while connecting may then go to any public HTTPS host, each checked like a
   * media URL; a connection's later calls only to `hosts` and `TokenSet.hosts`, checked in the same way.
   */
  readonly hasUserNamedHosts: boolean;
  /** `none`: the platform works without app credentials of the operator; `AppCredentials` are then empty but for settings. */
  readonly operatorCredentials: "required" | "none";
  /** The same numbers that `validate` checks. */
  readonly limits: PlatformLimits;
  /** Absent where the platform neither counts nor charges the app as a whole. */
  readonly appTerms?: AppTerms;
  /** Known keys are parsed strictly, unknown keys pass (`z.looseObject`); used for validation, `GET /platforms` and the OpenAPI document. */
  readonly options: z.ZodType;
  /**
   * The rights that options, and covers of videos (`cover`), need beyond those of every login, by option. A login asks for those that the operator lists in
   * `{PLATFORM}_EXTRA_SCOPES` only. Absent: no option needs one. Pure.
   */
  readonly optionScopes?: (settings: AppCredentials["settings"]) => Readonly<Record<string, readonly string[]>>;
  /** How pages ask for the options; absent where the platform has none of its own. */
  readonly optionForm?: OptionForm;
  /** What the account may choose at its platform, from its capabilities; absent where there is nothing to show. Pure. */
  readonly creatorOf?: (capabilities: JsonObject, settings: AppCredentials["settings"]) => CreatorInfo | undefined;
  /** Login, tokens and accounts. */
  readonly connect: Connector;
  /** For the pages that the platform's review asks for. */
  readonly dataPolicy: DataPolicy;
  /** What a copy of an image must be like that the platform would refuse; absent where none is made. */
  readonly fitting?: ImageFitting;
  /** The same for a post with these options, as the caller sent them, where they decide; absent: `fitting` holds for all. Pure. */
  readonly fittingFor?: (options: JsonObject) => ImageFitting;
  /** Pure: no network, no clock, no throw; does not change its input. */
  validate(input: ValidationInput): ValidationResult;
  /** How the platform's own feed shows a target, as far as it is known. Pure; accepts every input, also one with problems. */
  appearance(input: AppearanceInput): PostAppearance;
  /** Current capabilities, read before a preview where they change often; after a fault the stored ones are used. */
  readonly fetchCapabilities?: (client: PlatformClient, account: AccountAccess) => Promise<Result<JsonObject>>;
  /** The limits of one account, where they depend on its capabilities or the operator's settings; absent: `limits` holds for all accounts. Pure. */
  readonly limitsOf?: (capabilities: JsonObject, settings: AppCredentials["settings"]) => PlatformLimits;
  /** The boards of an account, all list pages; served at `/accounts/{platform}-boards`. */
  readonly listBoards?: (client: PlatformClient, account: AccountAccess) => Promise<Result<readonly Board[]>>;
  /** How long before the due time `prepare` starts, in milliseconds; 0 when there is nothing to prepare. */
  prepareAheadMs(job: { readonly media: readonly MediaDescription[]; readonly hasDocument?: boolean }): number;
  /**
   * How long the platform may process a post that it accepted before the outcome counts as unknown, in milliseconds. Absent: two
   * hours for a video, otherwise 30 minutes.
   */
  readonly processingLimitMs?: number;
  /** Uploads, containers and their processing. Publishes nothing; may run before the due time, and again from any cursor it returned (undefined: from the start). */
  prepare(client: PlatformClient, job: Job, cursor: JsonValue | undefined): Promise<PrepareOutcome>;
  /** Exactly one visible call. The intent is in the journal before it is sent; a repetition happens only after `absent`, `more` or a refusal. */
  commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome>;
  /**
   * Whether the post is published: called after `accepted`, `uncertain` or a crash. Reads only; repeatable.
   *
   * `ref` is null when the journal of the run was lost, so that only the row is known. The post is then searched for among
   * those that the account published since `committedAt`, which is the due time (`verify-by-row.ts`): the same text as the
   * platform normalizes it, the same kind and number of media where the list names them, and the app where it names that.
   * It counts as found only when exactly one post matches that no sibling owns. `absent` is returned only where a second send
   * of the same content cannot become a second post or the complete list has no post that could be this one; everything else,
   * also a platform that cannot list, is `cannot_tell`.
   */
  verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome>;
}

/** Checks an adapter against the contract and keeps its literal types. */
export function defineAdapter<const A extends Adapter>(adapter: A): A {
  return adapter;
}
