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
