import type { StoredMediaItem } from "#db/schema.ts";
import { IMAGES_INPUT } from "#media/limits.ts";

const { maxBytes, maxPixels, maxSide } = IMAGES_INPUT;

/** Why no copy of an image can be made. Null if the service should try. */
export function unfitReason({ sizeBytes, width, height }: StoredMediaItem): string | null {
  if (sizeBytes > maxBytes) {
    return `images over ${maxBytes / 1_000_000} MB cannot be made to fit: make it smaller`;
  }
  const [w, h] = [width ?? 0, height ?? 0];
  return w * h > maxPixels || Math.max(w, h) > maxSide
    ? `images over ${maxPixels / 1_000_000} megapixels or ${maxSide} pixels a side cannot be made to fit: make it smaller`
    : null;
}
