import { asciiAt, type ByteReader, malformed, truncated, uint64At } from "./byte-reader.ts";

export interface Box {
  readonly name: string;
  /** The first byte of the box's content. `end` is the byte after the box. */
  readonly start: number;
  readonly end: number;
}

const MAX_CHILDREN = 4096;

/** Finds the boxes between two offsets by reading their headers. A box that exceeds its parent is an error. */
export async function* boxes(reader: ByteReader, from: number, to: number): AsyncGenerator<Box> {
  let offset = from;
  for (let count = 0; offset + 8 <= to; count += 1) {
    reader.step();
    if (count > MAX_CHILDREN) {
      malformed("a box has too many parts");
    }
    const head = await reader.view(offset, 8);
    const name = asciiAt(head, 4, 4);
    const size32 = head.getUint32(0);
    const headBytes = size32 === 1 ? 16 : 8;
    const size = size32 === 1 ? uint64At(await reader.view(offset, 16), 8) : size32 === 0 ? to - offset : size32;
    if (size32 === 0 && name === "\0\0\0\0") {
      return; // QuickTime ends some lists of boxes with four zero bytes.
    }
    if (size < headBytes || !/^[\x20-\x7e\xa9]{4}$/.test(name)) {
      malformed("a part of it has no valid header");
    }
    if (offset + size > to) {
      if (to === reader.size) {
        truncated(`the part "${name}" should end at byte ${offset + size}, the file ends at ${to}`);
      }
      malformed(`the part "${name}" is larger than the part that contains it`);
    }
    yield { name, start: offset + headBytes, end: offset + size };
    offset += size;
  }
}

/** Reads time scale and duration from an `mvhd` or `mdhd` box, which begin with the same fields. */
export async function readDuration(reader: ByteReader, box: Box): Promise<{ timescale: number; duration: number }> {
  const version = (await reader.view(box.start, 1)).getUint8(0);
  const view = await reader.view(box.start, version === 1 ? 32 : 20);
  return version === 1
    ? { timescale: view.getUint32(20), duration: uint64At(view, 24) }
    : { timescale: view.getUint32(12), duration: view.getUint32(16) };
}

const UNKNOWN_DURATION = 0xffffffff;

export function toMs(duration: number, timescale: number): number | null {
  const known = timescale > 0 && duration > 0 && duration !== UNKNOWN_DURATION && Number.isSafeInteger(duration);
  return known ? Math.round((duration * 1000) / timescale) : null;
}
