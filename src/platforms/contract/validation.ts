import type { DetailCode, WarningCode } from "#core/codes.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { MessageParts } from "#core/message-parts.ts";
import type { PostType } from "#core/status.ts";
import type { MediaDescription } from "./media.ts";

/* What `validate` of an adapter reads and returns. */

/** One target of a post before its confirmation. */
export interface ValidationInput {
  /** The final caption for this account. */
  readonly caption: string;
  /** Derived from the media. */
  readonly postType: PostType;
  /** In the order of the post. */
  readonly media: readonly MediaDescription[];
  /** The media of each part of a thread after the first, in order; absent when no such part has media. */
  readonly partMedia?: readonly (readonly MediaDescription[])[] | undefined;
  /** The requested options, as the caller sent them with all unknown keys. */
  readonly options: JsonObject;
  /** The account as the service last listed it, or with capabilities that it just fetched. */
  readonly account: { readonly username: string; readonly capabilities: JsonObject };
  /** `AppCredentials.settings`. */
  readonly settings: Readonly<Record<string, string>>;
  /** The target at the time when a part of it became public; absent while nothing is public. */
  readonly published?: PublishedPart | undefined;
}

/** A target with a part that is public already; its next run continues there. */
export interface PublishedPart {
  /** The caption at that time; `validate` compares an edit with it. */
  readonly caption: string;
  /** `ValidationResult.options` at that time, with the captions of all parts of a thread. */
  readonly options: JsonObject;
  /** The media ids at that time, in the order of the post. */
  readonly media: readonly string[];
  readonly progress: JsonValue;
}

/** A reason why the platform would refuse the target. */
export interface ValidationProblem {
  /** From the closed list in src/core/codes.ts. */
  readonly code: DetailCode;
  /** One sentence for the API's caller. */
  readonly message: string;
  /** The same sentence for pages, which use other names and local times; absent where it names no member of the request and no time. */
  readonly parts?: MessageParts;
  /** Relative to the target: `caption`, `platform_options.title`, `media_items[2]`. */
  readonly param: string;
  /** One command with which the owner of a video or an animation makes it fit; absent where none does. */
  readonly command?: string;
  /** The bound that the value exceeds, in the unit that the message names. */
  readonly limit?: number | string;
  /** The value that exceeds it, in the same unit. */
  readonly actual?: number | string;
}

/** Something that the caller should know and that does not prevent publishing. */
export interface ValidationWarning {
  /** From the closed list in src/core/codes.ts. */
  readonly code: WarningCode;
  /** One sentence for the API's caller. */
  readonly message: string;
  /** The same sentence for pages, which use other names and local times; absent where it names no member of the request and no time. */
  readonly parts?: MessageParts;
}

/**
 * What an account may choose at its platform now. The page shows it to the person who confirms, because some platforms'
 * reviews demand it.
 */
export interface CreatorInfo {
  /** The name that the platform shows; null when it did not say. */
  readonly name: string | null;
  /** HTTPS address that expires after hours. */
  readonly avatarUrl: string | null;
  /** The platform's own words for the audiences that it accepts from this account and this service. */
  readonly privacyOptions: readonly string[];
  readonly commentAllowed: boolean;
  readonly duetAllowed: boolean;
  readonly stitchAllowed: boolean;
  /** The longest video of this account; null when the platform did not say. */
  readonly maxVideoSeconds: number | null;
}

/** The result of `validate`, a pure function: the same input gives the same result. */
export interface ValidationResult {
  /**
   * What the service publishes: the requested options with the platform's defaults filled in. Invalid options stay as the
   * caller sent them.
   */
  readonly options: JsonObject;
  /** `reels`, `timeline`, `short`, …; null where the platform has only one place for posts. */
  readonly placement: string | null;
  /** In the unit of `limits.caption.unit`. */
  readonly captionLength: number;
  /** The limit of this account in the same unit; can differ from `limits.caption.max`. */
  readonly captionLimit: number;
  /** The length of each part of a thread after the first; same unit and limit. Absent without further parts. */
  readonly partLengths?: readonly number[] | undefined;
  /** Every problem, not only the first. Empty: as far as we can know now, the platform will accept the target. */
  readonly problems: readonly ValidationProblem[];
  readonly warnings: readonly ValidationWarning[];
  /** What the platform charges the operator for publishing the target; null when it charges nothing. */
  readonly cost: { readonly amountUsd: number; readonly reason: string } | null;
  /** What the account may choose; absent where the platform has no such settings, and while nobody knows them. */
  readonly creator?: CreatorInfo | undefined;
}
