import { inspectMedia } from "#sandbox/inspect-media.ts";

/* The real type of an uploaded file, read from its bytes (docs/platforms/facts/mastodon.md part 3 and 6.11). */

export interface MediaFile {
  readonly kind: "image" | "gifv" | "video" | "audio";
  readonly mimeType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly frameRate: number | null;
  readonly hasVideoStream: boolean;
}

const INDEX_MAX_BYTES = 8 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

const IMAGE_BRANDS = new Map([
  ["avif", "image/avif"],
  ["avis", "image/avif"],
  ["heic", "image/heic"],
  ["heix", "image/heic"],
  ["hevc", "image/heic"],
  ["mif1", "image/heif"],
  ["msf1", "image/heif"],
]);

function audioType(head: Uint8Array): string | null {
  const start = ascii(head, 0, 4);
  if (start.startsWith("ID3") || (head[0] === 0xff && ((head[1] ?? 0) & 0xe6) === 0xe2)) {
    return "audio/mpeg";
  }
  if (start === "fLaC") {
    return "audio/flac";
  }
  if (start === "OggS") {
    return "audio/ogg";
  }
  return start === "RIFF" && ascii(head, 8, 12) === "WAVE" ? "audio/wav" : null;
}

async function readBytes(file: Blob, from: number, to: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(from, to).arrayBuffer());
}

/** Reads the file type box and the index of an MP4, wherever in the file the index is. */
async function readIndex(file: Blob): Promise<Uint8Array | null> {
  let offset = 0;
  let typeBox = new Uint8Array();
  while (offset + 8 <= file.size) {
    const header = await readBytes(file, offset, offset + 16);
    const view = new DataView(header.buffer);
    const shortSize = view.getUint32(0);
    const size =
      shortSize === 0
        ? file.size - offset
        : shortSize === 1 && header.length === 16
          ? Number(view.getBigUint64(8))
          : shortSize;
    if (size < 8) {
      return null;
    }
    const type = ascii(header, 4, 8);
    if (type === "ftyp" && size <= HEAD_BYTES) {
      typeBox = new Uint8Array(await readBytes(file, offset, offset + size));
    }
    if (type === "moov") {
      const index = size <= INDEX_MAX_BYTES ? await readBytes(file, offset, offset + size) : new Uint8Array();
      const joined = new Uint8Array(typeBox.length + index.length);
      joined.set(typeBox);
      joined.set(index, typeBox.length);
      return joined;
    }
    offset += size;
  }
  return null;
}

/** The payloads of the boxes of this type between two offsets. */
function* boxesOf(bytes: Uint8Array, type: string, from = 0, to = bytes.length): Generator<readonly [number, number]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = from;
  while (offset + 8 <= to) {
    const size = view.getUint32(offset);
    if (size < 8) {
      return;
    }
    if (ascii(bytes, offset + 4, offset + 8) === type) {
      yield [offset + 8, Math.min(offset + size, to)];
    }
    offset += size;
  }
}

function firstBox(bytes: Uint8Array, path: readonly string[], from: number, to: number) {
  let range: readonly [number, number] | undefined = [from, to];
  for (const type of path) {
    range = range && boxesOf(bytes, type, ...range).next().value;
  }
  return range;
}

/** The frames per second of the video track, computed from its timescale and its table of sample durations. */
function videoFrameRate(index: Uint8Array): { hasVideoStream: boolean; frameRate: number | null } {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  for (const moov of boxesOf(index, "moov")) {
    for (const track of boxesOf(index, "trak", ...moov)) {
      const handler = firstBox(index, ["mdia", "hdlr"], ...track);
      if (!handler || ascii(index, handler[0] + 8, handler[0] + 12) !== "vide") {
        continue;
      }
      const mediaHeader = firstBox(index, ["mdia", "mdhd"], ...track);
      const durations = firstBox(index, ["mdia", "minf", "stbl", "stts"], ...track);
      if (!mediaHeader || !durations) {
        return { hasVideoStream: true, frameRate: null };
      }
      const timescale = view.getUint32(mediaHeader[0] + (view.getUint8(mediaHeader[0]) === 1 ? 20 : 12));
      let frames = 0;
      let ticks = 0;
      for (let offset = durations[0] + 8; offset + 8 <= durations[1]; offset += 8) {
        frames += view.getUint32(offset);
        ticks += view.getUint32(offset) * view.getUint32(offset + 4);
      }
      return { hasVideoStream: true, frameRate: ticks > 0 ? (frames * timescale) / ticks : null };
    }
  }
  return { hasVideoStream: false, frameRate: null };
}

/** Reads what a media file contains. Null if the bytes are not a media file. */
export async function inspectFile(file: Blob): Promise<MediaFile | null> {
  const head = await readBytes(file, 0, HEAD_BYTES);
  const info = inspectMedia(head);
  const still = { width: info.width, height: info.height, frameRate: null, hasVideoStream: false };
  switch (info.type) {
    case "unknown": {
      const mimeType = audioType(head);
      return mimeType === null ? null : { ...still, kind: "audio", mimeType };
    }
    case "video/webm":
      return { ...still, kind: "video", mimeType: info.type, hasVideoStream: true };
    case "video/mp4": {
      const brand = ascii(head, 8, 12);
      const imageType = IMAGE_BRANDS.get(brand);
      if (imageType !== undefined) {
        return { ...still, kind: "image", mimeType: imageType };
      }
      const index = await readIndex(file);
      const { width, height } = inspectMedia(index ?? head);
      const stream = index ? videoFrameRate(index) : { hasVideoStream: false, frameRate: null };
      if (brand === "M4A ") {
        return { ...still, kind: "audio", mimeType: "audio/mp4" };
      }
      return { kind: "video", mimeType: brand === "qt  " ? "video/quicktime" : "video/mp4", width, height, ...stream };
    }
    default:
      return { ...still, kind: info.animated ? "gifv" : "image", mimeType: info.type };
  }
}
