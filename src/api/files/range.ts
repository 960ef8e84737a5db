export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const SINGLE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/**
 * The one range a request asks for; null for the whole file (no range, several, or not written as RFC 9110 says: such a
 * header is ignored), `unsatisfiable` when it lies behind the end.
 */
export function readRange(header: string | null, sizeBytes: number): ByteRange | "unsatisfiable" | null {
  const match = header === null ? null : SINGLE.exec(header.trim());
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

/** Whether a list of entity tags names this one; weak tags are equal for a read. */
export function namesTag(header: string | null, tag: string): boolean {
  const names = new Set((header ?? "").split(",").map((name) => name.trim().replace(/^W\//, "")));
  return names.has("*") || names.has(tag);
}
