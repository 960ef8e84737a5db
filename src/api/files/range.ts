export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const SINGLE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/**
 * Parses a `Range` header. Null means the whole file: RFC 9110 (HTTP semantics) lets servers ignore several ranges and
 * malformed headers. `unsatisfiable` means that the range starts after the end of the file.
 */
export function parseRange(header: string | null, sizeBytes: number): ByteRange | "unsatisfiable" | null {
  const match = header === null ? null : SINGLE_RANGE.exec(header.trim());
  if (!match || (match[1] === "" && match[2] === "")) {
    return null;
  }
  if (match[1] === "") {
    const length = Math.min(Number(match[2]), sizeBytes);
    return length === 0 ? "unsatisfiable" : { offset: sizeBytes - length, length };
  }
  const offset = Number(match[1]);
  const last = match[2] === "" ? sizeBytes - 1 : Math.min(Number(match[2]), sizeBytes - 1);
  if (match[2] !== "" && Number(match[2]) < offset) {
    return null;
  }
  return offset >= sizeBytes ? "unsatisfiable" : { offset, length: last - offset + 1 };
}

/** The entity tags of a header. A weak tag counts as a strong one, because only reads compare tags. */
export function etagsOf(header: string | null): readonly string[] {
  return (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
}

/** Whether a header's list of entity tags contains `etag`. */
export function includesEtag(header: string | null, etag: string): boolean {
  const tags = new Set(etagsOf(header));
  return tags.has("*") || tags.has(etag);
}
