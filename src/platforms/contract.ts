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
 * code outside that folder never names the platform. Adapters keep no state, never sleep and never wait in a loop: each
 * call returns an outcome, and the publisher's alarm schedules the next call.
 *
 * `contract/` holds its parts, in the order of the list above: each part imports types only from earlier ones.
 *
 * Times are milliseconds since 1970 (UTC) unless a name ends in `Seconds`.
 */

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
