import type { JsonObject } from "#core/json.ts";
import type { PostType } from "#core/status.ts";
import type { CreatorInfo } from "./validation.ts";

/* How a page asks a person for the options of a platform: the words that the schema of the options does not have. */

/** A question that comes before several options; it is no option itself. */
export interface OptionSwitch {
  /** Its name in the form, which no option of the platform has. */
  readonly key: string;
  readonly label: string;
  /** What a person reads who switched it on and then chose none of the options. */
  readonly unanswered: string;
}

/** One option in words. What it accepts, its default and whether it is required follow from the schema. */
export interface OptionField {
  /** A few words, without a full stop. */
  readonly label: string;
  /** One or two sentences below the field. */
  readonly hint?: string;
  /** The values in words; the entry for the empty text is what applies when nothing is chosen. */
  readonly choices?: Readonly<Record<string, string>>;
  /**
   * How a list is asked for: chosen from `listBoards`, one text for each media item, the texts of further parts of a thread, or
   * words separated by commas. `lines`: a text that may have several. `tags`: accounts with their places on pictures, one on each line.
   */
  readonly input?: "boards" | "lines" | "parts" | "per_media" | "tags" | "words";
  /** Shown above the first of several consecutive fields that belong together. */
  readonly group?: string;
  /** The switch that reveals the option and its neighbours with the same one; while it is off, the option is not set. */
  readonly behind?: OptionSwitch;
  /** The option is asked for only when the post has such media; `text`: only when it has none. */
  readonly onlyFor?: PostType;
  /** The value of a new form, where it is not the schema's default. */
  readonly initial?: string;
  /** Whether the person must choose a value although the schema has a default; nothing is selected before. */
  readonly mustChoose?: (options: JsonObject) => boolean;
}

/** How images are made to fit; for the platforms with a `fitting`. */
export const FIT_FIELD = {
  label: "Images that do not fit",
  choices: {
    "": "Add white borders (usual)",
    pad: "Add white borders",
    crop: "Cut the edges",
    none: "Refuse them",
  },
  onlyFor: "image",
} as const satisfies OptionField;

/** The parts of a thread after the first. */
export const THREAD_FIELD = {
  label: "Thread",
  hint: "Further parts, each published as a reply to the one before.",
  input: "parts",
} as const satisfies OptionField;

/** What the settings of one account leave to choose. */
export interface OptionAvailability {
  /** The values that can be chosen; an option that is not named has all of its values. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
  /** Options that cannot be changed, each with one sentence that says why. */
  readonly disabled: Readonly<Record<string, string>>;
}

/** A sentence, some of whose words are links. */
export type LinkedSentence = readonly (string | { readonly text: string; readonly url: string })[];

/** The form of a platform's options. */
export interface OptionForm {
  /** In the order of the form. The members of an option that is an object are named `option.member`. */
  readonly fields: Readonly<Record<string, OptionField>>;
  /** Options that are not asked for, because the platform or `validate` sets them. */
  readonly automatic?: readonly string[];
  /** What the account's own settings leave to choose. Pure. */
  readonly availability?: (creator: CreatorInfo) => OptionAvailability;
  /** What the platform asks a service to state before a person confirms a post with these options. Pure. */
  readonly statements?: (options: JsonObject) => readonly LinkedSentence[];
}
