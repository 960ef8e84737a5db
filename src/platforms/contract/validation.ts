import type { DetailCode, WarningCode } from "#core/codes.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { MessageParts } from "#core/message-parts.ts";
import type { PostType } from "#core/status.ts";
import type { MediaDescription } from "./media.ts";

/* What `validate` of an adapter reads and answers. */

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
