import gif from "./samples/animation.gif.bin";
import pdf from "./samples/handbook.pdf.bin";
import landscapeMp4 from "./samples/landscape.mp4.bin";
import webp from "./samples/landscape.webp.bin";
import jpeg from "./samples/portrait.jpg.bin";
import portraitMp4 from "./samples/portrait.mp4.bin";
import png from "./samples/square.png.bin";

export interface Sample {
  readonly contentType: string;
  readonly about: string;
  readonly bytes: BufferSource;
}

/** Small valid media files, and one whose content does not match its content type. */
export const SAMPLES: ReadonlyMap<string, Sample> = new Map([
  ["portrait.jpg", { contentType: "image/jpeg", about: "JPEG, 1080×1350", bytes: jpeg }],
  ["square.png", { contentType: "image/png", about: "PNG, 800×800", bytes: png }],
  ["landscape.webp", { contentType: "image/webp", about: "WebP, 1200×630", bytes: webp }],
  ["animation.gif", { contentType: "image/gif", about: "animated GIF, 320×240, 2 s", bytes: gif }],
  ["portrait.mp4", { contentType: "video/mp4", about: "MP4 (H.264, AAC), 540×960, 3 s", bytes: portraitMp4 }],
  ["landscape.mp4", { contentType: "video/mp4", about: "MP4 (H.264, AAC), 1280×720, 5 s", bytes: landscapeMp4 }],
  ["handbook.pdf", { contentType: "application/pdf", about: "PDF, 3 pages", bytes: pdf }],
  [
    "page.jpg",
    {
      contentType: "image/jpeg",
      about: "an HTML page with the content type of a JPEG",
      bytes: new TextEncoder().encode(
        "<!doctype html><title>Not a picture</title><p>This is a page, whatever its header says.</p>\n",
      ),
    },
  ],
]);
