import type { FitMode, FitReason } from "#core/fit.ts";
import type { JsonObject } from "#core/json.ts";
import type { ImageFitting, MediaDescription } from "./contract.ts";

/** Describes the copy that a platform gets instead of an image. */
export interface PlannedFit {
  readonly width: number;
  readonly height: number;
  readonly mode: Exclude<FitMode, "none">;
  /** Whether a transparent copy stays a PNG, because the platform accepts one. Otherwise it gets a white background. */
  readonly keepsAlpha: boolean;
  readonly maxBytes: number;
  readonly reason: FitReason;
}

const RATIO_TOLERANCE = 0.005;

interface Size {
  readonly width: number;
  readonly height: number;
}

export function fitModeOf(options: JsonObject): FitMode {
  const { fit } = options;
  return fit === "crop" || fit === "none" ? fit : "pad";
}

function sizeOf({ width, height }: Pick<MediaDescription, "width" | "height">): Size | null {
  return width !== null && height !== null && width > 0 && height > 0 ? { width, height } : null;
}

/**
 * The copies that a post needs, in the order of its media. Null for an item that already fits, or that cannot be made
 * to fit.
 */
export function planFits(
  media: readonly MediaDescription[],
  fitting: ImageFitting,
  mode: FitMode,
): readonly (PlannedFit | null)[] {
  const sizes = media.map(sizeOf);
  const isStill = (item: MediaDescription) => item.type === "image" && item.facts["animated"] !== true;
  const images = media.flatMap((item, index) => {
    const size = sizes[index];
    return item.type === "image" && size ? [size] : [];
  });
  const [first] = images;
  if (mode === "none" || first === undefined) {
    return media.map(() => null);
  }
  const shared = media.length > 1 && media.every(isStill) ? fitting.together : undefined;
  const ratioOf = (size: Size) => clampRatio(size, fitting);
  const sharedRatio = shared === undefined ? undefined : ratioOf(first);
  const sharedSize =
    shared === "size" && sharedRatio !== undefined ? smallest(images, sharedRatio, mode, fitting) : undefined;
  return media.map((item, index) => {
    const size = sizes[index];
    if (!size || !isStill(item)) {
      return null;
    }
    const reason = reasonOf(item, size, fitting, sharedRatio, sharedSize);
    const canvas = sharedSize ?? canvasOf(size, sharedRatio ?? ratioOf(size), mode, fitting);
    return reason === null
      ? null
      : {
          ...canvas,
          mode,
          keepsAlpha: fitting.rule.contentTypes.includes("image/png"),
          maxBytes: fitting.rule.maxBytes,
          reason,
        };
  });
}

function clampRatio({ width, height }: Size, { minRatio, maxRatio, rule }: ImageFitting): number {
  const [min = 0, max = Number.POSITIVE_INFINITY] = [minRatio ?? rule.minRatio, maxRatio ?? rule.maxRatio];
  return Math.min(Math.max(width / height, min), max);
}

function reasonOf(
  item: MediaDescription,
  size: Size,
  fitting: ImageFitting,
  sharedRatio: number | undefined,
  sharedSize: Size | undefined,
): FitReason | null {
  const { rule } = fitting;
  const ratio = size.width / size.height;
  const isUnequal = (a: number, b: number) => Math.abs(a - b) > RATIO_TOLERANCE;
  if (isUnequal(ratio, clampRatio(size, fitting))) {
    return "ratio";
  }
  if (
    sharedSize
      ? size.width !== sharedSize.width || size.height !== sharedSize.height
      : sharedRatio !== undefined && isUnequal(ratio, sharedRatio)
  ) {
    return "unequal";
  }
  const [short, long] = [Math.min(size.width, size.height), Math.max(size.width, size.height)];
  const isOver = (actual: number, max: number | undefined) => max !== undefined && actual > max;
  if (
    isOver(size.width, rule.maxWidth) ||
    isOver(size.height, rule.maxHeight) ||
    isOver(short, rule.maxShortSide) ||
    isOver(long, rule.maxLongSide) ||
    isOver(size.width * size.height, rule.maxPixels)
  ) {
    return "dimensions";
  }
  if (item.sizeBytes > rule.maxBytes) {
    return "bytes";
  }
  return rule.contentTypes.includes(item.contentType) ? null : "format";
}

/**
 * The canvas of a ratio around the image or inside it. It never exceeds the platform's limits and never enlarges the
 * image.
 */
function canvasOf({ width, height }: Size, ratio: number, mode: FitMode, fitting: ImageFitting): Size {
  const isWider = width / height > ratio;
  const full = (mode === "pad") === isWider ? { width, height: width / ratio } : { width: height * ratio, height };
  return scaleDown(full, ratio, fitting);
}

function scaleDown({ width, height }: Size, ratio: number, { rule, ...fitting }: ImageFitting): Size {
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const limits: readonly (readonly [actual: number, max: number | undefined])[] = [
    [width, fitting.maxWidth ?? rule.maxWidth],
    [height, rule.maxHeight],
    [long, fitting.maxLongSide ?? rule.maxLongSide],
    [short, fitting.maxShortSide ?? rule.maxShortSide],
  ];
  const scales = limits.map(([actual, max]) => (max === undefined ? 1 : max / actual));
  const byPixels = rule.maxPixels === undefined ? 1 : Math.sqrt(rule.maxPixels / (width * height));
  const scale = Math.min(1, byPixels, ...scales);
  // Round down, so that no side exceeds its limit by a pixel.
  const scaled = Math.max(1, Math.floor(width * scale + 1e-6));
  return { width: scaled, height: Math.max(1, Math.round(scaled / ratio)) };
}

/** The size that all images of a post can have without enlarging one of them. */
function smallest(images: readonly Size[], ratio: number, mode: FitMode, fitting: ImageFitting): Size {
  const canvases = images.map((size) => canvasOf(size, ratio, mode, fitting));
  return canvases.reduce((least, canvas) => (canvas.width < least.width ? canvas : least));
}
