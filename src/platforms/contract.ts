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

/*
 * The adapter contract: everything the rest of the service knows about a platform. One folder per platform implements it;
 * code outside that folder never names the platform. Adapters keep no state, never sleep and never wait in a loop: each call
 * returns an outcome, and the publisher's alarm schedules the next call.
 *
 * `contract/` holds the parts in the order of the list above. Each part imports types only from earlier ones.
 *
 * Times are milliseconds since 1970 (UTC) unless a name ends in `Seconds`.
 */

/** A collection to which users save posts. */
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

/** One platform. The service stores cursors, references and progress as JSON between two calls, possibly across a deployment. */
export interface Adapter {
  /** The folder's name. */
  readonly platform: Platform;
  /** The only hosts that a call may reach: exact names, or `*.example.com` for subdomains. */
  readonly hosts: readonly string[];
  /**
   * Whether people name servers themselves. While connecting, calls may then go to any public HTTPS host; the service checks
   * each like a media URL. Later calls of the connection may go only to `hosts` and `TokenSet.hosts`, with the same check.
   */
  readonly hasUserNamedHosts: boolean;
  /** `none`: the platform works without app credentials of the operator. `AppCredentials` then has only settings. */
  readonly operatorCredentials: "required" | "none";
  /** The numbers that `validate` checks. */
  readonly limits: PlatformLimits;
  /** Absent where the platform neither counts nor charges the app as a whole. */
  readonly appTerms?: AppTerms;
  /**
   * Parses known keys strictly and lets unknown keys pass (`z.looseObject`). Validation, `GET /platforms` and the OpenAPI
   * document use it.
   */
  readonly options: z.ZodType;
  /**
   * Additional scopes by the name of the option that needs them; `cover` stands for the cover of a video. A login requests an
   * additional scope only if the operator lists it in `{PLATFORM}_EXTRA_SCOPES`. Absent: no option needs one. Pure.
   */
  readonly optionScopes?: (settings: AppCredentials["settings"]) => Readonly<Record<string, readonly string[]>>;
  /** How pages ask for the options; absent where the platform has none of its own. */
  readonly optionForm?: OptionForm;
  /** What the account lets its owner choose, read from its capabilities; absent where there is nothing to show. Pure. */
  readonly creatorOf?: (capabilities: JsonObject, settings: AppCredentials["settings"]) => CreatorInfo | undefined;
  /** Login, tokens and accounts. */
  readonly connect: Connector;
  /** The privacy page that the platform's review demands shows this. */
  readonly dataPolicy: DataPolicy;
  /** How the service makes a copy of an image that the platform would refuse; absent where it makes none. */
  readonly fitting?: ImageFitting;
  /** Replaces `fitting` for a post with these options, as the caller sent them. Absent: `fitting` holds for all posts. Pure. */
  readonly fittingFor?: (options: JsonObject) => ImageFitting;
  /** Captions keep mentions by URN, `@[name](urn:…)`. Absent: the platform gets the name alone. */
  readonly takesMentions?: true;
  /** Pure: no network, no clock, no throw. It does not change its input. */
  validate(input: ValidationInput): ValidationResult;
  /** How the platform's own feed shows a target, as far as we know. Pure. Accepts every input, also one with problems. */
  appearance(input: AppearanceInput): PostAppearance;
  /** Reads the current capabilities before a preview, where they change often. After a fault the preview uses the stored ones. */
  readonly fetchCapabilities?: (client: PlatformClient, account: AccountAccess) => Promise<Result<JsonObject>>;
  /**
   * The limits of one account, where its capabilities or the operator's settings change them. Absent: `limits` holds for all
   * accounts. Pure.
   */
  readonly limitsOf?: (capabilities: JsonObject, settings: AppCredentials["settings"]) => PlatformLimits;
  /** Every board of an account, from all list pages. `/accounts/{platform}-boards` returns them. */
  readonly listBoards?: (client: PlatformClient, account: AccountAccess) => Promise<Result<readonly Board[]>>;
  /** How long before the due time `prepare` starts, in milliseconds; 0 when there is nothing to prepare. */
  prepareAheadMs(job: { readonly media: readonly MediaDescription[]; readonly hasDocument?: boolean }): number;
  /**
   * How many milliseconds the platform may process an accepted post before its outcome counts as unknown. Absent: two hours
   * for a video, otherwise 30 minutes.
   */
  readonly processingLimitMs?: number;
  /**
   * Uploads files, creates containers and waits until the platform has processed them. Publishes nothing. May run before the
   * due time, and again from any cursor it returned; `undefined` starts from the beginning.
   */
  prepare(client: PlatformClient, job: Job, cursor: JsonValue | undefined): Promise<PrepareOutcome>;
  /**
   * Sends exactly one visible call. The journal holds the intent before the call leaves. The publisher repeats the call only
   * after `absent`, `more` or a refusal.
   */
  commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome>;
  /**
   * Whether the post is published. The publisher calls it after `accepted`, `uncertain` or a crash. Reads only; repeatable.
   *
   * `ref` is null when the journal of the run is lost and only the row remains. `verify` then searches the posts that the
   * account published since `committedAt`, which is the due time (`verify-by-row.ts`). It compares the text as the platform
   * normalizes it, the kind and number of media where the list names them, and the app where the list names it. The post
   * counts as found only if exactly one post matches that no sibling owns. `verify` returns `absent` only where sending the
   * same content again cannot make a second post, or where the complete list has no post that could be this one. It returns
   * `cannot_tell` for everything else, also for a platform that cannot list.
   */
  verify(client: PlatformClient, job: Job, ref: JsonValue): Promise<VerifyOutcome>;
}

/** Checks an adapter against the contract and keeps its literal types. */
export function defineAdapter<const A extends Adapter>(adapter: A): A {
  return adapter;
}
