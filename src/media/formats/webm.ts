import type { Inspection, MediaFacts } from "#media/types.ts";
import { asciiAt, type ByteReader, bytesOf, malformed, MediaFormatError, truncated } from "./byte-reader.ts";

const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  codecId: 0x86,
  defaultDuration: 0x23e383,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  displayUnit: 0x54b2,
  audio: 0xe1,
  channels: 0x9f,
  samplingFrequency: 0xb5,
  contentEncodings: 0x6d80,
  contentEncryption: 0x5035,
  cluster: 0x1f43b675,
} as const;

const CODECS: Readonly<Record<string, string>> = {
  V_VP8: "vp8",
  V_VP9: "vp9",
  V_AV1: "av1",
  A_OPUS: "opus",
  A_VORBIS: "vorbis",
};

const MAX_ELEMENTS = 4096;
const MAX_TEXT_BYTES = 64;
const NANOS_PER_MS = 1_000_000;

interface Element {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  /** True if the size of the element is unknown, as in live recordings. */
  readonly openEnded: boolean;
}

/** Reads the header of a WebM element: an id of one to four bytes, and a size of one to eight. */
async function elementAt(reader: ByteReader, offset: number, parentEnd: number): Promise<Element> {
  const head = await reader.view(offset, Math.min(12, reader.size - offset));
  const idBytes = Math.clz32(head.getUint8(0)) - 23;
  if (idBytes > 4 || head.byteLength < idBytes + 1) {
    malformed("a part of the WebM has no valid id");
  }
  let id = 0;
  for (let index = 0; index < idBytes; index += 1) {
    id = id * 256 + head.getUint8(index);
  }
  const first = head.getUint8(idBytes);
  const sizeBytes = Math.clz32(first) - 23;
  if (sizeBytes > 8 || head.byteLength < idBytes + sizeBytes) {
    malformed("a part of the WebM has no valid size");
  }
  let size = first & (0xff >> sizeBytes);
  let openEnded = size === 0xff >> sizeBytes;
  for (let index = 1; index < sizeBytes; index += 1) {
    const byte = head.getUint8(idBytes + index);
    openEnded &&= byte === 0xff;
    size = size * 256 + byte;
  }
  const start = offset + idBytes + sizeBytes;
  const end = openEnded ? parentEnd : start + size;
  if (end > parentEnd) {
    if (parentEnd === reader.size) {
      truncated(`a part of the WebM should end at byte ${end}, the file ends at ${parentEnd}`);
    }
    malformed("a part of the WebM is larger than the part that contains it");
  }
  return { id, start, end, openEnded };
}

async function* elements(reader: ByteReader, from: number, to: number): AsyncGenerator<Element> {
  let offset = from;
  for (let count = 0; offset < to; count += 1) {
    reader.step();
    if (count > MAX_ELEMENTS) {
      malformed("a part of the WebM has too many parts");
    }
    const element = await elementAt(reader, offset, to);
    yield element;
    offset = element.end;
  }
}

async function uintOf(reader: ByteReader, { start, end }: Element): Promise<number> {
  const view = await reader.view(start, Math.min(8, end - start));
  let value = 0;
  for (const byte of bytesOf(view)) {
    value = value * 256 + byte;
  }
  return value;
}

async function floatOf(reader: ByteReader, { start, end }: Element): Promise<number> {
  const bytes = end - start;
  if (bytes !== 4 && bytes !== 8) {
    return 0;
  }
  const view = await reader.view(start, bytes);
  const value = bytes === 4 ? view.getFloat32(0) : view.getFloat64(0);
  return Number.isFinite(value) ? value : 0;
}

async function textOf(reader: ByteReader, { start, end }: Element): Promise<string> {
  const view = await reader.view(start, Math.min(MAX_TEXT_BYTES, end - start));
  return asciiAt(view, 0, view.byteLength).replace(/\0+$/, "");
}

interface Track {
  type: number;
  codec: string;
  frameNanos: number;
  width: number;
  height: number;
  displayWidth: number;
  displayHeight: number;
  displayUnit: number;
  channels: number;
  sampleRate: number;
  encrypted: boolean;
}

async function readTrack(reader: ByteReader, entry: Element): Promise<Track> {
  const track: Track = {
    type: 0,
    codec: "",
    frameNanos: 0,
    width: 0,
    height: 0,
    displayWidth: 0,
    displayHeight: 0,
    displayUnit: 0,
    channels: 0,
    sampleRate: 0,
    encrypted: false,
  };
  const read = async (from: number, to: number): Promise<void> => {
    for await (const element of elements(reader, from, to)) {
      switch (element.id) {
        case ID.trackType:
          track.type = await uintOf(reader, element);
          break;
        case ID.codecId:
          track.codec = await textOf(reader, element);
          break;
        case ID.defaultDuration:
          track.frameNanos = await uintOf(reader, element);
          break;
        case ID.pixelWidth:
          track.width = await uintOf(reader, element);
          break;
        case ID.pixelHeight:
          track.height = await uintOf(reader, element);
          break;
        case ID.displayWidth:
          track.displayWidth = await uintOf(reader, element);
          break;
        case ID.displayHeight:
          track.displayHeight = await uintOf(reader, element);
          break;
        case ID.displayUnit:
          track.displayUnit = await uintOf(reader, element);
          break;
        case ID.channels:
          track.channels = await uintOf(reader, element);
          break;
        case ID.samplingFrequency:
          track.sampleRate = await floatOf(reader, element);
          break;
        case ID.contentEncryption:
          track.encrypted = true;
          break;
        default:
      }
    }
  };
  for await (const element of elements(reader, entry.start, entry.end)) {
    if (element.id === ID.video || element.id === ID.audio || element.id === ID.contentEncodings) {
      await read(element.start, element.end);
    }
  }
  await read(entry.start, entry.end);
  return track;
}

interface SegmentInfo {
  scaleNanos: number;
  duration: number;
  tracks: Track[];
  hasInfo: boolean;
  hasTracks: boolean;
  hasData: boolean;
  /** The offsets of elements by id, from the seek head. Some files have these elements after the media data. */
  readonly seekPositions: Map<number, number>;
}

async function readPart(reader: ByteReader, part: Element, segment: Element, segmentInfo: SegmentInfo): Promise<void> {
  if (part.id === ID.info) {
    segmentInfo.hasInfo = true;
    for await (const element of elements(reader, part.start, part.end)) {
      if (element.id === ID.timestampScale) {
        segmentInfo.scaleNanos = await uintOf(reader, element);
      } else if (element.id === ID.duration) {
        segmentInfo.duration = await floatOf(reader, element);
      }
    }
  } else if (part.id === ID.tracks) {
    segmentInfo.hasTracks = true;
    for await (const element of elements(reader, part.start, part.end)) {
      if (element.id === ID.trackEntry) {
        segmentInfo.tracks.push(await readTrack(reader, element));
      }
    }
  } else if (part.id === ID.seekHead) {
    for await (const seek of elements(reader, part.start, part.end)) {
      let id = 0;
      let position = 0;
      if (seek.id === ID.seek) {
        for await (const element of elements(reader, seek.start, seek.end)) {
          id = element.id === ID.seekId ? await uintOf(reader, element) : id;
          position = element.id === ID.seekPosition ? await uintOf(reader, element) : position;
        }
        segmentInfo.seekPositions.set(id, segment.start + position);
      }
    }
  }
}

async function readSegment(reader: ByteReader, segment: Element): Promise<SegmentInfo> {
  const segmentInfo: SegmentInfo = {
    scaleNanos: NANOS_PER_MS,
    duration: 0,
    tracks: [],
    hasInfo: false,
    hasTracks: false,
    hasData: false,
    seekPositions: new Map(),
  };
  for await (const part of elements(reader, segment.start, segment.end)) {
    segmentInfo.hasData ||= part.id === ID.cluster;
    if (segmentInfo.hasData) {
      break; // Any number of clusters may follow, and none of them is needed.
    }
    await readPart(reader, part, segment, segmentInfo);
  }
  for (const [id, isRead] of [
    [ID.info, segmentInfo.hasInfo],
    [ID.tracks, segmentInfo.hasTracks],
  ] as const) {
    const offset = segmentInfo.seekPositions.get(id);
    if (!isRead && offset !== undefined && offset < segment.end) {
      const part = await elementAt(reader, offset, segment.end);
      await (part.id === id ? readPart(reader, part, segment, segmentInfo) : null);
    }
  }
  return segmentInfo;
}

function factsOf(reader: ByteReader, segmentInfo: SegmentInfo, video: Track, durationMs: number | null): MediaFacts {
  const audio = segmentInfo.tracks.find((track) => track.type === 2);
  return {
    videoCodec: CODECS[video.codec] ?? video.codec,
    audioCodec: audio ? (CODECS[audio.codec] ?? audio.codec) : null,
    ...(audio && audio.channels > 0 && { audioChannels: audio.channels }),
    ...(audio && audio.sampleRate > 0 && { audioSampleRate: Math.round(audio.sampleRate) }),
    ...(video.frameNanos > 0 && { frameRate: Math.round(1e12 / video.frameNanos) / 1000 }),
    ...(durationMs !== null && { bitRate: Math.round((reader.size * 8000) / durationMs) }),
    rotation: 0,
  };
}

export async function inspectWebm(reader: ByteReader): Promise<Inspection> {
  const header = await elementAt(reader, 0, reader.size);
  let docType = "";
  for await (const element of elements(reader, header.start, header.end)) {
    docType = element.id === ID.docType ? await textOf(reader, element) : docType;
  }
  if (docType !== "webm") {
    throw new MediaFormatError(
      "media_type_unsupported",
      `the file is a Matroska video (${docType || "of no type"}); convert it to MP4 or WebM`,
    );
  }
  const segment = await elementAt(reader, header.end, reader.size);
  if (segment.id !== ID.segment) {
    malformed("the WebM contains no segment");
  }
  const segmentInfo = await readSegment(reader, segment);
  const video = segmentInfo.tracks.find((track) => track.type === 1);
  if (!video) {
    throw new MediaFormatError("media_type_unsupported", "the file has no video track; send a file with a video track");
  }
  if (video.encrypted) {
    throw new MediaFormatError("media_type_unsupported", "the video is copy-protected; send it without protection");
  }
  if (!segmentInfo.hasData) {
    truncated("the WebM ends before its media data");
  }
  if (video.width === 0 || video.height === 0) {
    malformed("the WebM does not state its dimensions");
  }
  const ms = (segmentInfo.duration * segmentInfo.scaleNanos) / NANOS_PER_MS;
  const durationMs = Number.isFinite(ms) && ms >= 1 && ms < Number.MAX_SAFE_INTEGER ? Math.round(ms) : null;
  const inPixels = video.displayUnit === 0 && video.displayWidth > 0 && video.displayHeight > 0;
  return {
    type: "video",
    contentType: "video/webm",
    width: inPixels ? video.displayWidth : video.width,
    height: inPixels ? video.displayHeight : video.height,
    durationMs,
    facts: factsOf(reader, segmentInfo, video, durationMs),
  };
}
