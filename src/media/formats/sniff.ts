import {
  type CheckResult,
  type ContentType,
  type ConvertedType,
  type ReceivedType,
  checkFailed,
} from "#media/types.ts";

type Signature = readonly [offset: number, text: string];

const SIGNATURES: readonly (readonly [ContentType, ...Signature[]])[] = [
  ["image/jpeg", [0, "\xff\xd8\xff"]],
  ["image/png", [0, "\x89PNG\r\n\x1a\n"]],
  ["image/gif", [0, "GIF87a"]],
  ["image/gif", [0, "GIF89a"]],
  ["image/webp", [0, "RIFF"], [8, "WEBP"]],
  ["application/pdf", [0, "%PDF-"]],
];

/** Unsupported types that people often send by mistake. The error can then name them. */
const UNSUPPORTED_SIGNATURES: readonly (readonly [kind: string, ...Signature[]])[] = [
  ["a ZIP archive or an Office document", [0, "PK"]],
  ["a compressed (gzip) file", [0, "\x1f\x8b"]],
  ["a BMP image", [0, "BM"]],
  ["a TIFF image", [0, "II*\0"]],
  ["a TIFF image", [0, "MM\0*"]],
  ["an icon", [0, "\0\0\x01\0"]],
  ["a JPEG XL image", [0, "\xff\x0a"]],
  ["a JPEG XL image", [4, "JXL "]],
  ["a JPEG 2000 image", [4, "jP  "]],
  ["an AVI video", [0, "RIFF"], [8, "AVI "]],
  ["a WAV recording", [0, "RIFF"], [8, "WAVE"]],
  ["a Flash video", [0, "FLV"]],
  ["an MP3 recording", [0, "ID3"]],
  ["an Ogg file", [0, "OggS"]],
  ["a FLAC recording", [0, "fLaC"]],
  ["an MPEG video", [0, "\0\0\x01\xba"]],
  ["a Windows Media file", [0, "\x30\x26\xb2\x75"]],
  ["a program", [0, "MZ"]],
  ["a program", [0, "\x7fELF"]],
];

/** The first boxes of old QuickTime files, which have no `ftyp` box. */
const CLASSIC_QUICKTIME: ReadonlySet<string> = new Set(["moov", "mdat", "wide", "free", "skip", "pnot"]);
/** The brands of still HEIF images. In a `mif1` file, the following brands name the format. */
const HEIF_BRANDS: ReadonlySet<string> = new Set(["heic", "heix", "heim", "heis", "mif1", "mif2", "avif"]);
const HEIF_SEQUENCE_BRANDS: ReadonlySet<string> = new Set(["hevc", "hevx", "hevm", "hevs", "msf1", "avis"]);
const MAX_BRANDS = 32;
export const CONVERTED_KINDS: Readonly<Record<ConvertedType, string>> = {
  "image/heic": "a HEIC image",
  "image/avif": "an AVIF image",
};
const AUDIO_BRANDS: ReadonlySet<string> = new Set(["M4A ", "M4B ", "M4P ", "F4A "]);

/** Beginnings that browsers take for HTML, so that they might run scripts. No real image or video has them. */
const MARKUP =
  /<!doctype\s+html|<(?:html|head|body|script|svg|iframe|object|embed|math|meta|style|title)[\s/>]|<\?php|<%@|javascript:/i;
const MARKUP_WINDOW_BYTES = 1536;
const PDF_WINDOW_BYTES = 1024;

function toLatin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    text += String.fromCharCode(byte);
  }
  return text;
}

function matches(head: string, signatures: readonly Signature[]): boolean {
  return signatures.every(([offset, text]) => head.startsWith(text, offset));
}

/** The type of a still HEIF image, HEIC or AVIF; null for any other file. */
export function heifType(bytes: Uint8Array): ConvertedType | null {
  return heifTypeOf(toLatin1(bytes.subarray(0, 16 + 4 * MAX_BRANDS)));
}

function heifTypeOf(head: string): ConvertedType | null {
  const brand = head.slice(8, 12);
  if (head.slice(4, 8) !== "ftyp" || !HEIF_BRANDS.has(brand)) {
    return null;
  }
  const boxBytes = head.charCodeAt(2) * 256 + head.charCodeAt(3);
  const compatible: readonly string[] = head.slice(16, boxBytes).match(/.{4}/gs) ?? [];
  const isAvif = brand === "avif" || (brand.startsWith("mif") && compatible.includes("avif"));
  return isAvif ? "image/avif" : "image/heic";
}

function sniffBoxes(head: string): CheckResult<ContentType> | null {
  const name = head.slice(4, 8);
  if (name === "ftyp") {
    const brand = head.slice(8, 12);
    const heif = heifTypeOf(head);
    if (heif !== null) {
      return unsupported(CONVERTED_KINDS[heif]);
    }
    if (HEIF_SEQUENCE_BRANDS.has(brand)) {
      return unsupported(brand === "avis" ? "an animated AVIF image" : "a sequence of HEIC images");
    }
    if (AUDIO_BRANDS.has(brand)) {
      return unsupported("an audio file");
    }
    return { ok: true, value: brand === "qt  " ? "video/quicktime" : "video/mp4" };
  }
  return CLASSIC_QUICKTIME.has(name) ? { ok: true, value: "video/quicktime" } : null;
}

/** The problem of an unsupported file. `why` follows the kind of file in the message. */
export function unsupported(kind: string, why = "") {
  return checkFailed(
    "media_type_unsupported",
    `the file is ${kind}${why}; send JPEG, PNG, WebP or GIF images, MP4, MOV or WebM videos`,
    {
      actual: kind,
    },
  );
}

function unsupportedKind(head: string): CheckResult<never> {
  if (head.trim() === "") {
    return unsupported("empty");
  }
  const known = UNSUPPORTED_SIGNATURES.find(([, ...signatures]) => matches(head, signatures));
  if (known) {
    return unsupported(known[0]);
  }
  const text = head
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "")
    .replaceAll("\0", "")
    .trimStart();
  if (/<svg[\s>]/i.test(text.slice(0, MARKUP_WINDOW_BYTES))) {
    return unsupported("an SVG drawing");
  }
  if (MARKUP.test(text.slice(0, MARKUP_WINDOW_BYTES))) {
    return unsupported("a web page, not the file itself");
  }
  // oxlint-disable-next-line no-control-regex -- text is recognized by the absence of control characters
  return unsupported(/^[^\u0000-\u0008\u000e-\u001f]*$/.test(head) ? "text" : "of an unknown type");
}

/** Detects a file's type from its first bytes. Declared type and file name are ignored, because both can be wrong. */
export function sniff(bytes: Uint8Array): CheckResult<ContentType> {
  const head = toLatin1(bytes);
  const known = SIGNATURES.find(([, ...signatures]) => matches(head, signatures))?.[0];
  const sniffed: CheckResult<ContentType> | null = known
    ? { ok: true, value: known }
    : head.startsWith("\x1a\x45\xdf\xa3")
      ? { ok: true, value: "video/webm" }
      : sniffBoxes(head);
  if (!sniffed) {
    return unsupportedKind(head);
  }
  if (known === "application/pdf") {
    return sniffed;
  }
  if (sniffed.ok && MARKUP.test(head.slice(0, MARKUP_WINDOW_BYTES))) {
    return checkFailed("media_suspicious", "the file is both media and a web page; export it again from the original");
  }
  if (sniffed.ok && head.slice(0, PDF_WINDOW_BYTES).includes("%PDF-")) {
    return checkFailed(
      "media_suspicious",
      "the file is both media and a PDF document; export it again from the original",
    );
  }
  return sniffed;
}

/** Detects a file's type like `sniff`, and also accepts HEIC and AVIF if they can be converted. */
export function sniffReceived(bytes: Uint8Array, canConvert: boolean): CheckResult<ReceivedType> {
  const converted = canConvert ? heifType(bytes) : null;
  return converted === null ? sniff(bytes) : { ok: true, value: converted };
}

/** The longest last record of a ZIP archive (bytes): 22, and a comment of up to 65,535. */
export const ZIP_TAIL_BYTES = 65_557;

/**
 * Whether a file ends as a ZIP archive. ZIP readers search the last record from the end of the file, so it must end
 * exactly there.
 */
export function endsAsZipArchive(tail: Uint8Array): boolean {
  for (let offset = tail.length - 22; offset >= 0; offset -= 1) {
    if (tail[offset] === 0x50 && tail[offset + 1] === 0x4b && tail[offset + 2] === 5 && tail[offset + 3] === 6) {
      const commentBytes = (tail[offset + 20] ?? 0) + (tail[offset + 21] ?? 0) * 256;
      if (offset + 22 + commentBytes === tail.length) {
        return true;
      }
    }
  }
  return false;
}
