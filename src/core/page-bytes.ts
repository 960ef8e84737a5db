import { byteLength } from "./bytes.ts";

/** The largest page of a list in bytes. An isolate has 128 MB and answers several requests at once. */
// mutant: unlimited-pages
export const MAX_PAGE_BYTES = 4 * 1024 ** 2;

/** Takes the first items whose texts fit into 4 MiB together, but at least one item. */
export function takePage<Item>(items: Iterable<Item>, textOf: (item: Item) => string): Item[] {
  const page: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += byteLength(textOf(item));
    if (page.length > 0 && bytes > MAX_PAGE_BYTES) {
      break;
    }
    page.push(item);
  }
  return page;
}

/** UTF-8 needs at most three bytes for a UTF-16 unit, so a short text need not be counted. */
const BYTES_PER_UNIT = 3;

/**
 * Takes the first items of a list that fit into 4 MiB. Counting bytes takes time, so it is done only for a page near
 * the limit.
 */
export function takePageOf<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly Item[] {
  const units = items.reduce((sum, item) => sum + textOf(item).length, 0);
  return units * BYTES_PER_UNIT <= MAX_PAGE_BYTES ? items : takePage(items, textOf);
}
