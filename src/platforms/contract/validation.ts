import type { DetailCode, WarningCode } from "#core/codes.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { MessageParts } from "#core/message-parts.ts";
import type { PostType } from "#core/status.ts";
import type { MediaDescription } from "./media.ts";

/* What an adapter's `validate` reads and returns. */

/** One target of a post, before the post is confirmed. */
export interface ValidationInput {
  /** The caption that this account would publish. */
  readonly caption: string;
  /** The type of the post, which follows from its media. */
  readonly postType: PostType;
  /** The media in the order of the post. */
  readonly media: readonly MediaDescription[];
  /** The media of each thread part after the first, in order. Absent if no such part has media. */
  readonly partMedia?: readonly (readonly MediaDescription[])[] | undefined;
  /** The requested options exactly as the caller sent them, including unknown keys. */
  readonly options: JsonObject;
  /** The account as the service last listed it, or with capabilities that it has just fetched. */
  readonly account: { readonly username: string; readonly capabilities: JsonObject };
  /** The operator's settings of the platform (`AppCredentials.settings`). */
  readonly settings: Readonly<Record<string, string>>;
  /** The target as it was when a part of it was published. Absent if nothing is published. */
  readonly published?: PublishedPart | undefined;
}

/** A target of which a part is already published. Its next run continues after that part. */
export interface PublishedPart {
  /** The caption at that time, with which `validate` compares an edit. */
  readonly caption: string;
  /** The options at that time (`ValidationResult.options`), with the captions of all thread parts. */
  readonly options: JsonObject;
  /** The media ids at that time, in the order of the post. */
  readonly media: readonly string[];
  readonly progress: JsonValue;
}

/** A reason why the platform would refuse the target. */
export interface ValidationProblem {
  /** The problem's code, from the closed list in src/core/codes.ts. */
  readonly code: DetailCode;
  /** One sentence for the caller of the API. */
  readonly message: string;
  /**
   * The same sentence in parts for pages, which use other names and local times. Absent if it names no member of the
   * request and no time.
   */
  readonly parts?: MessageParts;
  /** The member with the problem, relative to the target: `caption`, `platform_options.title`, `media_items[2]`. */
  readonly param: string;
  /** A command with which the owner of a video or an animation makes it fit. Absent if no command does. */
  readonly command?: string;
  /** The limit that the value exceeds, in the unit that the message names. */
  readonly limit?: number | string;
  /** The value that exceeds the limit, in the same unit. */
  readonly actual?: number | string;
}

/** Something that the caller should know, but that does not prevent publishing. */
export interface ValidationWarning {
  /** The warning's code, from the closed list in src/core/codes.ts. */
  readonly code: WarningCode;
  /** One sentence for the caller of the API. */
  readonly message: string;
  /**
   * The same sentence in parts for pages, which use other names and local times. Absent if it names no member of the
   * request and no time.
   */
  readonly parts?: MessageParts;
}

/**
 * What an account may choose at its platform now. The page shows it to the person who confirms, because some platforms
 * require this.
 */
export interface CreatorInfo {
  /** The account's name at the platform. Null if the platform did not say it. */
  readonly name: string | null;
  /** The HTTPS address of the account's picture, which expires after hours. */
  readonly avatarUrl: string | null;
  /** The platform's own words for the audiences that this account may choose with this service. */
  readonly privacyOptions: readonly string[];
  readonly commentAllowed: boolean;
  readonly duetAllowed: boolean;
  readonly stitchAllowed: boolean;
  /** The longest video of this account. Null if the platform did not say it. */
  readonly maxVideoSeconds: number | null;
}

/** The result of `validate`, a pure function: the same input gives the same result. */
export interface ValidationResult {
  /**
   * The options that the service publishes: the requested ones, with the platform's defaults filled in. Invalid options
   * stay as the caller sent them.
   */
  readonly options: JsonObject;
  /** Where the platform shows the post: `reels`, `timeline`, `short`, … Null if it has only one such place. */
  readonly placement: string | null;
  /** The length of the caption, in the unit of `limits.caption.unit`. */
  readonly captionLength: number;
  /** The caption limit of this account, in the same unit. It may differ from `limits.caption.max`. */
  readonly captionLimit: number;
  /**
   * The length of each thread part after the first, in the same unit and with the same limit. Absent without further
   * parts.
   */
  readonly partLengths?: readonly number[] | undefined;
  /** All problems. Empty if the platform will accept the target, as far as is known. */
  readonly problems: readonly ValidationProblem[];
  readonly warnings: readonly ValidationWarning[];
  /** What the platform charges the operator for publishing the target. Null if it charges nothing. */
  readonly cost: { readonly amountUsd: number; readonly reason: string } | null;
  /** What the account may choose. Absent if the platform has no such settings, or if nobody knows them. */
  readonly creator?: CreatorInfo | undefined;
}
