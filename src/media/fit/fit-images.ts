import type { Context } from "#context.ts";
import { sha256Hex } from "#core/encoding.ts";
import { log } from "#core/log.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { ByteReader } from "#media/formats/byte-reader.ts";
import { safeFilename } from "#media/filename.ts";
import { inspectFile } from "#media/formats/inspect-file.ts";
import { PARALLEL_FITS } from "#media/limits.ts";
import { type ReceivedFile, saveMedia } from "#media/storage/save-media.ts";
import { isReady, toResolved } from "#media/store.ts";
import { isMedia, type ResolvedMedia } from "#media/types.ts";
import { imagesErrorCode, OUT_OF_TRANSFORMATIONS } from "./images-error.ts";
import { insertFits, selectFits } from "#media/storage/store-fits.ts";
import { transformImage } from "./transform-image.ts";

/** The properties of a copy of an image. Each image gets at most one copy for each set of properties. */
export interface FitRecipe {
  readonly width: number;
  readonly height: number;
  readonly mode: "pad" | "crop";
  readonly keepsAlpha: boolean;
  readonly maxBytes: number;
}

export interface FitRequest {
  readonly source: StoredMediaItem;
  readonly recipe: FitRecipe;
}

export type FitOutcome =
  | { readonly ok: true; readonly media: ResolvedMedia }
  /** The original image is used; `message` says why no copy was made. */
  | { readonly ok: false; readonly message: string };

type FitContext = Pick<Context, "actor" | "bucket" | "clock" | "config" | "db" | "ids"> & {
  readonly images: NonNullable<Context["images"]>;
};

/**
 * Returns the copies in the order of the requests. A copy is made once and then stored, because a changed encoder would
 * make other bytes.
 */
export async function fitImages(ctx: FitContext, requests: readonly FitRequest[]): Promise<readonly FitOutcome[]> {
  const keyed = requests.map((request) => ({ ...request, key: keyOf(request) }));
  const distinct = [...new Map(keyed.map((request) => [request.key, request])).values()];
  const outcomes = new Map<string, FitOutcome>();
  const known = await selectFits(ctx.db, ctx.actor, distinct.map(toFitKey));
  for (const row of known.filter(isReady)) {
    const media = toResolved(row, ctx.config);
    if (isMedia(media)) {
      outcomes.set(`${row.source_sha256} ${row.recipe}`, { ok: true, media });
    }
  }
  const missing = distinct.filter(({ key }) => !outcomes.has(key));
  const made: { readonly request: (typeof distinct)[number]; readonly file: ReceivedFile }[] = [];
  let next = 0;
  const work = async () => {
    for (let request = missing[next++]; request; request = missing[next++]) {
      const file = await makeCopy(ctx, request);
      if ("message" in file) {
        outcomes.set(request.key, { ok: false, message: file.message });
      } else {
        made.push({ request, file });
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_FITS }, work));
  if (made.length > 0) {
    const saved = await saveMedia(
      ctx,
      made.map(({ file }) => file),
    );
    const fits = made.map(({ request }, index) => ({ ...toFitKey(request), mediaId: saved[index]?.id ?? "" }));
    await insertFits(ctx.db, ctx.actor, fits);
    for (const [index, { request }] of made.entries()) {
      const media = saved[index];
      if (media && isMedia(media)) {
        outcomes.set(request.key, { ok: true, media });
      }
    }
  }
  return keyed.map(({ key }) => outcomes.get(key) ?? { ok: false, message: UNAVAILABLE });
}

const UNAVAILABLE = "the images service does not answer now: try again later, or make the image fit yourself";

function keyOf({ source, recipe }: FitRequest): string {
  const { width, height, mode, keepsAlpha, maxBytes } = recipe;
  return `${source.sha256} ${width}x${height}:${mode}:${keepsAlpha ? "png" : "jpeg"}:${maxBytes}`;
}

function toFitKey(request: FitRequest) {
  const [sha256 = "", recipe = ""] = keyOf(request).split(" ");
  return { sha256, recipe };
}

async function makeCopy(
  { bucket, images }: Pick<FitContext, "bucket" | "images">,
  { source, recipe }: FitRequest,
): Promise<ReceivedFile | { readonly message: string }> {
  let bytes: Uint8Array<ArrayBuffer> | null;
  try {
    bytes = await transformImage({ bucket, images }, source, recipe);
  } catch (error) {
    const code = imagesErrorCode(error);
    log("warn", "media.not_fitted", { mediaId: source.id, code, reason: String(error) });
    return {
      message:
        code === OUT_OF_TRANSFORMATIONS
          ? "this installation has used its image transformations of the month: make the image fit yourself"
          : UNAVAILABLE,
    };
  }
  if (bytes === null) {
    return { message: "no copy of this image is small enough: make it smaller" };
  }
  const inspected = await inspectFile(
    new ByteReader(bytes.byteLength, (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length))),
  );
  if (!inspected.ok) {
    log("warn", "media.not_fitted", { mediaId: source.id, code: null, reason: inspected.problem.message });
    return { message: UNAVAILABLE };
  }
  const { value: inspection } = inspected;
  return {
    staged: { sizeBytes: bytes.byteLength, inMemory: bytes, objects: [] },
    sha256: await sha256Hex(bytes),
    inspection,
    filename: safeFilename(nameOfCopy(source, inspection), inspection.contentType),
  };
}

function nameOfCopy({ url }: StoredMediaItem, { width, height }: ReceivedFile["inspection"]): string {
  const name = url.split("/").at(-1) ?? "";
  return `${name.replace(/\.[^.]*$/, "")}-${width}x${height}`;
}
