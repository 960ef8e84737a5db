import { asciiAt, type ByteReader, malformed, truncated, uint64At } from "./byte-reader.ts";

export interface Box {
  readonly name: string;
  /** Where the payload begins and where the box ends. */
  readonly start: number;
  readonly end: number;
}

const MAX_CHILDREN = 4096;

/** The boxes between two offsets, header by header; a box may not leave its parent. */
export async function* boxes(reader: ByteReader, from: number, to: number): AsyncGenerator<Box> {
  let at = from;
  for (let count = 0; at + 8 <= to; count += 1) {
    reader.step();
    if (count > MAX_CHILDREN) {
      malformed("a box has too many parts");
    }
    const head = await reader.view(at, 8);
    const name = asciiAt(head, 4, 4);
    const short = head.getUint32(0);
    const headBytes = short === 1 ? 16 : 8;
    const size = short === 1 ? uint64At(await reader.view(at, 16), 8) : short === 0 ? to - at : short;
    if (short === 0 && name === "\0\0\0\0") {
      return; // QuickTime ends some lists with four zero bytes.
    }
    if (size < headBytes || !/^[\x20-\x7e\xa9]{4}$/.test(name)) {
      malformed("a part of the video has no valid header");
    }
    if (at + size > to) {
      if (to === reader.size) {
        truncated(`the part "${name}" should end at byte ${at + size}, the file ends at ${to}`);
      }
      malformed(`the part "${name}" is larger than what holds it`);
    }
    yield { name, start: at + headBytes, end: at + size };
    at += size;
  }
}

/** Time scale and duration of an `mvhd` or `mdhd`, which share their beginning. */
export async function readDuration(reader: ByteReader, box: Box): Promise<{ timescale: number; duration: number }> {
  const version = (await reader.view(box.start, 1)).getUint8(0);
  const view = await reader.view(box.start, version === 1 ? 32 : 20);
  return version === 1
    ? { timescale: view.getUint32(20), duration: uint64At(view, 24) }
    : { timescale: view.getUint32(12), duration: view.getUint32(16) };
}

const UNKNOWN = 0xffffffff;

export function toMs(duration: number, timescale: number): number | null {
  const known = timescale > 0 && duration > 0 && duration !== UNKNOWN && Number.isSafeInteger(duration);
  return known ? Math.round((duration * 1000) / timescale) : null;
}
