import { type Box, boxes, readDuration, toMs } from "./isobmff-boxes.ts";
import { asciiAt, type ByteReader, truncated } from "./byte-reader.ts";

export interface Track {
  kind: "video" | "audio" | "other";
  codec: string | null;
  /** Whether the track contains only a still image, the cover. */
  isCoverImage: boolean;
  isProtected: boolean;
  /** The width in display pixels, from the track's header; 0 if the header has none. */
  width: number;
  height: number;
  rotation: number;
  durationMs: number | null;
  samples: number;
  editList: boolean;
  channels?: number;
  sampleRate?: number;
}

const CODECS: Readonly<Record<string, string>> = {
  avc1: "h264",
  avc2: "h264",
  avc3: "h264",
  hvc1: "hevc",
  hev1: "hevc",
  dvh1: "hevc",
  dvhe: "hevc",
  av01: "av1",
  vp08: "vp8",
  vp09: "vp9",
  mp4v: "mpeg4",
  apch: "prores",
  apcn: "prores",
  apcs: "prores",
  apco: "prores",
  ap4h: "prores",
  ap4x: "prores",
  jpeg: "mjpeg",
  mjpa: "mjpeg",
  mjpb: "mjpeg",
  mp4a: "aac",
  ".mp3": "mp3",
  Opus: "opus",
  "ac-3": "ac3",
  "ec-3": "eac3",
  alac: "alac",
  fLaC: "flac",
  sowt: "pcm",
  twos: "pcm",
  lpcm: "pcm",
  ipcm: "pcm",
  in24: "pcm",
  "raw ": "pcm",
};

/** Audio codecs by the MPEG-4 object type of an `mp4a` entry. */
const MP4A_CODECS: Readonly<Record<number, string>> = {
  0x69: "mp3",
  0x6b: "mp3",
  0xa5: "ac3",
  0xa6: "eac3",
  0xad: "opus",
  0xdd: "vorbis",
};

async function readTrackHeader(reader: ByteReader, box: Box, track: Track): Promise<void> {
  const version = (await reader.view(box.start, 1)).getUint8(0);
  const shift = version === 1 ? 12 : 0;
  const view = await reader.view(box.start, 84 + shift);
  const a = view.getInt32(40 + shift);
  const b = view.getInt32(44 + shift);
  // Round the rotation to the nearest quarter turn, because some programs write matrices with rounding errors.
  const isSideways = Math.abs(b) > Math.abs(a);
  track.rotation = isSideways ? (b > 0 ? 90 : 270) : a < 0 ? 180 : 0;
  track.width = Math.round(view.getUint32(76 + shift) / 65_536);
  track.height = Math.round(view.getUint32(80 + shift) / 65_536);
}

async function readEditList(reader: ByteReader, edts: Box, track: Track): Promise<void> {
  for await (const box of boxes(reader, edts.start, edts.end)) {
    if (box.name === "elst" && box.end - box.start >= 16) {
      const view = await reader.view(box.start, 16);
      const mediaTimeIsZero = view.getUint8(0) === 0 && view.getInt32(12) === 0;
      track.editList = view.getUint32(4) > 1 || !mediaTimeIsZero;
    }
  }
}

/** The codec of an `mp4a` entry: AAC, unless its descriptor names another object type. */
async function readMp4aCodec(reader: ByteReader, from: number, to: number): Promise<string> {
  for await (const box of boxes(reader, from, to)) {
    if (box.name !== "esds") {
      continue;
    }
    const view = await reader.view(box.start, Math.min(64, box.end - box.start));
    for (let offset = 4; offset + 1 < view.byteLength;) {
      const tag = view.getUint8(offset);
      offset += 1;
      while (offset < view.byteLength && view.getUint8(offset) & 0x80) {
        offset += 1;
      }
      offset += 1;
      if (tag === 4 && offset < view.byteLength) {
        return MP4A_CODECS[view.getUint8(offset)] ?? "aac";
      }
      offset += tag === 3 ? 3 : 1;
    }
  }
  return "aac";
}

/** Reads the first sample entry of a track. The others have the same codec. */
async function readSampleEntry(reader: ByteReader, stsd: Box, track: Track): Promise<void> {
  const offset = stsd.start + 8;
  if (offset + 16 > stsd.end) {
    return;
  }
  const head = await reader.view(offset, 16);
  const name = asciiAt(head, 4, 4);
  track.codec = CODECS[name] ?? name.replaceAll(/[^\x20-\x7e]/g, "?").trim();
  track.isProtected = name === "encv" || name === "drmi";
  if (offset + 36 > stsd.end) {
    return;
  }
  const entry = await reader.view(offset, 36);
  if (track.kind === "video") {
    track.isCoverImage = name === "jpeg" || name === "png ";
    track.width ||= entry.getUint16(32);
    track.height ||= entry.getUint16(34);
  } else {
    track.channels = entry.getUint16(24);
    track.sampleRate = entry.getUint16(32);
    if (name === "mp4a" && entry.getUint16(16) === 0) {
      track.codec = await readMp4aCodec(reader, offset + 36, Math.min(stsd.end, offset + head.getUint32(0)));
    }
  }
}

async function readSampleTable(reader: ByteReader, stbl: Box, track: Track): Promise<void> {
  for await (const box of boxes(reader, stbl.start, stbl.end)) {
    if (box.name === "stsd" && track.kind !== "other") {
      await readSampleEntry(reader, box, track);
    } else if ((box.name === "stsz" || box.name === "stz2") && box.end - box.start >= 12) {
      const view = await reader.view(box.start, 12);
      track.samples = view.getUint32(8);
      if (box.name === "stsz" && view.getUint32(4) === 0 && track.samples * 4 > box.end - box.start - 12) {
        truncated("the index of the video declares more frames than it lists");
      }
    }
  }
}

async function readMedia(reader: ByteReader, mdia: Box, track: Track): Promise<void> {
  for await (const box of boxes(reader, mdia.start, mdia.end)) {
    if (box.name === "mdhd") {
      const { timescale, duration } = await readDuration(reader, box);
      track.durationMs = toMs(duration, timescale);
    } else if (box.name === "hdlr") {
      const handler = asciiAt(await reader.view(box.start, 12), 8, 4);
      track.kind = handler === "vide" ? "video" : handler === "soun" ? "audio" : "other";
    } else if (box.name === "minf") {
      for await (const part of boxes(reader, box.start, box.end)) {
        if (part.name === "stbl") {
          await readSampleTable(reader, part, track);
        }
      }
    }
  }
}

/**
 * Reads a track (`trak` box). The kind of the track precedes its sample table, so it is known when the codec is read.
 */
export async function readTrack(reader: ByteReader, trak: Box): Promise<Track> {
  const track: Track = {
    kind: "other",
    codec: null,
    isCoverImage: false,
    isProtected: false,
    width: 0,
    height: 0,
    rotation: 0,
    durationMs: null,
    samples: 0,
    editList: false,
  };
  for await (const box of boxes(reader, trak.start, trak.end)) {
    if (box.name === "tkhd") {
      await readTrackHeader(reader, box, track);
    } else if (box.name === "edts") {
      await readEditList(reader, box, track);
    } else if (box.name === "mdia") {
      await readMedia(reader, box, track);
    }
  }
  track.isCoverImage &&= track.samples <= 1;
  return track;
}
