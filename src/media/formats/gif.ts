import type { Inspection } from "#media/types.ts";
import { type ByteReader, malformed } from "./byte-reader.ts";

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const WINDOW_BYTES = 1024 * 1024;

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Skips a chain of GIF sub-blocks. Returns the offset after it. */
async function skipBlocks(reader: ByteReader, from: number): Promise<number> {
  let offset = from;
  for (;;) {
    reader.step(1);
    const length = reader.bufferedByte(offset) ?? (await reader.view(offset, 1, WINDOW_BYTES)).getUint8(0);
    offset += 1 + length;
    if (length === 0) {
      return offset;
    }
  }
}

/** Reads a GIF to its end, to count the frames and to detect a truncated file. */
export async function inspectGif(reader: ByteReader): Promise<Inspection> {
  const screen = await reader.view(6, 7, WINDOW_BYTES);
  const width = screen.getUint16(0, true);
  const height = screen.getUint16(2, true);
  let offset = 13 + colorTableBytes(screen.getUint8(4));
  let frames = 0;
  let durationHundredths = 0;
  for (;;) {
    reader.step(12);
    const kind = (await reader.view(offset, 1, WINDOW_BYTES)).getUint8(0);
    if (kind === TRAILER) {
      break;
    }
    if (kind === IMAGE) {
      const descriptor = await reader.view(offset + 1, 9, WINDOW_BYTES);
      frames += 1;
      offset = await skipBlocks(reader, offset + 11 + colorTableBytes(descriptor.getUint8(8)));
    } else if (kind === EXTENSION) {
      const label = (await reader.view(offset + 1, 1, WINDOW_BYTES)).getUint8(0);
      if (label === GRAPHIC_CONTROL) {
        durationHundredths += (await reader.view(offset + 4, 2, WINDOW_BYTES)).getUint16(0, true);
      }
      offset = await skipBlocks(reader, offset + 2);
    } else {
      malformed("an unknown block in the GIF");
    }
  }
  if (frames === 0 || width === 0 || height === 0) {
    malformed("the GIF contains no image");
  }
  if (reader.size - offset - 1 > 1) {
    malformed(`${reader.size - offset - 1} bytes follow the end of the GIF`);
  }
  const animated = frames > 1;
  return {
    type: "image",
    contentType: "image/gif",
    width,
    height,
    durationMs: animated ? durationHundredths * 10 : null,
    facts: { animated, frames },
  };
}
