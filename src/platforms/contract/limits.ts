import type { MediaType, PostType } from "#core/status.ts";

/* The limits of a platform or an account, as data: what `validate` checks and `GET /platforms` and `GET /accounts` show. */

/** What a `LimitRule` counts or measures. Lengths have the unit that the option or caption names. */
type LimitMeasure =
  | "length"
  | "utf8_bytes"
  | "hashtags"
  | "mentions"
  | "links"
  | "cashtags"
  | "items"
  | "images"
  | "bytes"
  | "content_type"
  | "width"
  | "height"
  | "short_side"
  | "long_side"
  | "ratio"
  | "pixels"
  | "seconds"
  | "frame_rate"
  | "frames"
  | "frame_pixels"
  | "pages"
  | "video_codec"
  | "audio_codec";

/** One limit of a post. `min`, `max` and each of `allowed` are acceptable themselves. */
export interface LimitRule {
  /**
   * What the limit concerns: `caption`, `media_items`, `image`, `gif`, `animated_gif`, `video`, `alt_text`, `cover`, or
   * an option such as `platform_options.title`. A final `[]` means each of its items.
   */
  readonly of: string;
  /** What the rule measures; decides the unit of `min` and `max`. */
  readonly measure: LimitMeasure;
  /** The smallest acceptable number. */
  readonly min?: number;
  /** The largest acceptable number. */
  readonly max?: number;
  /** The only acceptable values. */
  readonly allowed?: readonly string[];
  /** Absent: the limit holds for every post. */
  readonly when?: LimitCondition;
}

/** Which posts a limit concerns. */
export interface LimitCondition {
  /** Only posts of this type. */
  readonly postType?: PostType;
  /** Only posts whose options, with defaults filled in, have these values. */
  readonly options?: Readonly<Record<string, boolean | string>>;
}

/** The limits behind `validate`, which `GET /platforms` returns. `limits.ts` of each folder names the source of every number. */
export interface PlatformLimits {
  /** The default limit of an account. `unit` is a phrase for people (`UTF-16 code units`). */
  readonly caption: {
    readonly max: number;
    readonly unit: string;
    /** What a person would not expect of the count, as a clause for pages ("a link counts as 23"). Absent: nothing is unexpected. */
    readonly note?: string;
  };
  /** What one post may contain. Null: the platform does not accept this type at all. */
  readonly media: {
    /** Whether the platform accepts a post without media. */
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
    /** Whether one post may contain both images and videos. */
    readonly mixed: boolean;
    /** Descriptions for people who cannot see the media. `max` counts UTF-16 code units; null where nobody knows a limit. */
    readonly altText: {
      /** The types of media whose description the platform publishes; empty where it takes none. */
      readonly types: readonly MediaType[];
      readonly max: number | null;
    };
    /** Covers of videos: whether a moment of the video can be one (`atMs`), and which pictures can (null: none). */
    readonly covers: {
      readonly atMs: boolean;
      readonly image: { readonly maxBytes: number; readonly contentTypes: readonly string[] } | null;
    };
  };
  /** Every limit except those of `caption` and the number of media. test/platforms/limits.test.ts takes each to its edge. */
  readonly rules: readonly LimitRule[];
  /** How many posts the platform accepts per account within a rolling window; `what` names the kind of post. */
  readonly dailyCaps: readonly { readonly count: number; readonly windowHours: number; readonly what: string }[];
  /**
   * For how long the platform refuses the same text of one account; the preview warns. Null: nobody knows such a time.
   * `windowSeconds` is null where it refuses a text only right after a post with the same one, however old that post is.
   * `note` is a clause for people: what the platform refuses, and how sure the number is.
   */
  readonly duplicateText: { readonly windowSeconds: number | null; readonly note: string } | null;
}

/** What the platform allows and charges the operator's app, over all accounts that use it. */
export interface AppTerms {
  /** How many posts all accounts together may publish in a calendar day of `timeZone`; `what` names the kind. */
  readonly dailyCap?: { readonly count: number; readonly what: string; readonly timeZone: string };
  /** US dollars that the operator pays for one post. */
  readonly prices?: { readonly postUsd: number; readonly postWithLinkUsd: number };
  /** Address of the page with these terms. */
  readonly source: string;
  /** The day on which somebody last read it, `YYYY-MM-DD`. */
  readonly readOn: string;
}
