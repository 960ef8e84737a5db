export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const SINGLE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/**
 * The requested range. Null for the whole file: without a range, with several ranges, or with a malformed header, which RFC 9110 (HTTP
 * semantics) allows servers to ignore. `unsatisfiable` when the range starts after the end.
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

/** The entity tags of a list. Weak tags count as strong ones, because only reads compare tags. */
export function etagsOf(header: string | null): readonly string[] {
  return (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
}

/** Whether a list of entity tags contains this one. */
export function includesEtag(header: string | null, etag: string): boolean {
  const tags = new Set(etagsOf(header));
  return tags.has("*") || tags.has(etag);
}
