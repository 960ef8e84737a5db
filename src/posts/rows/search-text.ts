import { foldText } from "#core/fold-text.ts";
import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { Annotations } from "./types.ts";

/** The texts of a post that people write: its caption, those of its accounts, and each part of a thread. */
export interface PostTexts {
  readonly caption: string;
  readonly targets: readonly { readonly caption: string | null; readonly options: JsonObject }[];
}

/**
 * By which factor folding may lengthen a text. More growth could make it exceed a row of D1; real texts never reach
 * this factor.
 */
const MAX_GROWTH = 1.25;

function folded(text: string): string {
  const result = foldText(text);
  return result.length > text.length * MAX_GROWTH + 1 ? text.toLowerCase() : result;
}

/** The texts of a post, without repetition. */
export function textsOfPost({ caption, targets }: PostTexts): string {
  const texts = targets.flatMap(({ caption: own, options: { thread } }) => [
    ...(own === null ? [] : [own]),
    ...(Array.isArray(thread) ? thread : []).flatMap((part) =>
      isJsonObject(part) && typeof part["caption"] === "string" ? [part["caption"]] : [],
    ),
  ]);
  return [...new Set([caption, ...texts])].join("\n");
}

/** The folded texts of a post, in which searches look. */
export function searchTextOfPost(post: PostTexts): string {
  return folded(textsOfPost(post));
}

/**
 * The folded annotations of a post, in which searches look: labels on one line, which an edit of labels replaces, and
 * notes below.
 */
export function searchTextOfAnnotations({ labels, notes }: Pick<Annotations, "labels" | "notes">): string {
  return `${searchTextOfLabels(labels)}\n${folded(notes ?? "")}`;
}

export function searchTextOfLabels(labels: readonly string[]): string {
  return folded(labels.join(" ")).replaceAll(/\s+/g, " ");
}

/** The folded words of a search. A post must have each of them. */
export function wordsOfSearch(text: string): readonly string[] {
  return [...new Set(foldText(text).split(/\s+/u))].filter((word) => word !== "");
}
