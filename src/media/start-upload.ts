import type { Context } from "#context.ts";
import { type Detail, refuse } from "#core/errors.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import type { MediaType } from "#core/status.ts";
import { CONTENT_TYPES, CONTENT_TYPE_WORDS, readContentType } from "./content-types.ts";
import { safeFilename } from "./filename.ts";
import { refuseStorage } from "./keep.ts";
import {
  LIMIT_WORDS,
  MAX_BYTES,
  MAX_SINGLE_UPLOAD_BYTES,
  SINGLE_UPLOAD_URL_LIFE_MS,
  UPLOAD_LIFE_MS,
  UPLOAD_PART_BYTES,
} from "./limits.ts";
import { signUpload, type UploadSlot } from "./signature.ts";
import { insertUpload } from "./store-uploads.ts";
import type { ContentType } from "./types.ts";
import { mediaUrl } from "./urls.ts";

export interface StartUploadInput {
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

export interface StartedUpload {
  readonly upload: {
    readonly method: "PUT";
    /** Where the file goes; with parts, where the first of them goes. */
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly expiresAt: number;
    /** In order; null when the file goes in one piece. All but the last have `partSizeBytes`. */
    readonly parts: readonly { readonly partNumber: number; readonly url: string; readonly sizeBytes: number }[] | null;
    readonly completeUrl: string | null;
  };
  /** What to schedule with once the bytes are there. */
  readonly mediaItem: { readonly id: string; readonly url: string; readonly type: MediaType };
}

const MAX_FILENAME_LENGTH = 255;

function check(input: StartUploadInput): { contentType: ContentType } {
  const details: Detail[] = [];
  const contentType = readContentType(input.contentType);
  if (input.filename.trim() === "" || input.filename.length > MAX_FILENAME_LENGTH) {
    const message = `filename must have 1 to ${MAX_FILENAME_LENGTH} characters`;
    details.push({
      code: "filename_invalid",
      message,
      param: "filename",
      limit: MAX_FILENAME_LENGTH,
      actual: input.filename.length,
    });
  }
  if (!contentType) {
    const message = `content_type is none that is kept; send ${CONTENT_TYPE_WORDS}`;
    details.push({ code: "media_unsupported", message, param: "content_type" });
  }
  const type = contentType ? CONTENT_TYPES[contentType].type : null;
  const limit = MAX_BYTES[type ?? "video"];
  if (!Number.isSafeInteger(input.sizeBytes) || input.sizeBytes < 1) {
    details.push({
      code: "size_invalid",
      message: "size_bytes must be a whole number of at least 1",
      param: "size_bytes",
      limit: 1,
    });
  } else if (input.sizeBytes > limit) {
    const message = `the ${type ?? "file"} has more than ${LIMIT_WORDS[type ?? "video"]}; make it smaller`;
    details.push({ code: "media_too_large", message, param: "size_bytes", limit, actual: input.sizeBytes });
  }
  const [first] = details;
  if (first || !contentType) {
    refuse({ code: "validation_failed", message: first?.message ?? "the upload is not valid", details });
  }
  return { contentType };
}

/** Bytes of each part; null for a file that goes in one piece. */
export function partSizes(sizeBytes: number, partSizeBytes: number): readonly number[] | null {
  if (partSizeBytes >= sizeBytes) {
    return null;
  }
  const count = Math.ceil(sizeBytes / partSizeBytes);
  return Array.from({ length: count }, (_, index) => Math.min(partSizeBytes, sizeBytes - index * partSizeBytes));
}

/** Hands out signed addresses for the bytes of one file. Their room in the plan's storage is taken from now on. */
export async function startUpload(
  ctx: Pick<Context, "actor" | "db" | "config" | "clock" | "ids">,
  input: StartUploadInput,
): Promise<StartedUpload> {
  const { contentType } = check(input);
  const { sizeBytes } = input;
  const { type } = CONTENT_TYPES[contentType];
  const uploadId = ctx.ids.secretUuid();
  const now = ctx.clock.now();
  const partSizeBytes = sizeBytes <= MAX_SINGLE_UPLOAD_BYTES ? sizeBytes : UPLOAD_PART_BYTES;
  const sizes = partSizes(sizeBytes, partSizeBytes);
  const filename = safeFilename(input.filename, contentType);
  const limitBytes = PLAN_LIMITS[ctx.actor.plan].storageBytes;
  const upload = {
    id: uploadId,
    type,
    contentType,
    filename,
    sizeBytes,
    partSizeBytes,
    createdAt: now,
    expiresAt: now + UPLOAD_LIFE_MS,
  };
  const { taken, usedBytes } = await insertUpload(ctx.db, ctx.actor, upload, limitBytes);
  if (!taken) {
    refuseStorage(limitBytes, usedBytes, sizeBytes);
  }
  const expiresAt = now + (sizes ? UPLOAD_LIFE_MS : SINGLE_UPLOAD_URL_LIFE_MS);
  const sign = (slot: UploadSlot, bytes: number) =>
    signUpload(ctx.config, { uploadId, slot, sizeBytes: bytes, contentType, expiresAt });
  const parts = sizes
    ? await Promise.all(
        sizes.map(async (bytes, index) => ({
          partNumber: index + 1,
          url: await sign({ kind: "part", partNumber: index + 1 }, bytes),
          sizeBytes: bytes,
        })),
      )
    : null;
  return {
    upload: {
      method: "PUT",
      url: parts?.[0]?.url ?? (await sign({ kind: "file" }, sizeBytes)),
      headers: { "content-type": contentType },
      expiresAt,
      parts,
      completeUrl: parts ? await sign({ kind: "complete" }, sizeBytes) : null,
    },
    mediaItem: { id: uploadId, url: mediaUrl(ctx.config, { id: uploadId, filename }), type },
  };
}
