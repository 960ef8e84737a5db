import type { Platform } from "#core/platform.ts";
import { concatBytes } from "../media/bytes.ts";
import placeAvif from "../media/samples/place.avif.bin";
import cmyk from "../media/samples/cmyk.jpg.bin";
import p3 from "../media/samples/p3.jpg.bin";
import panorama from "../media/samples/panorama.jpg.bin";
import phone from "../media/samples/phone.jpg.bin";
import stillGif from "../media/samples/still.gif.bin";
import transparent from "../media/samples/transparent.png.bin";

/* The images that phones, cameras and programs make, and what becomes of each where it is alone in a post. */

type Bytes = Uint8Array<ArrayBuffer>;
const MB = 1_000_000;
const MIB = 1024 ** 2;
const bytesOf = (file: ArrayBuffer): Bytes => new Uint8Array(file.slice(0));

/** A JPEG segment, which belongs after the first two bytes. */
function withSegment(jpeg: Bytes, marker: number, content: Uint8Array): Bytes {
  const length = content.length + 2;
  const head = new Uint8Array([0xff, marker, length >> 8, length & 0xff]);
  return concatBytes(jpeg.subarray(0, 2), head, content, jpeg.subarray(2));
}

/** The same picture as a file of `size` bytes. */
function ofSize(jpeg: Bytes, size: number): Bytes {
  return concatBytes(jpeg, new Uint8Array(size - jpeg.length));
}

function withOrientation(jpeg: Bytes, orientation: number): Bytes {
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  return withSegment(jpeg, 0xe1, new Uint8Array([...new TextEncoder().encode("Exif"), 0, 0, ...tiff]));
}

interface CorpusImage {
  readonly filename: string;
  make(): Bytes;
}

const jpg = (name: string, make: () => Bytes): CorpusImage => ({ filename: `${name.replaceAll(" ", "-")}.jpg`, make });
const p3Bytes = () => bytesOf(p3);

export const TURNS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

export const IMAGES: Readonly<Record<string, CorpusImage>> = {
  phone: jpg("phone", () => bytesOf(phone)),
  panorama: jpg("panorama", () => bytesOf(panorama)),
  transparent: { filename: "transparent.png", make: () => bytesOf(transparent) },
  p3: jpg("p3", p3Bytes),
  cmyk: jpg("cmyk", () => bytesOf(cmyk)),
  gif: { filename: "still.gif", make: () => bytesOf(stillGif) },
  avif: { filename: "sea.avif", make: () => bytesOf(placeAvif) },
  "9 MB": jpg("9 MB", () => ofSize(p3Bytes(), 9 * MB)),
  "19 MB": jpg("19 MB", () => ofSize(p3Bytes(), 19 * MB)),
  "21 MB": jpg("21 MB", () => ofSize(p3Bytes(), 21 * MB)),
  ...Object.fromEntries(
    TURNS.flatMap((turn) => [
      [`turned ${turn}`, jpg(`turned ${turn}`, () => withOrientation(p3Bytes(), turn))],
      [`9 MB turned ${turn}`, jpg(`9 MB turned ${turn}`, () => ofSize(withOrientation(p3Bytes(), turn), 9 * MB))],
    ]),
  ),
};

export interface Copy {
  readonly width: number;
  readonly height: number;
  readonly content_type: string;
  readonly size_bytes: number;
}

const isJpeg = ({ content_type: type }: Copy) => type === "image/jpeg";
/** A copy that may be transparent stays a PNG where the platform takes one. */
const isJpegOrPng = ({ content_type: type }: Copy) => type === "image/jpeg" || type === "image/png";
const isWithin = ({ width, height }: Copy, long: number, short = long) =>
  Math.max(width, height) <= long && Math.min(width, height) <= short;

/** Where the white mark of the picture is when it is shown the right way up. */
export const MARKS: Readonly<Record<string, string>> = Object.fromEntries(
  TURNS.flatMap((turn) => {
    const mark = ["top left", "top right", "bottom right", "bottom left"][(turn - 1) % 4] ?? "";
    return [
      [`turned ${turn}`, mark],
      [`9 MB turned ${turn}`, mark],
    ];
  }),
);

/** What each platform takes of a copy, by the platforms' own pages and not by the code that reckons it. */
export const TAKES: Partial<Readonly<Record<Platform, (copy: Copy) => boolean>>> = {
  instagram: (copy) =>
    isJpeg(copy) &&
    copy.size_bytes <= 8 * MIB &&
    copy.width <= 1440 &&
    copy.width / copy.height > 0.7995 &&
    copy.width / copy.height < 1.9105,
  tiktok: (copy) => isJpeg(copy) && copy.size_bytes <= 20 * MB && isWithin(copy, 1920, 1080),
  facebook: (copy) => isJpegOrPng(copy) && copy.size_bytes <= 4 * MIB && isWithin(copy, 2048),
  threads: (copy) => isJpegOrPng(copy) && copy.size_bytes <= 8 * MB && copy.width <= 1440,
  x: (copy) => isJpegOrPng(copy) && copy.size_bytes <= 5 * MIB && isWithin(copy, 4096),
  linkedin: (copy) => isJpegOrPng(copy) && copy.size_bytes <= 8 * MB && isWithin(copy, 4096),
  pinterest: (copy) => isJpegOrPng(copy) && copy.size_bytes <= 20 * MB,
};

const turned = (upright: string, lying: string) =>
  Object.fromEntries(TURNS.map((turn) => [`9 MB turned ${turn}`, turn <= 4 ? upright : lying]));

/** What becomes of each image: the reason and the size of the copy, or the refusal. */
export const ALONE: Partial<Readonly<Record<Platform, Readonly<Record<string, string>>>>> = {
  instagram: {
    phone: "ratio 1440x1800",
    panorama: "ratio 1440x754",
    transparent: "ratio 1440x1800",
    p3: "ratio 1440x1800",
    cmyk: "ratio 1440x1800",
    gif: "format 64x48",
    avif: "as it is",
    "19 MB": "ratio 1440x1800",
    "21 MB": "media_too_large, fit_unavailable",
    ...turned("ratio 1440x1800", "bytes 1440x1080"),
  },
  tiktok: {
    phone: "dimensions 1080x1440",
    panorama: "dimensions 1920x384",
    transparent: "dimensions 1080x1620",
    p3: "dimensions 1080x1440",
    cmyk: "dimensions 1080x1440",
    gif: "format 64x48",
    avif: "as it is",
    "19 MB": "dimensions 1080x1440",
    "21 MB": "media_too_large, media_dimensions, media_dimensions, fit_unavailable",
    ...turned("dimensions 1080x1440", "dimensions 1440x1080"),
  },
  facebook: {
    phone: "as it is",
    panorama: "as it is",
    transparent: "as it is",
    p3: "as it is",
    cmyk: "as it is",
    gif: "format 64x48",
    avif: "as it is",
    "19 MB": "bytes 1500x2000",
    "21 MB": "media_too_large, fit_unavailable",
    ...turned("bytes 1500x2000", "bytes 2000x1500"),
  },
  threads: {
    phone: "as it is",
    panorama: "as it is",
    transparent: "as it is",
    p3: "as it is",
    cmyk: "as it is",
    gif: "format 64x48",
    avif: "as it is",
    "19 MB": "bytes 1440x1920",
    "21 MB": "media_too_large, fit_unavailable",
    ...turned("bytes 1440x1920", "bytes 1440x1080"),
  },
  x: {
    phone: "as it is",
    panorama: "as it is",
    transparent: "as it is",
    p3: "as it is",
    cmyk: "as it is",
    gif: "as it is",
    avif: "as it is",
    "19 MB": "bytes 1500x2000",
    "21 MB": "media_too_large, fit_unavailable",
    ...turned("bytes 1500x2000", "bytes 2000x1500"),
  },
  linkedin: {
    phone: "as it is",
    panorama: "as it is",
    transparent: "as it is",
    p3: "as it is",
    cmyk: "as it is",
    gif: "as it is",
    avif: "as it is",
    "19 MB": "bytes 1500x2000",
    "21 MB": "media_too_large, fit_unavailable",
    ...turned("bytes 1500x2000", "bytes 2000x1500"),
  },
  pinterest: {
    phone: "as it is",
    panorama: "as it is",
    transparent: "as it is",
    p3: "as it is",
    cmyk: "as it is",
    gif: "format 64x48",
    avif: "as it is",
    "19 MB": "as it is",
    "21 MB": "media_too_large, fit_unavailable",
    ...turned("as it is", "as it is"),
  },
  bluesky: { phone: "as it is", avif: "as it is", transparent: "as it is", "19 MB": "media_too_large" },
  mastodon: { phone: "as it is", avif: "as it is", transparent: "as it is", "19 MB": "media_too_large" },
};
