import type { JsonObject } from "#core/json.ts";
import type { PostType } from "#core/status.ts";
import type { CreatorInfo } from "./validation.ts";

/* How a page asks a person for the options of a platform: the words that the schema lacks. */

/** A question in front of several options; no option itself. */
export interface OptionSwitch {
  /** Its name in the form; no option of the platform may have the same. */
  readonly key: string;
  /** The question in a few words. */
  readonly label: string;
  /** The error for a person who switched it on and then chose none of the options. */
  readonly unanswered: string;
}

/** A value of a choice that cannot stand beside a ticked box: the form disables the one while the other is chosen. */
interface OptionExclusion {
  readonly option: string;
  readonly value: string;
  /** Says why, beside whichever is disabled. */
  readonly sentence: string;
}

/** The words for one option. Its type, its default and whether it is required follow from the schema. */
export interface OptionField {
  /** A few words, without a full stop. */
  readonly label: string;
  /** One or two sentences below the field. */
  readonly hint?: string;
  /** The words for each value. The entry for the empty text says what applies when the person chooses nothing. */
  readonly choices?: Readonly<Record<string, string>>;
  /**
   * How the form asks for a list: a choice from `listBoards`, one text for each media item, the texts of the further parts
   * of a thread, or words with commas between them. `lines`: a text that may have several lines. `tags`: accounts with their
   * positions on pictures, one on each line. `pdf`: the address of a document, which the form can upload.
   */
  readonly input?: "boards" | "lines" | "parts" | "pdf" | "per_media" | "tags" | "words";
  /** Stands above the first of several consecutive fields that belong together. */
  readonly group?: string;
  /**
   * The switch that reveals the option. Neighbours with the same switch appear together. While it is off, the form does not
   * set the option.
   */
  readonly behind?: OptionSwitch;
  /** For a box: a sentence that stands below it once it is ticked. Of neighbours that are ticked the last one says its own. */
  readonly whenTicked?: string;
  /** For a box: what it excludes. */
  readonly excludes?: OptionExclusion;
  /** The form asks for the option only when the post has such media; `text`: only when it has none; `media`: when it has any. */
  readonly onlyFor?: PostType | "media";
  /** The value in a new form; absent: the schema's default. */
  readonly initial?: string;
  /** Whether the person must choose a value although the schema has a default. The form then selects nothing. */
  readonly mustChoose?: (options: JsonObject) => boolean;
}

/** For platforms with a `fitting`: how the service makes images fit. */
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

/** What the settings of one account let a person choose. */
export interface OptionAvailability {
  /** The values that remain; an option that is missing here has all of its values. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
  /** Options that the account blocks, each with one sentence that says why. */
  readonly disabled: Readonly<Record<string, string>>;
}

export type LinkedSentence = readonly (string | { readonly text: string; readonly url: string })[];

export interface OptionForm {
  /** In the order of the form. A member of an object is `option.member`. */
  readonly fields: Readonly<Record<string, OptionField>>;
  /** Options that the form leaves out, because the platform or `validate` sets them. */
  readonly automatic?: readonly string[];
  /** What the account's own settings let a person choose. Pure. */
  readonly availability?: (creator: CreatorInfo) => OptionAvailability;
  /** What the platform demands that we state before a person confirms a post with these options. Pure. */
  readonly statements?: (options: JsonObject) => readonly LinkedSentence[];
}
