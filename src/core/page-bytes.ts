/** The most bytes of a page's items: an isolate has 128 MB and answers several requests at once. */
// mutant: unlimited-pages
export const MAX_PAGE_BYTES = 4 * 1024 ** 2;

/** The first items whose texts have 4 MiB together, one at least. */
export function takePage<Item>(items: Iterable<Item>, textOf: (item: Item) => string): Item[] {
  const page: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += new TextEncoder().encode(textOf(item)).byteLength;
    if (page.length > 0 && bytes > MAX_PAGE_BYTES) {
      break;
    }
    page.push(item);
  }
  return page;
}

/** UTF-8 has at most three bytes for a unit of a string. */
const BYTES_PER_UNIT = 3;

/** The same for texts that are read already: counting their bytes takes time, which only a page near the limit needs. */
export function takePageOf<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly Item[] {
  const units = items.reduce((sum, item) => sum + textOf(item).length, 0);
  return units * BYTES_PER_UNIT <= MAX_PAGE_BYTES ? items : takePage(items, textOf);
}
