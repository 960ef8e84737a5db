import { concatBytes, repeatBytes, uint32 } from "./bytes.ts";

/*
 * Files made to be as expensive to inspect as their format allows: many small parts, parts that are parsed in detail, parts far
 * apart, end markers that have to be searched. As large as an import accepts; videos up to the size where reading stops.
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

/** A TIFF block with as many entries as are read, none of which is the orientation. */
const TIFF_BLOCK = concatBytes("II*\0", Uint8Array.of(8, 0, 0, 0, 0, 1), new Uint8Array(256 * 12));

/** The signature of a ZIP archive's last record, repeated, but never at the right position. */
const ALMOST_ZIP = repeatBytes([0x50, 0x4b, 5, 6], 65_556);

// JPEG: marker, length, payload.
const SOI = Uint8Array.of(0xff, 0xd8);
const segment = (marker: number, payload: Bytes) =>
  concatBytes(Uint8Array.of(0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 255), payload);
const FRAME = segment(0xc0, Uint8Array.of(8, 0, 9, 0, 9, 1, 1, 0x11, 0));
const SCAN = segment(0xda, Uint8Array.of(1, 1, 0, 0, 63, 0));
const EXIF = segment(0xe1, concatBytes("Exif\0\0", TIFF_BLOCK));

// PNG: length, name, payload, checksum.
const chunk = (name: string, payload: Uint8Array = new Uint8Array()) =>
  concatBytes(uint32(payload.length), name, payload, new Uint8Array(4));
const pngWith = (sample: SampleOf, chunks: Bytes) => {
  const png = sample("photo.png");
  return concatBytes(png.subarray(0, 33), chunks, png.subarray(33));
};

// ISO boxes: size, name, payload.
const box = (name: string, ...payload: readonly (Uint8Array | string)[]) => {
  const content = concatBytes(...payload);
  return concatBytes(uint32(content.length + 8), name, content);
};
const longBox = (name: string) => concatBytes(uint32(1), name, new Uint8Array(7), Uint8Array.of(16));
const FULL_BOX_HEADER = new Uint8Array(4);
const ESDS = box("esds", FULL_BOX_HEADER, Uint8Array.of(...Array.from({ length: 60 }, (_, at) => (at % 2 ? 0x80 : 5))));
const AUDIO_SAMPLE_ENTRY = box("mp4a", new Uint8Array(28), ESDS);
const TRACK = box(
  "trak",
  box("tkhd", new Uint8Array(84)),
  box("edts", box("elst", new Uint8Array(16))),
  box(
    "mdia",
    box("mdhd", new Uint8Array(20)),
    box("hdlr", new Uint8Array(8), "soun"),
    box(
      "minf",
      box("stbl", box("stsd", FULL_BOX_HEADER, uint32(1), AUDIO_SAMPLE_ENTRY), box("stsz", new Uint8Array(12))),
    ),
  ),
);
const mp4With = (sample: SampleOf, ...boxes: readonly Uint8Array[]) =>
  concatBytes(sample("moov-first.mp4").subarray(0, 32), ...boxes);

// EBML: name, size, payload.
const element = (id: number, ...payload: readonly Uint8Array[]) => {
  const content = concatBytes(...payload);
  const name = uint32(id).subarray(Math.clz32(id) >> 3);
  const size = uint32(content.length);
  size[0] = 0x10;
  return concatBytes(name, size, content);
};
const SEGMENT_OPEN = Uint8Array.of(0x18, 0x53, 0x80, 0x67, 0xff);
const NUMBER_PAYLOAD = new Uint8Array(8).fill(1);
const webmWith = (sample: SampleOf, ...parts: readonly Uint8Array[]) =>
  concatBytes(sample("vp9.webm").subarray(0, 36), SEGMENT_OPEN, ...parts);
const VIDEO_TRACK = element(
  0xae,
  element(
    0xe0,
    element(0xb0, NUMBER_PAYLOAD),
    element(0xba, NUMBER_PAYLOAD),
    element(0x54b0, NUMBER_PAYLOAD),
    element(0x54ba, NUMBER_PAYLOAD),
  ),
  element(0xe1, element(0x9f, NUMBER_PAYLOAD), element(0xb5, NUMBER_PAYLOAD)),
  element(0x83, NUMBER_PAYLOAD),
  element(0x86, new Uint8Array(64).fill(0x41)),
);

export const EXPENSIVE_FILES: readonly ExpensiveFile[] = [
  { format: "jpeg", name: "fill bytes", make: () => concatBytes(SOI, new Uint8Array(IMAGE_BYTES).fill(0xff)) },
  { format: "jpeg", name: "empty segments", make: () => concatBytes(SOI, repeatBytes([0xff, 0xe0, 0, 2], 8 * MIB)) },
  {
    format: "jpeg",
    name: "markers without payload",
    make: () => concatBytes(SOI, SOI, repeatBytes([0xff, 1], 8 * MIB)),
  },
  { format: "jpeg", name: "frames", make: () => concatBytes(SOI, repeatBytes(FRAME, 8 * MIB)) },
  { format: "jpeg", name: "EXIF blocks", make: () => concatBytes(SOI, repeatBytes(EXIF, IMAGE_BYTES)) },
  {
    format: "jpeg",
    name: "EXIF blocks larger than one read window",
    make: () =>
      concatBytes(
        SOI,
        repeatBytes(segment(0xe1, concatBytes("Exif\0\0", TIFF_BLOCK, new Uint8Array(62_000))), IMAGE_BYTES),
      ),
  },
  {
    format: "jpeg",
    name: "no end marker",
    make: (sample) => concatBytes(sample("photo.jpg").subarray(0, 900), new Uint8Array(IMAGE_BYTES).fill(0xd9)),
  },
  {
    format: "jpeg",
    name: "segments, then no end marker",
    make: () =>
      concatBytes(SOI, repeatBytes([0xff, 0xe0, 0, 2], 6000 * 4), FRAME, SCAN, new Uint8Array(IMAGE_BYTES).fill(0xd9)),
  },
  {
    format: "jpeg",
    name: "EXIF blocks, then an end marker far before the end, then an almost valid ZIP archive",
    make: () =>
      concatBytes(
        SOI,
        repeatBytes(EXIF, 12 * MIB),
        FRAME,
        SCAN,
        Uint8Array.of(0xff, 0xd9),
        new Uint8Array(18 * MIB).fill(0xd9),
        ALMOST_ZIP,
      ),
  },
  { format: "png", name: "empty chunks", make: (sample) => pngWith(sample, repeatBytes(chunk("tEXt"), 12 * MIB)) },
  {
    format: "png",
    name: "as many chunks as a file may have, then an image",
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
    make: (sample) => pngWith(sample, repeatBytes(chunk("eXIf", TIFF_BLOCK), IMAGE_BYTES)),
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
    name: "a million sub-blocks of an image",
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
    name: "empty frames",
    make: (sample) =>
      concatBytes(
        sample("still.gif").subarray(0, 781),
        repeatBytes([0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0, 8, 0], 15 * MIB),
        Uint8Array.of(0x3b),
      ),
  },
  {
    format: "gif",
    name: "frame delays",
    make: (sample) =>
      concatBytes(
        sample("still.gif").subarray(0, 781),
        repeatBytes([0x21, 0xf9, 4, 0, 1, 0, 0, 0], 15 * MIB),
        Uint8Array.of(0x3b),
      ),
  },
  {
    format: "webp",
    name: "EXIF after many chunks",
    make: () => {
      const content = concatBytes(
        "WEBPVP8X",
        Uint8Array.of(10, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 9, 0, 0),
        ...Array.from({ length: 30 }, () => concatBytes("ALPH", Uint8Array.of(0, 0, 16, 0), new Uint8Array(MIB))),
        "EXIF",
        Uint8Array.of(TIFF_BLOCK.length & 255, TIFF_BLOCK.length >> 8, 0, 0),
        TIFF_BLOCK,
        ALMOST_ZIP,
      );
      const size = uint32(content.length).toReversed();
      return concatBytes("RIFF", size, content);
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
    name: "a table of audio descriptions",
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
              box(
                "minf",
                box("stbl", repeatBytes(box("stsd", FULL_BOX_HEADER, uint32(1), AUDIO_SAMPLE_ENTRY), 8 * MIB)),
              ),
            ),
          ),
        ),
      ),
  },
  {
    format: "mp4",
    name: "fragment extensions",
    make: (sample) => mp4With(sample, box("moov", box("mvex", repeatBytes(box("mehd", new Uint8Array(8)), 8 * MIB)))),
  },
  {
    format: "webm",
    name: "empty elements",
    make: (sample) => webmWith(sample, repeatBytes([0xec, 0x80], 8 * MIB)),
  },
  {
    format: "webm",
    name: "a header of type names",
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
    name: "a track of video settings",
    make: (sample) =>
      webmWith(
        sample,
        element(0x1654ae6b, element(0xae, repeatBytes(element(0xe0, element(0xb0, NUMBER_PAYLOAD)), 8 * MIB))),
      ),
  },
  {
    format: "webm",
    name: "nested elements",
    make: (sample) => {
      let nested: Bytes = element(0xb0, NUMBER_PAYLOAD);
      for (let depth = 0; depth < 20_000; depth += 1) {
        nested = depth % 2 === 0 ? element(0xae, nested) : element(0xe0, nested);
        if (nested.length > MIB / 8) {
          break;
        }
      }
      return webmWith(sample, element(0x1654ae6b, repeatBytes(nested, 8 * MIB)));
    },
  },
  {
    format: "webm",
    name: "a seek head of many entries",
    make: (sample) =>
      webmWith(
        sample,
        element(
          0x114d9b74,
          repeatBytes(element(0x4dbb, element(0x53ab, NUMBER_PAYLOAD), element(0x53ac, NUMBER_PAYLOAD)), 8 * MIB),
        ),
      ),
  },
];
