import type { MediaType, PostType } from "#core/status.ts";

/* The limits of a platform or an account, as data. `validate` checks them, and `GET /platforms` and `GET /accounts`
   show them. */

/** What a `LimitRule` counts or measures. Lengths are in the unit that the option or caption names. */
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

/** One limit of a post. `min`, `max` and each of `allowed` are themselves acceptable. */
export interface LimitRule {
  /**
   * What the limit is about: `caption`, `media_items`, `image`, `gif`, `animated_gif`, `video`, `alt_text`, `cover`, or
   * an option such as `platform_options.title`. A final `[]` means each item of a list.
   */
  readonly of: string;
  /** What the rule measures, which decides the unit of `min` and `max`. */
  readonly measure: LimitMeasure;
  /** The smallest acceptable number. */
  readonly min?: number;
  /** The largest acceptable number. */
  readonly max?: number;
  /** The only acceptable values. */
  readonly allowed?: readonly string[];
  /** Which posts the limit applies to. Absent if it applies to every post. */
  readonly when?: LimitCondition;
}

/** Which posts a limit applies to. */
export interface LimitCondition {
  /** Only posts of this type. */
  readonly postType?: PostType;
  /** Only posts whose options have these values, after defaults are filled in. */
  readonly options?: Readonly<Record<string, boolean | string>>;
}

/**
 * The limits that `validate` checks and `GET /platforms` returns. Each platform's `limits.ts` names the source of every
 * number.
 */
export interface PlatformLimits {
  /** The usual caption limit of an account. `unit` is a phrase for people (`UTF-16 code units`). */
  readonly caption: {
    readonly max: number;
    readonly unit: string;
    /**
     * What a person would not expect of the count, as a clause ("a link counts as 23"). Absent if nothing is
     * unexpected.
     */
    readonly note?: string;
  };
  /** What one post may contain. Null for a media type that the platform does not accept. */
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
    /** Descriptions for people who cannot see the media. `max` counts UTF-16 units; null if nobody knows a limit. */
    readonly altText: {
      /** The media types whose description the platform publishes. Empty if it takes none. */
      readonly types: readonly MediaType[];
      readonly max: number | null;
    };
    /**
     * Covers of videos: whether a moment of the video can be one (`atMs`), and which pictures can (null if none can).
     */
    readonly covers: {
      readonly atMs: boolean;
      readonly image: { readonly maxBytes: number; readonly contentTypes: readonly string[] } | null;
    };
  };
  /** All limits except the caption's and the number of media. test/platforms/limits.test.ts takes each to its edge. */
  readonly rules: readonly LimitRule[];
  /** How many posts an account may publish within a rolling window. `what` names the kind of post. */
  readonly dailyCaps: readonly { readonly count: number; readonly windowHours: number; readonly what: string }[];
  /**
   * How long the platform refuses the same text from one account, of which a preview warns. Null if nobody knows such a
   * time. `windowSeconds` is null if the platform refuses a text only right after a post with the same text, however
   * old. `note` is a clause for people: what is refused, and how sure the number is.
   */
  readonly duplicateText: { readonly windowSeconds: number | null; readonly note: string } | null;
}

/** What the platform allows and charges the operator's app, over all accounts that use the app. */
export interface AppTerms {
  /**
   * How many posts all accounts together may publish in a calendar day of `timeZone`. `what` names the kind of post.
   */
  readonly dailyCap?: { readonly count: number; readonly what: string; readonly timeZone: string };
  /** How many US dollars the operator pays for one post. */
  readonly prices?: { readonly postUsd: number; readonly postWithLinkUsd: number };
  /** The address of the page with these terms. */
  readonly source: string;
  /** The day on which somebody last read that page, `YYYY-MM-DD`. */
  readonly readOn: string;
}
