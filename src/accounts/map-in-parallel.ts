/** Connections a Worker may have open at once. */
const WIDTH = 6;

/** Works through the items, at most six at a time; the results keep their order. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) {
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, items.length) }, worker));
  return results;
}
