import type { Bucket, Images } from "#context.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { mediaKey } from "#media/urls.ts";
import type { FitRecipe } from "./fit-images.ts";

const WHITE = "#ffffff";
const CLEAR = "#ffffff00";
const QUALITIES = [90, 80, 70] as const;
const SMALLER = [0.8, 0.64] as const;
/** How many calls of the images service one copy may take, because each call costs money. */
const MAX_CALLS = 5;
/** How many bytes of a PNG or WebP tell whether it has transparent parts. */
const HEAD_BYTES = 4096;

interface Attempt {
  readonly format: "image/jpeg" | "image/png";
  readonly quality: number;
  readonly scale: number;
}

/** Makes a copy in the best quality that the limit of bytes allows. Null if even the smallest copy is too large. */
export async function transformImage(
  { bucket, images }: { readonly bucket: Bucket; readonly images: Images },
  source: Pick<StoredMediaItem, "sha256" | "contentType" | "width" | "height">,
  recipe: FitRecipe,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const isTransparent = await hasTransparentParts(bucket, source);
  const jpegs: Attempt[] = [
    ...QUALITIES.map((quality) => ({ format: "image/jpeg", quality, scale: 1 }) as const),
    ...SMALLER.map((scale) => ({ format: "image/jpeg", quality: QUALITIES[2], scale }) as const),
  ];
  const png: Attempt = { format: "image/png", quality: QUALITIES[0], scale: 1 };
  const attempts = isTransparent && recipe.keepsAlpha ? [png, ...jpegs] : jpegs;
  const isPadded = recipe.mode === "pad" && !hasRatio(source, recipe);
  for (const { format, quality, scale } of attempts.slice(0, MAX_CALLS)) {
    const object = await bucket.get(mediaKey(source.sha256));
    if (!object) {
      throw new Error("stored media is missing");
    }
    const background = format === "image/png" ? CLEAR : WHITE;
    const bytes = await images.transform(
      object.body,
      {
        width: Math.max(1, Math.floor(recipe.width * scale)),
        height: Math.max(1, Math.floor(recipe.height * scale)),
        fit: isPadded ? "pad" : "cover",
        ...((isTransparent || isPadded) && { background }),
      },
      { format, ...(format === "image/jpeg" && { quality, background: WHITE }) },
    );
    if (bytes.byteLength <= recipe.maxBytes) {
      return bytes;
    }
  }
  return null;
}

function hasRatio({ width, height }: Pick<StoredMediaItem, "width" | "height">, recipe: FitRecipe): boolean {
  // Rounding to whole pixels changes the ratio a little, so a difference of one pixel counts as the same ratio.
  return Math.abs(((height ?? 0) * recipe.width) / (width ?? 1) - recipe.height) <= 1;
}

const asText = (bytes: Uint8Array) => String.fromCodePoint(...bytes);

async function hasTransparentParts(
  bucket: Bucket,
  { sha256, contentType }: Pick<StoredMediaItem, "sha256" | "contentType">,
): Promise<boolean> {
  if (contentType !== "image/png" && contentType !== "image/webp") {
    return contentType === "image/gif";
  }
  const object = await bucket.get(mediaKey(sha256), { range: { offset: 0, length: HEAD_BYTES } });
  const head = object ? new Uint8Array(await object.arrayBuffer()) : new Uint8Array();
  if (contentType === "image/png") {
    const colorType = head[25] ?? 0;
    return colorType === 4 || colorType === 6 || asText(head).includes("tRNS");
  }
  const chunk = asText(head.subarray(12, 16));
  return chunk === "VP8X" ? ((head[20] ?? 0) & 0x10) !== 0 : chunk === "VP8L" && ((head[24] ?? 0) & 0x10) !== 0;
}
