import type { JsonObject } from "#core/json.ts";
import type { PostType } from "#core/status.ts";
import type { CreatorInfo } from "./validation.ts";

/* How a page asks a person for a platform's options: the words that the schema of the options lacks. */

/** A question before several options, which itself is no option. */
export interface OptionSwitch {
  /** The switch's name in the form. No option of the platform may have the same name. */
  readonly key: string;
  /** The label of the switch: a question in a few words. */
  readonly label: string;
  /** The error if a person says yes to the question but then chooses none of the options. */
  readonly unanswered: string;
}

/** A value that excludes a ticked checkbox, and the reverse: the form disables one while the other is chosen. */
interface OptionExclusion {
  readonly option: string;
  readonly value: string;
  /** Says why, beside the disabled field. */
  readonly sentence: string;
}

/** The words for one option. Its type, its default and whether it is required follow from the schema. */
export interface OptionField {
  /** The label of the field: a few words without a full stop. */
  readonly label: string;
  /** One or two sentences below the field. */
  readonly hint?: string;
  /** The words for each value. The entry for the empty text says what happens if the person chooses nothing. */
  readonly choices?: Readonly<Record<string, string>>;
  /**
   * How the form asks for the value. `boards`: a choice from `listBoards`. `per_media`: one text for each media item.
   * `parts`: the texts of the further thread parts. `words`: words with commas between them. `lines`: a text of several
   * lines. `tags`: accounts with their positions on pictures, one per line. `pdf`: the address of a document, which the
   * form can upload.
   */
  readonly input?: "boards" | "lines" | "parts" | "pdf" | "per_media" | "tags" | "words";
  /** A heading above the first of several consecutive fields that belong together. */
  readonly group?: string;
  /**
   * The switch that reveals the option. Consecutive options with the same switch appear together. While it is off, the
   * form does not set the option.
   */
  readonly behind?: OptionSwitch;
  /**
   * For a checkbox: a sentence that appears below it once it is ticked. If several neighbours are ticked, only the last
   * one's appears.
   */
  readonly whenTicked?: string;
  /** For a checkbox: the value that it excludes. */
  readonly excludes?: OptionExclusion;
  /**
   * The form asks for the option only if the post has such media. `text`: only without media; `media`: only with media.
   */
  readonly onlyFor?: PostType | "media";
  /** The value in a new form. Absent if it is the schema's default. */
  readonly initial?: string;
  /** Whether the person must choose a value although the schema has a default. The form then preselects nothing. */
  readonly mustChoose?: (options: JsonObject) => boolean;
}

/** The form field for how images are made to fit, for platforms with a `fitting`. */
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

/** The form field for the parts of a thread after the first. */
export const THREAD_FIELD = {
  label: "Thread",
  hint: "Each part is published as a reply to the one before.",
  input: "parts",
} as const satisfies OptionField;

/** What the settings of one account let a person choose. */
export interface OptionAvailability {
  /** By option: the values that remain. An option that is missing here keeps all values. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
  /** Options that the account does not allow, each with a sentence that says why. */
  readonly disabled: Readonly<Record<string, string>>;
}

export type LinkedSentence = readonly (string | { readonly text: string; readonly url: string })[];

export interface OptionForm {
  /** The fields in the order of the form. A member of an object option is `option.member`. */
  readonly fields: Readonly<Record<string, OptionField>>;
  /** Options that the form leaves out, because the platform or `validate` sets them. */
  readonly automatic?: readonly string[];
  /** What the account's own settings let a person choose. Pure. */
  readonly availability?: (creator: CreatorInfo) => OptionAvailability;
  /** What the platform requires the page to say before a person confirms a post with these options. Pure. */
  readonly statements?: (options: JsonObject) => readonly LinkedSentence[];
}
