const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Names longer than this cannot be misspellings of known ones, and comparing them costs time. */
const LONGEST = 40;

/** By how many letters two names differ. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const letter of left) {
    let diagonal = row[0] ?? 0;
    row = row.map((above, index) => (index === 0 ? above + 1 : above));
    for (let index = 1; index <= right.length; index++) {
      const above = row[index] ?? 0;
      row[index] = Math.min(above + 1, (row[index - 1] ?? 0) + 1, diagonal + Number(letter !== right[index - 1]));
      diagonal = above;
    }
  }
  return row[right.length] ?? 0;
}

/** The known name that a misspelt name most likely means. Undefined if none is similar. */
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
