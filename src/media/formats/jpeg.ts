import type { Inspection } from "#media/types.ts";
import { asciiAt, type ByteReader, bytesOf, malformed, truncated } from "./byte-reader.ts";
import { asDisplayed, exifOrientation } from "./exif.ts";

const SOS = 0xda;
const EOI = 0xd9;
const APP1 = 0xe1;
const TAIL_BYTES = 64 * 1024;
/** The largest size of the image data. A camera may append more data after it. */
const SCAN_BYTES = 16 * 1024 * 1024;

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function hasNoPayload(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

function containsEndMarker(bytes: Uint8Array): boolean {
  // Check only every second byte: the marker has two bytes, and both neighbours of a match are compared.
  for (let offset = bytes.length - 1; offset >= 0; offset -= 2) {
    const byte = bytes[offset];
    if ((byte === EOI && bytes[offset - 1] === 0xff) || (byte === 0xff && bytes[offset + 1] === EOI)) {
      return true;
    }
  }
  return false;
}

/**
 * Searches for the JPEG end marker, first near the end of the file. Cameras append depth maps or a short video after
 * it.
 */
async function checkEnd(reader: ByteReader, scan: number): Promise<void> {
  const tail = Math.max(scan, reader.size - TAIL_BYTES);
  if (containsEndMarker(bytesOf(await reader.view(tail, reader.size - tail)))) {
    return;
  }
  const windowBytes = 1024 * 1024;
  for (let offset = scan; offset < Math.min(tail, scan + SCAN_BYTES); offset += windowBytes - 1) {
    const length = Math.min(windowBytes, tail + 1 - offset);
    if (containsEndMarker(bytesOf(await reader.view(offset, length)))) {
      return;
    }
  }
  truncated("the end marker of the JPEG is missing");
}

export async function inspectJpeg(reader: ByteReader): Promise<Inspection> {
  let offset = 2;
  let size: { width: number; height: number } | null = null;
  let orientation: number | undefined;
  for (;;) {
    reader.step();
    const head = await reader.view(offset, 4);
    if (head.getUint8(0) !== 0xff) {
      malformed("a JPEG marker is missing");
    }
    const marker = head.getUint8(1);
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    if (hasNoPayload(marker)) {
      offset += 2;
      continue;
    }
    if (marker === EOI) {
      malformed("the JPEG contains no image");
    }
    const length = head.getUint16(2);
    if (length < 2) {
      malformed("a JPEG segment has no length");
    }
    if (isFrameHeader(marker)) {
      const frame = await reader.view(offset + 4, 6);
      size = { height: frame.getUint16(1), width: frame.getUint16(3) };
    }
    if (marker === APP1 && orientation === undefined && length > 16) {
      const segment = await reader.view(offset + 4, length - 2);
      if (asciiAt(segment, 0, 6) === "Exif\0\0") {
        orientation = exifOrientation(new DataView(segment.buffer, segment.byteOffset + 6, segment.byteLength - 6));
      }
    }
    offset += 2 + length;
    if (marker === SOS) {
      break;
    }
  }
  if (!size || size.width === 0 || size.height === 0) {
    malformed("the JPEG does not state its dimensions");
  }
  if (offset >= reader.size) {
    truncated("the JPEG ends before its image data");
  }
  await checkEnd(reader, offset);
  return {
    type: "image",
    contentType: "image/jpeg",
    ...asDisplayed(size.width, size.height, orientation),
    durationMs: null,
    facts: { animated: false, ...(orientation !== undefined && { orientation }) },
  };
}
