/* Small real files made with ffmpeg; named `.bin` so that the bundler imports them as bytes. */
import alphaWebp from "./samples/alpha.webp.bin";
import animatedGif from "./samples/animated.gif.bin";
import animatedPng from "./samples/animated.png.bin";
import animatedWebp from "./samples/animated.webp.bin";
import audioM4a from "./samples/audio.m4a.bin";
import audioMp4 from "./samples/audio.mp4.bin";
import videoMkv from "./samples/video.mkv.bin";
import fragmentedMp4 from "./samples/fragmented.mp4.bin";
import hevcMp4 from "./samples/hevc.mp4.bin";
import losslessWebp from "./samples/lossless.webp.bin";
import lossyWebp from "./samples/lossy.webp.bin";
import moovFirstMp4 from "./samples/moov-first.mp4.bin";
import moovLastMp4 from "./samples/moov-last.mp4.bin";
import placeAvif from "./samples/place.avif.bin";
import photoJpg from "./samples/photo.jpg.bin";
import photoPng from "./samples/photo.png.bin";
import plainMov from "./samples/plain.mov.bin";
import proresMov from "./samples/prores.mov.bin";
import rotatedMp4 from "./samples/rotated.mp4.bin";
import stillGif from "./samples/still.gif.bin";
import vp8LiveWebm from "./samples/vp8-live.webm.bin";
import vp9Webm from "./samples/vp9.webm.bin";

export { concatBytes } from "./bytes.ts";

const FILES = {
  "alpha.webp": alphaWebp,
  "animated.gif": animatedGif,
  "animated.png": animatedPng,
  "animated.webp": animatedWebp,
  "audio.m4a": audioM4a,
  "audio.mp4": audioMp4,
  "video.mkv": videoMkv,
  "fragmented.mp4": fragmentedMp4,
  "hevc.mp4": hevcMp4,
  "lossless.webp": losslessWebp,
  "lossy.webp": lossyWebp,
  "moov-first.mp4": moovFirstMp4,
  "moov-last.mp4": moovLastMp4,
  "photo.jpg": photoJpg,
  "photo.png": photoPng,
  "place.avif": placeAvif,
  "plain.mov": plainMov,
  "prores.mov": proresMov,
  "rotated.mp4": rotatedMp4,
  "still.gif": stillGif,
  "vp8-live.webm": vp8LiveWebm,
  "vp9.webm": vp9Webm,
} as const;

export type SampleName = keyof typeof FILES;

export const SAMPLE_NAMES = Object.keys(FILES) as SampleName[];

/** A copy, because tests truncate and change the bytes. */
export function sample(name: SampleName): Uint8Array<ArrayBuffer> {
  return new Uint8Array(FILES[name].slice(0));
}
