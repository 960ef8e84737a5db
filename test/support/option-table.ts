import type { DetailCode } from "#core/codes.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { ORIGIN } from "./origin.ts";

/*
 * What is shown of every option of a platform (test/platforms/options.test.ts). Each platform's own table is
 * test/platforms/<name>/option-table.ts, found by its path.
 */

/** A sample of the sandbox, or a picture of test/media/samples with as many bytes as are asked for. */
export type TableFile = string | { readonly name: "p3.jpg"; readonly sizeBytes: number };

/** What the platform has afterwards. */
export interface SeenPost {
  readonly kind: string;
  readonly text: string;
  readonly title: string | null;
  readonly options: JsonObject;
  /** Every post that was made, the first one included. */
  readonly all: readonly { readonly text: string; readonly options: JsonObject; readonly media: readonly unknown[] }[];
  /** The hash of each file, or `same` where it is one of those that were uploaded for the post. */
  readonly media: readonly string[];
  /** What was added once the post was public: texts of comments, ids of playlists. */
  readonly extras: readonly { readonly name: string; readonly text: string }[];
}

export interface RefusedValue {
  readonly value: JsonValue;
  readonly code: DetailCode;
  /** What the message says of the limit. */
  readonly says: string | RegExp;
  /** Below the option: `.options`, `[0].x`. */
  readonly at?: string;
  /** In the place of the option, where the refusal is of something else. */
  readonly param?: string;
  /** In the place of the post's own. */
  readonly files?: readonly TableFile[];
  readonly with?: JsonObject;
  /** In the place of the account that posts. */
  readonly accountName?: string;
}

export interface OptionRow {
  readonly taken: JsonValue;
  readonly edited: JsonValue;
  /** What previews and posts have of it, in part, where those are not the values themselves. */
  readonly shown?: readonly [taken: JsonValue, edited: JsonValue];
  /** What the post has that is then edited; `taken` when absent. */
  readonly beforeEdit?: JsonValue;
  /** What the platform has of the option; nothing counts as null. */
  readonly read: (post: SeenPost) => JsonValue | undefined;
  /**
   * What is read when it was taken, and after the edit; the values themselves when absent. `differs`: two things that are not the
   * same, and neither of them null.
   */
  readonly sent?: readonly [taken: JsonValue, edited: JsonValue] | "differs";
  readonly refused: readonly [RefusedValue, ...RefusedValue[]];
  /** Files with which it has no effect, which the preview says. */
  readonly ignoredWith?: readonly TableFile[];
}

/** A post that carries several options at once. */
export interface TablePost {
  readonly what: string;
  readonly files: readonly TableFile[];
  /** Options that are not in question here. */
  readonly needed?: JsonObject;
  /** Defaults to the login's first account. */
  readonly accountName?: string;
  readonly rows: Readonly<Record<string, OptionRow>>;
}

export interface OptionTable {
  /** The options of the platform's smallest post when none is set: whatever else is there changes the hash of every older post. */
  readonly plain: JsonObject;
  /** What every post needs, where the sample's values are of no use to the simulator. */
  readonly needed?: JsonObject;
  readonly posts: readonly TablePost[];
}

/** The row of `caption`, which every platform has. */
const CAPTION_ROW: OptionRow = {
  taken: "Own words of the account",
  beforeEdit: "Own words that are changed",
  edited: "Other words of the account",
  read: ({ text }) => text,
  refused: [{ value: 7, code: "option_invalid", says: "must be a text" }],
};

/** A post with the options of every platform, beside those of its table. */
export const commonPost = ({
  files,
  options,
}: Pick<TablePost, "files"> & { readonly options: JsonObject }): TablePost => ({
  what: "a caption among the options",
  files,
  needed: options,
  rows: { caption: CAPTION_ROW },
});

/** What is published under the name `name`. */
export const published =
  (name: string) =>
  ({ options }: SeenPost): JsonValue | undefined =>
    options[name];

const firstComment = ({ extras }: SeenPost): JsonValue =>
  extras.flatMap(({ name, text }) => (name === "first_comment" ? [text] : []))[0] ?? null;

/** The row of `first_comment`. */
export const firstCommentRow = (max: number): OptionRow => ({
  taken: "Which glaze?",
  edited: "Which glaze, and which clay?",
  read: firstComment,
  refused: [
    { value: "a".repeat(max + 1), code: "option_invalid", says: `${max} characters` },
    { value: " \n", code: "option_invalid", says: "must not be blank" },
  ],
});

/** The row of `fit` for a post whose last file the platform would refuse or cut. `none`: the refusal of the file. */
export const fitRow = (
  shape: "changes" | "stays",
  none: Pick<RefusedValue, "code" | "says"> & { readonly index: number },
): OptionRow => ({
  taken: "pad",
  edited: "crop",
  read: ({ media }) => (media.at(-1) === "same" ? null : shape === "changes" ? (media.at(-1) ?? null) : "a copy"),
  sent: shape === "changes" ? "differs" : ["a copy", "a copy"],
  refused: [
    { value: "stretch", code: "option_invalid", says: "one of pad, crop, none" },
    { value: "none", code: none.code, says: none.says, param: `media_items[${none.index}]` },
  ],
});

/** The replies to the first post. */
const replies = ({ all }: SeenPost): JsonValue =>
  all.slice(1).map(({ text, media }) => ({ caption: text, files: media.length }));

/** The row of `thread`; `max` is that of one part's text. */
export const threadRow = (max: number): OptionRow => ({
  taken: [{ caption: "Second, before the edit" }],
  edited: [
    {
      caption: "Second, after the edit",
      media_items: [{ url: `${ORIGIN}/sandbox/media/portrait.jpg`, alt_text: "A bowl" }],
    },
    { caption: "Third, after the edit" },
  ],
  shown: [
    [{ caption: "Second, before the edit" }],
    [
      { caption: "Second, after the edit", media_items: [{ type: "image", alt_text: "A bowl" }] },
      { caption: "Third, after the edit" },
    ],
  ],
  sent: [
    [{ caption: "Second, before the edit", files: 0 }],
    [
      { caption: "Second, after the edit", files: 1 },
      { caption: "Third, after the edit", files: 0 },
    ],
  ],
  read: replies,
  refused: [
    {
      value: Array.from({ length: 25 }, (_, index) => ({ caption: `Part ${index}` })),
      code: "option_invalid",
      says: "at most 24 items",
    },
    { value: [{ caption: "a".repeat(max + 1) }], code: "caption_too_long", says: `${max}`, at: "[0].caption" },
    { value: [{ caption: " " }], code: "caption_required", says: "needs a text", at: "[0].caption" },
    {
      value: [{ caption: "Second", media_items: "https://example.com/a.jpg" }],
      code: "option_invalid",
      says: "must be a list",
      at: "[0].media_items",
    },
  ],
});
