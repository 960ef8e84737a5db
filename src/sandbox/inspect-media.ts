/** Facts read from the first bytes of a file. The file's name and content type are ignored. */
export interface MediaInfo {
  readonly type: "image/jpeg" | "image/png" | "image/webp" | "image/gif" | "video/mp4" | "video/webm" | "unknown";
  readonly width: number | null;
  readonly height: number | null;
  /** The video's length in seconds; null if the first bytes do not contain the video's index (`moov` box). */
  readonly durationSeconds: number | null;
  readonly animated: boolean;
}

const UNKNOWN: MediaInfo = { type: "unknown", width: null, height: null, durationSeconds: null, animated: false };

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

/** Reads the facts from `head`, at most the first 64 KiB of a file. */
export function inspectMedia(head: Uint8Array): MediaInfo {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.length >= 4 && head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) {
    return { ...UNKNOWN, type: "image/jpeg", ...jpegSize(view) };
  }
  if (head.length >= 24 && ascii(head, 1, 4) === "PNG") {
    return { ...UNKNOWN, type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (head.length >= 10 && ascii(head, 0, 4) === "GIF8") {
    const frames = head.reduce((count, _byte, offset) => count + Number(isFrameStart(head, offset)), 0);
    const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    return { ...UNKNOWN, type: "image/gif", ...size, animated: frames > 1 };
  }
  if (head.length >= 30 && ascii(head, 0, 4) === "RIFF" && ascii(head, 8, 12) === "WEBP") {
    return { ...UNKNOWN, type: "image/webp", ...webpSize(head, view) };
  }
  if (head.length >= 12 && ascii(head, 4, 8) === "ftyp") {
    return { ...UNKNOWN, type: "video/mp4", ...movieInfo(head, view) };
  }
  if (head.length >= 4 && view.getUint32(0) === 0x1a45dfa3) {
    return { ...UNKNOWN, type: "video/webm" };
  }
  return UNKNOWN;
}

/** Whether a graphic control extension of a GIF begins at `offset`: 21 F9 04, four bytes, 00. */
function isFrameStart(head: Uint8Array, offset: number): boolean {
  return head[offset] === 0x21 && head[offset + 1] === 0xf9 && head[offset + 2] === 0x04 && head[offset + 7] === 0;
}

function jpegSize(view: DataView): Pick<MediaInfo, "width" | "height"> {
  let offset = 2;
  while (offset + 9 < view.byteLength && view.getUint8(offset) === 0xff) {
    const marker = view.getUint8(offset + 1);
    // A JPEG's start-of-frame markers are C0 to CF without C4, C8 and CC, which define tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) };
    }
    offset += 2 + view.getUint16(offset + 2);
  }
  return { width: null, height: null };
}

function webpSize(head: Uint8Array, view: DataView): Pick<MediaInfo, "width" | "height"> {
  switch (ascii(head, 12, 16)) {
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: (view.getUint32(24, true) & 0xffffff) + 1, height: (view.getUint32(26, true) >> 8) + 1 };
    default:
      return { width: null, height: null };
  }
}

/** Yields the boxes of an ISO base media file (MP4) between two offsets. The last box may be cut off. */
function* boxes(head: Uint8Array, view: DataView, from: number, to: number) {
  let offset = from;
  while (offset + 8 <= to) {
    const size = view.getUint32(offset);
    const end = size === 0 ? to : offset + size;
    if (size !== 0 && size < 8) {
      return;
    }
    yield { type: ascii(head, offset + 4, offset + 8), from: offset + 8, to: Math.min(end, to), isComplete: end <= to };
    offset = end;
  }
}

function movieInfo(head: Uint8Array, view: DataView): Pick<MediaInfo, "width" | "height" | "durationSeconds"> {
  const result: { width: number | null; height: number | null; durationSeconds: number | null } = {
    width: null,
    height: null,
    durationSeconds: null,
  };
  const moov = boxes(head, view, 0, head.length).find((box) => box.type === "moov");
  for (const box of moov ? boxes(head, view, moov.from, moov.to) : []) {
    if (box.type === "mvhd" && box.isComplete) {
      const is64Bit = view.getUint8(box.from) === 1;
      const timescale = view.getUint32(box.from + (is64Bit ? 20 : 12));
      const ticks = is64Bit ? Number(view.getBigUint64(box.from + 24)) : view.getUint32(box.from + 16);
      result.durationSeconds = timescale > 0 ? ticks / timescale : null;
    }
    const track =
      box.type === "trak" ? boxes(head, view, box.from, box.to).find((child) => child.type === "tkhd") : undefined;
    if (track?.isComplete) {
      const width = view.getUint32(track.to - 8) >>> 16;
      if (width > 0) {
        result.width = width;
        result.height = view.getUint32(track.to - 4) >>> 16;
      }
    }
  }
  return result;
}
