import { foldText } from "#core/fold-text.ts";
import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { Annotations } from "./types.ts";

/** The texts of a post that people write: its own, those of its accounts, and each part of a thread. */
export interface PostTexts {
  readonly caption: string;
  readonly targets: readonly { readonly caption: string | null; readonly options: JsonObject }[];
}

/** Folding may add bytes only in scripts that nobody mixes; more than this would let a text exceed what D1 stores in a row. */
const MAX_GROWTH = 1.25;

function folded(text: string): string {
  const result = foldText(text);
  return result.length > text.length * MAX_GROWTH + 1 ? text.toLowerCase() : result;
}

/** The texts of a post, each once. */
export function textsOfPost({ caption, targets }: PostTexts): string {
  const texts = targets.flatMap(({ caption: own, options: { thread } }) => [
    ...(own === null ? [] : [own]),
    ...(Array.isArray(thread) ? thread : []).flatMap((part) =>
      isJsonObject(part) && typeof part["caption"] === "string" ? [part["caption"]] : [],
    ),
  ]);
  return [...new Set([caption, ...texts])].join("\n");
}

/** What a search compares of a post. */
export function searchTextOfPost(post: PostTexts): string {
  return folded(textsOfPost(post));
}

/** What a search compares of the annotations of a post: the labels in one line, which an edit replaces alone, and the notes below. */
export function searchTextOfAnnotations({ labels, notes }: Pick<Annotations, "labels" | "notes">): string {
  return `${searchTextOfLabels(labels)}\n${folded(notes ?? "")}`;
}

export function searchTextOfLabels(labels: readonly string[]): string {
  return folded(labels.join(" ")).replaceAll(/\s+/g, " ");
}

/** The words that a search text has, as they are stored. A post must have each of them. */
export function wordsOfSearch(text: string): readonly string[] {
  return [...new Set(foldText(text).split(/\s+/u))].filter((word) => word !== "");
}
