import type { MediaType, PostType } from "#core/status.ts";

/* The limits of a platform or an account, as data: what `validate` checks and `GET /platforms` and `GET /accounts` show. */

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
  | "audio_codec"
  | "followers";

/** One limit of a post: `min`, `max` and `allowed` are themselves accepted. */
export interface LimitRule {
  /** `caption`, `media_items`, `image`, `gif`, `animated_gif`, `video`, `alt_text`, `cover`, `account`, or an option: `platform_options.title`; `[]` after it: each of its items. */
  readonly of: string;
  /** What is measured of it. */
  readonly measure: LimitMeasure;
  /** The smallest accepted number. */
  readonly min?: number;
  /** The largest accepted number. */
  readonly max?: number;
  /** The only accepted values. */
  readonly allowed?: readonly string[];
  /** Absent: the limit holds for every post. */
  readonly when?: LimitCondition;
}

/** The posts for which a limit holds. */
export interface LimitCondition {
  /** Only posts of this type. */
  readonly postType?: PostType;
  /** Only posts with these options, after the defaults are filled in. */
  readonly options?: Readonly<Record<string, boolean | string>>;
}

/** The limits behind `validate`, served by `GET /platforms`. `limits.ts` of each folder names the source of every number. */
export interface PlatformLimits {
  /** The default limit of an account; `unit` is a phrase for people (`UTF-16 code units`). */
  readonly caption: {
    readonly max: number;
    readonly unit: string;
    /** What a person would not expect of the count, as a clause for pages ("a link counts as 23"); absent if there is nothing. */
    readonly note?: string;
  };
  /** What one post may contain; null means that the platform does not accept this type at all. */
  readonly media: {
    /** Whether a post without media is accepted. */
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
    /** Whether one post may contain images and videos. */
    readonly mixed: boolean;
    /** Descriptions for people who cannot see the media; `max` in UTF-16 code units, null where no limit is known. */
    readonly altText: {
      /** The types of media whose description is published; empty where the platform takes none. */
      readonly types: readonly MediaType[];
      readonly max: number | null;
    };
    /** Covers of videos: whether a moment of the video can be one, and which pictures can; null: none. */
    readonly covers: {
      readonly atMs: boolean;
      readonly image: { readonly maxBytes: number; readonly contentTypes: readonly string[] } | null;
    };
  };
  /** Every limit beside `caption` and the number of media; test/platforms/limits.test.ts takes each to its edge. */
  readonly rules: readonly LimitRule[];
  /** Posts that the platform accepts per account within a rolling window; `what` names the kind of post. */
  readonly dailyCaps: readonly { readonly count: number; readonly windowHours: number; readonly what: string }[];
  /**
   * How long the platform refuses the same text for one account, for a warning of the preview. Null: no such time is known.
   * `note` is a clause for people: what the platform refuses, and how sure the number is.
   */
  readonly duplicateText: { readonly windowSeconds: number; readonly note: string } | null;
}

/** What the platform allows and charges the operator's app, over all accounts that use it. */
export interface AppTerms {
  /** Posts that all accounts together may publish in a calendar day of `timeZone`; `what` names them. */
  readonly dailyCap?: { readonly count: number; readonly what: string; readonly timeZone: string };
  /** Dollars for a post. */
  readonly prices?: { readonly postUsd: number; readonly postWithLinkUsd: number };
  /** The page that says so. */
  readonly source: string;
  /** The day on which it was read, `YYYY-MM-DD`. */
  readonly readOn: string;
}
