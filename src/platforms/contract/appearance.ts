import type { JsonObject } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";

/* How a post looks in a platform's own feed. Pages show this beside a form as a likeness and never as a promise,
   because platforms' pages differ between devices and change without notice. */

/** One target of a form, which may still be invalid. */
export interface AppearanceInput {
  /** The caption that this account would publish. */
  readonly caption: string;
  /** The options as the caller sent them, or with defaults filled in. A value may have any type. */
  readonly options: JsonObject;
  /** The media in the order of the post. Sizes are null while they are unknown. */
  readonly media: readonly {
    readonly type: MediaType;
    readonly width: number | null;
    readonly height: number | null;
  }[];
  /** Where the platform publishes the post, as in `ValidationResult.placement`. */
  readonly placement: string | null;
}

/** A part of a text, by positions in UTF-16 units. */
export interface TextRange {
  /** The position of the part's first unit. */
  readonly start: number;
  /** The position after the part's last unit. */
  readonly end: number;
}

/** Where a feed cuts a text. If both limits are given, the one that is reached first counts. */
export interface TextCut {
  /** How many characters of a longer text the feed shows. */
  readonly characters?: number;
  /** How many lines of a longer text the feed shows. A wrapped line counts as several. */
  readonly lines?: number;
  /** The words that a reader clicks to see the rest, such as "… more". */
  readonly label: string;
}

/** How much of a medium is covered: percent of the height at top and bottom, of the width at the sides. */
export interface CoveredEdges {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** A line that the feed shows in addition to text and media. */
export interface AppearanceLine {
  /** Which symbol the page shows before the line. */
  readonly kind: "link" | "quote" | "collection" | "note";
  /** One sentence or phrase for the author of the post. */
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
 * How one target will look, as far as somebody has documented or observed it. Each platform's `appearance.ts` names the
 * source of every number.
 */
export interface PostAppearance {
  /** The platform's word for this kind of post. Null if it only says "post". */
  readonly format: string | null;
  /** Whether the feed shows the text above or below the media. */
  readonly order: "text_first" | "media_first";
  /** A headline apart from the text. Null if the post has none. */
  readonly title: string | null;
  /** The caption as the feed shows it. Empty if the feed does not show it. */
  readonly text: string;
  /** Where the feed cuts the text. Null if it shows the whole text, or if nobody knows. */
  readonly cut: TextCut | null;
  /** The parts of `text` that are links, mentions or hashtags, in order and without overlap. */
  readonly marks: readonly TextRange[];
  /** How the feed shows media. */
  readonly media: {
    /**
     * Width divided by height. The feed shows media within these bounds uncut, and others with the nearer bound. Equal
     * bounds mean that every medium has this ratio.
     */
    readonly ratio: { readonly min: number; readonly max: number };
    /**
     * The ratio of media when a post has several: a number for all, `first` for the ratio of the first one, or `own` for each medium's own
     * ratio. With `grid`, two to four media stand side by side in a box of the given ratio. With `collage`, of more than four media two
     * stand above three, and the last one tells how many follow.
     */
    readonly several: number | "first" | "own" | { readonly grid: number; readonly collage?: true };
    /** What the feed does with a medium of another ratio: `cover` cuts its edges off, `contain` adds bars. */
    readonly fit: "cover" | "contain";
    /**
     * How much of a full screen the app's own texts and buttons cover, in percent of each side. Absent if they cover
     * nothing.
     */
    readonly covered?: CoveredEdges;
  };
  readonly document?: ShownDocument | null;
  readonly card?: LinkCard | null;
  /** Further lines, in the order of the feed. */
  readonly lines: readonly AppearanceLine[];
  /** The options that apply to every part of a thread. Absent if none does. */
  readonly partOptions?: readonly string[];
}
