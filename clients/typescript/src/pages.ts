interface Identified {
  readonly id: string;
}

const PAGE_SIZE = 100;

/**
 * All items of a list that is read by offset, none twice; what is added or removed meanwhile may be missing. The next page begins after
 * the last item, because a page of large items ends before its limit.
 */
export async function* pagesByOffset<Query extends { limit?: number; offset?: number }, Item extends Identified>(
  query: Query,
  read: (page: Query) => Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }>,
): AsyncGenerator<Item, void> {
  const seen = new Set<string>();
  let offset = query.offset ?? 0;
  for (;;) {
    const { items, hasMore } = await read({ ...query, limit: query.limit ?? PAGE_SIZE, offset });
    for (const item of items) {
      if (!seen.has(item.id)) {
        seen.add(item.id);
        yield item;
      }
    }
    if (!hasMore || items.length === 0) {
      return;
    }
    offset += items.length;
  }
}
