const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Longer names are no misspellings of ours, and comparing them costs time. */
const LONGEST = 40;

/** How many letters differ, an exchange of two neighbours counted as one. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const differs = left[i - 1] === right[j - 1] ? 0 : 1;
      const isExchange = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + differs,
          isExchange ? (before[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}

/** The known name that a misspelt one most likely means; undefined where none is near. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const written = plain(name);
  if (written === "" || name.length > LONGEST) {
    return undefined;
  }
  const near = [...known].flatMap((candidate) => {
    const meant = plain(candidate);
    const differs = distance(written, meant);
    const isBeginning = written.length > 3 && meant.startsWith(written);
    return differs <= Math.min(3, Math.floor(meant.length / 3)) || isBeginning ? [{ candidate, differs }] : [];
  });
  return near.toSorted((one, other) => one.differs - other.differs)[0]?.candidate;
}
