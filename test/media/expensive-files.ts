import { concatBytes, repeatBytes, uint32 } from "./bytes.ts";

/*
 * Files made to cost as much as their format allows: many small parts, parts that are read closely, parts far apart, ends
 * that have to be looked for. As large as an import takes them, videos up to where nothing is read any more.
 */

const MIB = 1024 ** 2;
const IMAGE_BYTES = 31 * MIB;
const VIDEO_BYTES = 48 * MIB;

type Bytes = Uint8Array<ArrayBuffer>;
export type SampleOf = (name: "photo.jpg" | "photo.png" | "still.gif" | "moov-first.mp4" | "vp9.webm") => Bytes;

export interface ExpensiveFile {
  readonly format: "jpeg" | "png" | "gif" | "webp" | "mp4" | "webm";
  readonly name: string;
  readonly make: (sample: SampleOf) => Bytes;
}

/** A TIFF block with as many entries as are looked at, none of which is the orientation. */
const TIFF = concatBytes("II*\0", Uint8Array.of(8, 0, 0, 0, 0, 1), new Uint8Array(256 * 12));

/** What a ZIP archive ends in, again and again, never where it would have to stand. */
const ALMOST_ARCHIVE = repeatBytes([0x50, 0x4b, 5, 6], 65_556);

// JPEG: marker, length, payload.
const SOI = Uint8Array.of(0xff, 0xd8);
const segment = (marker: number, payload: Bytes) =>
  concatBytes(Uint8Array.of(0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 255), payload);
const FRAME = segment(0xc0, Uint8Array.of(8, 0, 9, 0, 9, 1, 1, 0x11, 0));
const SCAN = segment(0xda, Uint8Array.of(1, 1, 0, 0, 63, 0));
const EXIF = segment(0xe1, concatBytes("Exif\0\0", TIFF));

// PNG: length, name, payload, checksum.
const chunk = (name: string, payload: Uint8Array = new Uint8Array()) =>
  concatBytes(uint32(payload.length), name, payload, new Uint8Array(4));
const pngWith = (sample: SampleOf, chunks: Bytes) => {
  const png = sample("photo.png");
  return concatBytes(png.subarray(0, 33), chunks, png.subarray(33));
};

// ISO boxes: size, name, payload.
const box = (name: string, ...payload: readonly (Uint8Array | string)[]) => {
  const inside = concatBytes(...payload);
  return concatBytes(uint32(inside.length + 8), name, inside);
};
const longBox = (name: string) => concatBytes(uint32(1), name, new Uint8Array(7), Uint8Array.of(16));
const FULL = new Uint8Array(4);
const ESDS = box("esds", FULL, Uint8Array.of(...Array.from({ length: 60 }, (_, at) => (at % 2 ? 0x80 : 5))));
const SOUND_ENTRY = box("mp4a", new Uint8Array(28), ESDS);
const TRACK = box(
  "trak",
  box("tkhd", new Uint8Array(84)),
  box("edts", box("elst", new Uint8Array(16))),
  box(
    "mdia",
    box("mdhd", new Uint8Array(20)),
    box("hdlr", new Uint8Array(8), "soun"),
    box("minf", box("stbl", box("stsd", FULL, uint32(1), SOUND_ENTRY), box("stsz", new Uint8Array(12)))),
  ),
);
const mp4With = (sample: SampleOf, ...boxes: readonly Uint8Array[]) =>
  concatBytes(sample("moov-first.mp4").subarray(0, 32), ...boxes);

// EBML: name, size, payload.
const element = (id: number, ...payload: readonly Uint8Array[]) => {
  const inside = concatBytes(...payload);
  const name = uint32(id).subarray(Math.clz32(id) >> 3);
  const size = uint32(inside.length);
  size[0] = 0x10;
  return concatBytes(name, size, inside);
};
const SEGMENT_OPEN = Uint8Array.of(0x18, 0x53, 0x80, 0x67, 0xff);
const NUMBER = new Uint8Array(8).fill(1);
const webmWith = (sample: SampleOf, ...parts: readonly Uint8Array[]) =>
  concatBytes(sample("vp9.webm").subarray(0, 36), SEGMENT_OPEN, ...parts);
const VIDEO_TRACK = element(
  0xae,
  element(0xe0, element(0xb0, NUMBER), element(0xba, NUMBER), element(0x54b0, NUMBER), element(0x54ba, NUMBER)),
  element(0xe1, element(0x9f, NUMBER), element(0xb5, NUMBER)),
  element(0x83, NUMBER),
  element(0x86, new Uint8Array(64).fill(0x41)),
);

export const EXPENSIVE_FILES: readonly ExpensiveFile[] = [
  { format: "jpeg", name: "fill bytes", make: () => concatBytes(SOI, new Uint8Array(IMAGE_BYTES).fill(0xff)) },
  { format: "jpeg", name: "empty segments", make: () => concatBytes(SOI, repeatBytes([0xff, 0xe0, 0, 2], 8 * MIB)) },
  {
    format: "jpeg",
    name: "markers that stand alone",
    make: () => concatBytes(SOI, SOI, repeatBytes([0xff, 1], 8 * MIB)),
  },
  { format: "jpeg", name: "frames", make: () => concatBytes(SOI, repeatBytes(FRAME, 8 * MIB)) },
  { format: "jpeg", name: "EXIF blocks", make: () => concatBytes(SOI, repeatBytes(EXIF, IMAGE_BYTES)) },
  {
    format: "jpeg",
    name: "EXIF blocks larger than what is read at once",
    make: () =>
      concatBytes(SOI, repeatBytes(segment(0xe1, concatBytes("Exif\0\0", TIFF, new Uint8Array(62_000))), IMAGE_BYTES)),
  },
  {
    format: "jpeg",
    name: "no end",
    make: (sample) => concatBytes(sample("photo.jpg").subarray(0, 900), new Uint8Array(IMAGE_BYTES).fill(0xd9)),
  },
  {
    format: "jpeg",
    name: "segments, then no end",
    make: () =>
      concatBytes(SOI, repeatBytes([0xff, 0xe0, 0, 2], 6000 * 4), FRAME, SCAN, new Uint8Array(IMAGE_BYTES).fill(0xd9)),
  },
  {
    format: "jpeg",
    name: "EXIF blocks, then an end far in front of the end, then almost an archive",
    make: () =>
      concatBytes(
        SOI,
        repeatBytes(EXIF, 12 * MIB),
        FRAME,
        SCAN,
        Uint8Array.of(0xff, 0xd9),
        new Uint8Array(18 * MIB).fill(0xd9),
        ALMOST_ARCHIVE,
      ),
  },
  { format: "png", name: "empty chunks", make: (sample) => pngWith(sample, repeatBytes(chunk("tEXt"), 12 * MIB)) },
  {
    format: "png",
    name: "as many chunks as a file may have, then a picture",
    make: (sample) => pngWith(sample, repeatBytes(chunk("tEXt"), 12 * 6000)),
  },
  {
    format: "png",
    name: "frame counts",
    make: (sample) => pngWith(sample, repeatBytes(chunk("acTL", new Uint8Array(8)), 12 * MIB)),
  },
  {
    format: "png",
    name: "EXIF chunks",
    make: (sample) => pngWith(sample, repeatBytes(chunk("eXIf", TIFF), IMAGE_BYTES)),
  },
  {
    format: "png",
    name: "chunks far apart",
    make: (sample) => pngWith(sample, repeatBytes(chunk("tEXt", new Uint8Array(65_530)), IMAGE_BYTES)),
  },
  {
    format: "gif",
    name: "empty extensions",
    make: (sample) => concatBytes(sample("still.gif").subarray(0, 781), repeatBytes([0x21, 1, 0], 15 * MIB)),
  },
  {
    format: "gif",
    name: "one-byte sub-blocks",
    make: (sample) =>
      concatBytes(sample("still.gif").subarray(0, 781), Uint8Array.of(0x21, 1), repeatBytes([1, 9], IMAGE_BYTES)),
  },
  {
    format: "gif",
    name: "a million sub-blocks of a picture",
    make: (sample) =>
      concatBytes(
        sample("still.gif").subarray(0, 781),
        Uint8Array.of(0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0, 8),
        repeatBytes(concatBytes(Uint8Array.of(30), new Uint8Array(30)), IMAGE_BYTES),
      ),
  },
  {
    format: "gif",
    name: "full sub-blocks to the last byte",
    make: (sample) =>
      concatBytes(
        sample("still.gif").subarray(0, 781),
        Uint8Array.of(0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0, 8),
        repeatBytes(concatBytes(Uint8Array.of(255), new Uint8Array(255)), IMAGE_BYTES),
        Uint8Array.of(0, 0x3b),
      ),
  },
  {
    format: "gif",
    name: "frames of nothing",
    make: (sample) =>
      concatBytes(
        sample("still.gif").subarray(0, 781),
        repeatBytes([0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0, 8, 0], 15 * MIB),
        Uint8Array.of(0x3b),
      ),
  },
  {
    format: "gif",
    name: "pauses",
    make: (sample) =>
      concatBytes(
        sample("still.gif").subarray(0, 781),
        repeatBytes([0x21, 0xf9, 4, 0, 1, 0, 0, 0], 15 * MIB),
        Uint8Array.of(0x3b),
      ),
  },
  {
    format: "webp",
    name: "EXIF behind chunks",
    make: () => {
      const inside = concatBytes(
        "WEBPVP8X",
        Uint8Array.of(10, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 9, 0, 0),
        ...Array.from({ length: 30 }, () => concatBytes("ALPH", Uint8Array.of(0, 0, 16, 0), new Uint8Array(MIB))),
        "EXIF",
        Uint8Array.of(TIFF.length & 255, TIFF.length >> 8, 0, 0),
        TIFF,
        ALMOST_ARCHIVE,
      );
      const size = uint32(inside.length).toReversed();
      return concatBytes("RIFF", size, inside);
    },
  },
  { format: "mp4", name: "empty boxes", make: (sample) => mp4With(sample, repeatBytes(box("free"), 8 * MIB)) },
  {
    format: "mp4",
    name: "boxes of long size",
    make: (sample) => mp4With(sample, repeatBytes(longBox("free"), 8 * MIB)),
  },
  {
    format: "mp4",
    name: "boxes of no size",
    make: (sample) => mp4With(sample, repeatBytes([0, 0, 0, 0, 0x66, 0x72, 0x65, 0x65], 8 * MIB)),
  },
  {
    format: "mp4",
    name: "boxes far apart",
    make: (sample) => mp4With(sample, repeatBytes(box("free", new Uint8Array(65_544)), VIDEO_BYTES)),
  },
  {
    format: "mp4",
    name: "an index of empty boxes",
    make: (sample) => mp4With(sample, box("moov", repeatBytes(box("free"), 8 * MIB))),
  },
  {
    format: "mp4",
    name: "an index of durations",
    make: (sample) => mp4With(sample, box("moov", repeatBytes(box("mvhd", new Uint8Array(20)), 8 * MIB))),
  },
  {
    format: "mp4",
    name: "an index of whole tracks",
    make: (sample) => mp4With(sample, box("moov", repeatBytes(TRACK, VIDEO_BYTES))),
  },
  {
    format: "mp4",
    name: "tracks far apart",
    make: (sample) =>
      mp4With(sample, box("moov", repeatBytes(concatBytes(TRACK, box("free", new Uint8Array(64_000))), VIDEO_BYTES))),
  },
  {
    format: "mp4",
    name: "a track of headers",
    make: (sample) => mp4With(sample, box("moov", box("trak", repeatBytes(box("tkhd", new Uint8Array(84)), 8 * MIB)))),
  },
  {
    format: "mp4",
    name: "a track of edit lists",
    make: (sample) =>
      mp4With(sample, box("moov", box("trak", box("edts", repeatBytes(box("elst", new Uint8Array(16)), 8 * MIB))))),
  },
  {
    format: "mp4",
    name: "a table of sound descriptions",
    make: (sample) =>
      mp4With(
        sample,
        box(
          "moov",
          box(
            "trak",
            box(
              "mdia",
              box("hdlr", new Uint8Array(8), "soun"),
              box("minf", box("stbl", repeatBytes(box("stsd", FULL, uint32(1), SOUND_ENTRY), 8 * MIB))),
            ),
          ),
        ),
      ),
  },
  {
    format: "mp4",
    name: "extensions of fragments",
    make: (sample) => mp4With(sample, box("moov", box("mvex", repeatBytes(box("mehd", new Uint8Array(8)), 8 * MIB)))),
  },
  {
    format: "webm",
    name: "empty elements",
    make: (sample) => webmWith(sample, repeatBytes([0xec, 0x80], 8 * MIB)),
  },
  {
    format: "webm",
    name: "a beginning of names",
    make: () =>
      concatBytes(
        element(0x1a45dfa3, repeatBytes(element(0x4282, new Uint8Array(64).fill(0x77)), 8 * MIB)),
        SEGMENT_OPEN,
      ),
  },
  {
    format: "webm",
    name: "whole tracks",
    make: (sample) => webmWith(sample, element(0x1654ae6b, repeatBytes(VIDEO_TRACK, 12 * MIB))),
  },
  {
    format: "webm",
    name: "a track of names",
    make: (sample) =>
      webmWith(
        sample,
        element(0x1654ae6b, element(0xae, repeatBytes(element(0x86, new Uint8Array(64).fill(0x41)), 8 * MIB))),
      ),
  },
  {
    format: "webm",
    name: "a track of pictures",
    make: (sample) =>
      webmWith(sample, element(0x1654ae6b, element(0xae, repeatBytes(element(0xe0, element(0xb0, NUMBER)), 8 * MIB)))),
  },
  {
    format: "webm",
    name: "elements in elements",
    make: (sample) => {
      let inside: Bytes = element(0xb0, NUMBER);
      for (let depth = 0; depth < 20_000; depth += 1) {
        inside = depth % 2 === 0 ? element(0xae, inside) : element(0xe0, inside);
        if (inside.length > MIB / 8) {
          break;
        }
      }
      return webmWith(sample, element(0x1654ae6b, repeatBytes(inside, 8 * MIB)));
    },
  },
  {
    format: "webm",
    name: "where its parts are, again and again",
    make: (sample) =>
      webmWith(
        sample,
        element(0x114d9b74, repeatBytes(element(0x4dbb, element(0x53ab, NUMBER), element(0x53ac, NUMBER)), 8 * MIB)),
      ),
  },
];
