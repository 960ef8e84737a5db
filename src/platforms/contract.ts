import type { z } from "@hono/zod-openapi";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { AppearanceInput, PostAppearance } from "./contract/appearance.ts";
import type { AccountAccess, AppCredentials, PlatformClient } from "./contract/client.ts";
import type { Connector } from "./contract/connect.ts";
import type { Result } from "./contract/fault.ts";
import type { OptionForm } from "./contract/form.ts";
import type { AppTerms, PlatformLimits } from "./contract/limits.ts";
import type { ImageFitting, MediaDescription } from "./contract/media.ts";
import type { DataPolicy } from "./contract/operator.ts";
import type { CommitOutcome, Job, PrepareOutcome, VerifyOutcome } from "./contract/steps.ts";
import type { CreatorInfo, ValidationInput, ValidationResult } from "./contract/validation.ts";

export type * from "./contract/client.ts";
export type * from "./contract/fault.ts";
export type * from "./contract/media.ts";
export type * from "./contract/limits.ts";
export type * from "./contract/validation.ts";
export * from "./contract/form.ts";
export type * from "./contract/appearance.ts";
export type * from "./contract/connect.ts";
export type * from "./contract/operator.ts";
export type * from "./contract/steps.ts";

/* The adapter contract: everything that the rest of the service knows about a platform. One folder per platform
   implements it; code outside that folder never names the platform. Adapters keep no state, never sleep and never
   wait in a loop. Each call returns an outcome, and the publisher's alarm schedules the next call.
   
   `contract/` contains the parts in the order of the list above. Each part imports types only from earlier ones.
   
   Times are milliseconds since 1970 (UTC) unless a name ends in `Seconds`. */

/** A collection at a platform to which users save posts. */
export interface Board {
  /** The platform's id of the board, as text. */
  readonly id: string;
  /** The name that the user gave the board. */
  readonly name: string;
  /** The description of the board. Null if it is empty or the platform gives none. */
  readonly description: string | null;
  /** The platform's own word for who can see the board, not interpreted. */
  readonly privacy: string;
  /** How many posts the board has. Null if the platform gives no number. */
  readonly pinCount: number | null;
}

/**
 * One platform. Between two calls the service stores cursors, references and progress as JSON, possibly across a
 * deployment.
 */
export interface Adapter {
  /** The platform, which is also the name of the adapter's folder. */
  readonly platform: Platform;
  /** The only hosts that a call may reach: exact names, or `*.example.com` for subdomains. */
  readonly hosts: readonly string[];
  /**
   * Whether people name servers themselves. While connecting, calls may then go to any public HTTPS host; the service checks
   * each like a media URL. Later calls of the connection may go only to `hosts` and `TokenSet.hosts`, with the same check.
   */
  readonly hasUserNamedHosts: boolean;
  /**
   * Whether the operator must register an app. `none`: the platform works without credentials, and `AppCredentials` has
   * only settings.
   */
  readonly operatorCredentials: "required" | "none";
  /** The limits that `validate` checks. */
  readonly limits: PlatformLimits;
  /** What the platform counts or charges for the app as a whole. Absent if it does neither. */
  readonly appTerms?: AppTerms;
  /**
   * The schema of the options. It parses known keys strictly and ignores unknown ones (`z.looseObject`). Validation,
   * `GET /platforms` and the OpenAPI document use it.
   */
  readonly options: z.ZodType;
  /**
   * Additional scopes by the name of the option that needs them; `cover` means the cover of a video. A login requests
   * such a scope only if the operator lists it in `{PLATFORM}_EXTRA_SCOPES`. Absent: no option needs one. Pure.
   */
  readonly optionScopes?: (settings: AppCredentials["settings"]) => Readonly<Record<string, readonly string[]>>;
  /** How pages ask for the options. Absent if the platform has no options of its own. */
  readonly optionForm?: OptionForm;
  /** What an account lets its owner choose, read from its capabilities. Absent if there is nothing to show. Pure. */
  readonly creatorOf?: (capabilities: JsonObject, settings: AppCredentials["settings"]) => CreatorInfo | undefined;
  /** Logins, tokens and accounts of the platform. */
  readonly connect: Connector;
  /** What the privacy page says about the platform. The platforms' reviews of apps require such a page. */
  readonly dataPolicy: DataPolicy;
  /** How the service makes a copy of an image that the platform would refuse. Absent if it makes none. */
  readonly fitting?: ImageFitting;
  /**
   * Replaces `fitting` for a post with these options, as the caller sent them. Absent: `fitting` applies to all posts.
   * Pure.
   */
  readonly fittingFor?: (options: JsonObject) => ImageFitting;
  /** Captions keep mentions by URN, `@[name](urn:…)`. Absent: the platform gets the name without the URN. */
  readonly takesMentions?: true;
  /** Checks a target before it is confirmed. Pure: no network, no clock, no throw. It does not change its input. */
  validate(input: ValidationInput): ValidationResult;
  /** How the platform's own feed shows a target, as far as is known. Accepts every input, even with problems. Pure. */
  appearance(input: AppearanceInput): PostAppearance;
  /**
   * Reads the account's present capabilities before a preview, if they change often. After a fault, the preview uses
   * the stored ones.
   */
  readonly fetchCapabilities?: (client: PlatformClient, account: AccountAccess) => Promise<Result<JsonObject>>;
  /**
   * The limits of one account, if its capabilities or the operator's settings change them. Absent: `limits` applies to
   * all accounts. Pure.
   */
  readonly limitsOf?: (capabilities: JsonObject, settings: AppCredentials["settings"]) => PlatformLimits;
  /** Lists all boards of an account, from all list pages, for `/accounts/{platform}-boards`. */
  readonly listBoards?: (client: PlatformClient, account: AccountAccess) => Promise<Result<readonly Board[]>>;
  /** How long (ms) before the due time `prepare` starts. 0 if there is nothing to prepare. */
  prepareAheadMs(job: { readonly media: readonly MediaDescription[]; readonly hasDocument?: boolean }): number;
  /**
   * How long (ms) the platform may process an accepted post before the outcome counts as unknown. Absent: two hours for
   * a video, otherwise 30 minutes.
   */
  readonly processingLimitMs?: number;
  /**
   * Uploads files, creates containers and waits until the platform has processed them; publishes nothing. May run
   * before the due time, and again from any cursor that it returned. `undefined` starts from the beginning.
   */
  prepare(client: PlatformClient, job: Job, cursor: JsonValue | undefined): Promise<PrepareOutcome>;
  /**
   * Sends exactly one visible call. The journal contains the intent before the call is sent. The publisher repeats the
   * call only after `absent`, `more` or a refusal.
   */
  commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome>;
  /**
   * Finds out whether the post is published, after `accepted`, `uncertain` or a crash. It only reads, and can be
   * repeated.
   *
   * `ref` is null if the journal of the run is lost and only the row remains. `verify` then searches the posts that the
   * account published since `committedAt`, which is the due time (`verify-by-row.ts`). It compares the text as the
   * platform normalizes it. If the list names them, it also compares the kind and number of media, and the app. The
   * post counts as found only if exactly one post matches that belongs to no sibling target. `verify` returns `absent`
   * only if sending the same content again cannot make a second post, or if the complete list has no post that could be
   * this one. In all other cases it returns `cannot_tell`, also for a platform that cannot list.
   */
  verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome>;
}

/** Checks an adapter against the contract at compile time and keeps its literal types. */
export function defineAdapter<const A extends Adapter>(adapter: A): A {
  return adapter;
}
