import { byteLength } from "#core/bytes.ts";
import { searchTextOfAnnotations } from "./search-text.ts";
import type { Annotations } from "./types.ts";

/* What rows take in the database, at most; test/quotas/stored-bytes.test.ts compares it with the size of the file. */

const PAGE_BYTES = 4096;

/** A kind of rows. */
export interface RowSize {
  /** What a row takes beside its texts, with its entries in the indexes. */
  readonly base: number;
  /** A longer one continues on pages of its own. */
  readonly shared: number;
}

const ANNOTATIONS_ROW: RowSize = { base: 300, shared: 1050 };
/** The row by which posts are found by a label or by their external id, beside the text. */
const INDEX_ROW_BYTES = 200;

/** Rows that share a page leave room that is too small for one more, and a row's last page of its own is not full. */
export function rowBytes({ base, shared }: RowSize, texts: readonly string[]): number {
  const bytes = base + byteLength(texts.join(""));
  return bytes > shared ? bytes + PAGE_BYTES : Math.ceil(PAGE_BYTES / Math.floor(PAGE_BYTES / bytes));
}

export function annotationsBytes(annotations: Annotations): number {
  const { externalId, labels } = annotations;
  const found = [...labels, ...(externalId === null ? [] : [externalId])];
  const texts = [JSON.stringify(annotations), searchTextOfAnnotations(annotations)];
  return rowBytes(ANNOTATIONS_ROW, texts) + found.length * INDEX_ROW_BYTES + byteLength(found.join(""));
}
