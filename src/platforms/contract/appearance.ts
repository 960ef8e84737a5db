import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";

/*
 * How a post looks in a platform's own feed, for the likeness that pages show beside a form. It is data about pages of other
 * companies, which differ between devices and change without notice: a likeness, never a promise.
 */

/** One target as far as it is known; the options may still be invalid. */
export interface AppearanceInput {
  /** The caption for this account, as it will be sent. */
  readonly caption: string;
  /** As the caller sent them, or with defaults filled in; values may have any type. */
  readonly options: JsonObject;
  /** In the order of the post; sizes are null while unknown. */
  readonly media: readonly {
    readonly type: MediaType;
    readonly width: number | null;
    readonly height: number | null;
  }[];
  /** `ValidationResult.placement`. */
  readonly placement: string | null;
}

/** A part of a text, in UTF-16 positions. */
export interface TextRange {
  /** The first position. */
  readonly start: number;
  /** The position after the last one. */
  readonly end: number;
}

/** Where a feed cuts a text; whichever bound is reached first counts. */
export interface TextCut {
  /** What is shown of a longer text, in characters as a reader counts them. */
  readonly characters?: number;
  /** What is shown of a text with more lines; a line that is wrapped counts as several. */
  readonly lines?: number;
  /** The words that a reader clicks for the rest. */
  readonly label: string;
}

/** Something that the feed shows beside text and media. */
export interface AppearanceLine {
  /** What it is; decides the mark before it. */
  readonly kind: "link" | "quote" | "collection" | "note";
  /** One sentence or phrase for the post's author. */
  readonly text: string;
}

/** How one target will look, as far as it is documented or was observed. `appearance.ts` of each folder names the source of every number. */
export interface PostAppearance {
  /** The platform's word for this kind of post, where it has one beside "post". */
  readonly format: string | null;
  /** What a reader sees first. */
  readonly order: "text_first" | "media_first";
  /** A headline of its own; null when the post has none. */
  readonly title: string | null;
  /** The caption as the feed shows it; empty where the feed does not show it. */
  readonly text: string;
  /** Null: the feed shows the whole text, or it is not known where it cuts. */
  readonly cut: TextCut | null;
  /** The parts of `text` that are links, mentions or hashtags, in order, without overlap. */
  readonly marks: readonly TextRange[];
  /** How media are shown. */
  readonly media: {
    /** Width divided by height: a medium between the two is shown whole, any other as if it had the nearer one. Equal: every one is shown so. */
    readonly ratio: { readonly min: number; readonly max: number };
    /** The ratio of each of several media; `first` that of the first one, `own` each its own. */
    readonly several: number | "first" | "own";
    /** What happens to a medium of another ratio: cut off at the edges, or shown whole with bars. */
    readonly fit: "cover" | "contain";
  };
  /** In the order of the feed. */
  readonly lines: readonly AppearanceLine[];
}
