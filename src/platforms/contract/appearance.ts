import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";

/*
 * How a post looks in a platform's own feed. Pages show this beside a form as a likeness, never as a promise: other
 * companies' pages differ between devices and change without notice.
 */

/** One target of a form that may still be invalid. */
export interface AppearanceInput {
  /** The caption that this account will send. */
  readonly caption: string;
  /** As the caller sent them, or with defaults filled in. A value may have any type. */
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

/** Where a feed cuts a text. The bound that a reader reaches first counts. */
export interface TextCut {
  /** How many characters of a longer text the feed shows, as a reader counts them. */
  readonly characters?: number;
  /** How many lines of a longer text the feed shows; a wrapped line counts as several. */
  readonly lines?: number;
  /** The words that a reader clicks to see the rest. */
  readonly label: string;
}

/** Percent of the height at the top and the bottom, and of the width at the sides. */
export interface CoveredEdges {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** Something that the feed shows beside text and media. */
export interface AppearanceLine {
  /** Decides which mark stands before the line. */
  readonly kind: "link" | "quote" | "collection" | "note";
  /** One sentence or phrase for the post's author. */
  readonly text: string;
}

/** A link that the feed shows as a card. */
export interface LinkCard {
  readonly host: string;
  /** Null if the platform reads the page when it publishes the post: nobody knows before whether the page has a title. */
  readonly title: string | null;
  readonly description: string | null;
}

/** A document whose pages the feed shows one at a time, from the first one on. */
export interface ShownDocument {
  readonly title: string;
  /** Null if the pages could not be counted. */
  readonly pages: number | null;
}

/**
 * How one target will look, as far as somebody documented or observed it. `appearance.ts` of each folder names the source of
 * every number.
 */
export interface PostAppearance {
  /** The platform's word for this kind of post; null where it only says "post". */
  readonly format: string | null;
  /** What a reader sees first. */
  readonly order: "text_first" | "media_first";
  /** A headline apart from the text; null when the post has none. */
  readonly title: string | null;
  /** The caption as the feed shows it; empty where the feed does not show it. */
  readonly text: string;
  /** Null: the feed shows the whole text, or we do not know where it cuts. */
  readonly cut: TextCut | null;
  /** The parts of `text` that are links, mentions or hashtags, in order, without overlap. */
  readonly marks: readonly TextRange[];
  /** How media are shown. */
  readonly media: {
    /**
     * Width divided by height. The feed shows a medium between `min` and `max` whole and any other with the nearer bound.
     * Equal bounds: every medium has this ratio.
     */
    readonly ratio: { readonly min: number; readonly max: number };
    /**
     * The ratio of each of several media: a number for all, `first` for that of the first one, `own` for each its own. `grid`: two to four
     * stand side by side in a box of this ratio. `collage`: of more than four, two stand above three, and the last one tells how many follow.
     */
    readonly several: number | "first" | "own" | { readonly grid: number; readonly collage?: true };
    /** What the feed does with a medium of another ratio: `cover` cuts its edges off, `contain` adds bars. */
    readonly fit: "cover" | "contain";
    /** What the app's own texts and buttons cover of a full screen, in percent of each side; absent: nothing. */
    readonly covered?: CoveredEdges;
  };
  readonly document?: ShownDocument | null;
  readonly card?: LinkCard | null;
  /** In the order of the feed. */
  readonly lines: readonly AppearanceLine[];
  /** Where these facts are from, as a clause for the post's author. */
  readonly source: string;
  /** The options that hold for every part of a thread; absent: none. */
  readonly partOptions?: readonly string[];
}
