/** How many items run in parallel, because a Worker can have at most six open connections. */
const MAX_PARALLEL = 6;

/** Runs `work` for at most six items at a time. The results keep the order of the items. */
export async function mapInParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) {
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, items.length) }, worker));
  return results;
}
