/** What the first bytes of a file tell, whatever its name and header say. */
export interface Looks {
  readonly type: "image/jpeg" | "image/png" | "image/webp" | "image/gif" | "video/mp4" | "video/webm" | "unknown";
  readonly width: number | null;
  readonly height: number | null;
  /** Null where the index of the video is not in the first bytes. */
  readonly durationSeconds: number | null;
  readonly animated: boolean;
}

const UNKNOWN: Looks = { type: "unknown", width: null, height: null, durationSeconds: null, animated: false };

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

/** Looks at up to the first 64 KiB of a file. */
export function lookAt(head: Uint8Array): Looks {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.length >= 4 && head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) {
    return { ...UNKNOWN, type: "image/jpeg", ...jpegSize(view) };
  }
  if (head.length >= 24 && ascii(head, 1, 4) === "PNG") {
    return { ...UNKNOWN, type: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (head.length >= 10 && ascii(head, 0, 4) === "GIF8") {
    const frames = head.reduce((count, _byte, at) => count + Number(isFrameStart(head, at)), 0);
    const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    return { ...UNKNOWN, type: "image/gif", ...size, animated: frames > 1 };
  }
  if (head.length >= 30 && ascii(head, 0, 4) === "RIFF" && ascii(head, 8, 12) === "WEBP") {
    return { ...UNKNOWN, type: "image/webp", ...webpSize(head, view) };
  }
  if (head.length >= 12 && ascii(head, 4, 8) === "ftyp") {
    return { ...UNKNOWN, type: "video/mp4", ...movie(head, view) };
  }
  if (head.length >= 4 && view.getUint32(0) === 0x1a45dfa3) {
    return { ...UNKNOWN, type: "video/webm" };
  }
  return UNKNOWN;
}

/** A graphic control extension of a GIF: 21 F9 04, four bytes, 00. */
function isFrameStart(head: Uint8Array, at: number): boolean {
  return head[at] === 0x21 && head[at + 1] === 0xf9 && head[at + 2] === 0x04 && head[at + 7] === 0;
}

function jpegSize(view: DataView): Pick<Looks, "width" | "height"> {
  let at = 2;
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // Start-of-frame markers are C0 to CF without the three that define tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    at += 2 + view.getUint16(at + 2);
  }
  return { width: null, height: null };
}

function webpSize(head: Uint8Array, view: DataView): Pick<Looks, "width" | "height"> {
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

/** The boxes of an ISO base media file between two offsets, as far as the bytes reach. */
function* boxes(head: Uint8Array, view: DataView, from: number, to: number) {
  let at = from;
  while (at + 8 <= to) {
    const size = view.getUint32(at);
    const end = size === 0 ? to : at + size;
    if (size !== 0 && size < 8) {
      return;
    }
    yield { type: ascii(head, at + 4, at + 8), from: at + 8, to: Math.min(end, to), whole: end <= to };
    at = end;
  }
}

function movie(head: Uint8Array, view: DataView): Pick<Looks, "width" | "height" | "durationSeconds"> {
  const found: { width: number | null; height: number | null; durationSeconds: number | null } = {
    width: null,
    height: null,
    durationSeconds: null,
  };
  const moov = boxes(head, view, 0, head.length).find((box) => box.type === "moov");
  for (const box of moov ? boxes(head, view, moov.from, moov.to) : []) {
    if (box.type === "mvhd" && box.whole) {
      const long = view.getUint8(box.from) === 1;
      const scale = view.getUint32(box.from + (long ? 20 : 12));
      const ticks = long ? Number(view.getBigUint64(box.from + 24)) : view.getUint32(box.from + 16);
      found.durationSeconds = scale > 0 ? ticks / scale : null;
    }
    const track =
      box.type === "trak" ? boxes(head, view, box.from, box.to).find((one) => one.type === "tkhd") : undefined;
    if (track?.whole) {
      const width = view.getUint32(track.to - 8) >>> 16;
      if (width > 0) {
        found.width = width;
        found.height = view.getUint32(track.to - 4) >>> 16;
      }
    }
  }
  return found;
}
