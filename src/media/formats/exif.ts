import { asciiAt } from "./byte-reader.ts";

const ORIENTATION = 0x0112;
const MAX_ENTRIES = 256;

/** The orientation of an image, from its TIFF block (EXIF without the header). Undefined without a valid one. */
export function exifOrientation(tiff: DataView): number | undefined {
  if (tiff.byteLength < 14) {
    return undefined;
  }
  const byteOrder = asciiAt(tiff, 0, 2);
  if (byteOrder !== "II" && byteOrder !== "MM") {
    return undefined;
  }
  const littleEndian = byteOrder === "II";
  const directory = tiff.getUint32(4, littleEndian);
  if (directory + 2 > tiff.byteLength) {
    return undefined;
  }
  const entries = Math.min(tiff.getUint16(directory, littleEndian), MAX_ENTRIES);
  for (let entry = 0; entry < entries; entry += 1) {
    const offset = directory + 2 + entry * 12;
    if (offset + 12 > tiff.byteLength) {
      return undefined;
    }
    if (tiff.getUint16(offset, littleEndian) === ORIENTATION) {
      const value = tiff.getUint16(offset + 8, littleEndian);
      return value >= 1 && value <= 8 ? value : undefined;
    }
  }
  return undefined;
}

/** The width and height as displayed. EXIF orientations 5 to 8 turn the image by 90 degrees. */
export function asDisplayed(width: number, height: number, orientation: number | undefined) {
  return orientation !== undefined && orientation >= 5 ? { width: height, height: width } : { width, height };
}
