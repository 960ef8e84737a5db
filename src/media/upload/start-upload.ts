import type { Context } from "#context.ts";
import { type RefusalDetail, refuse } from "#core/errors.ts";
import type { FileType } from "#core/status.ts";
import {
  CONTENT_TYPES,
  CONTENT_TYPES_TEXT,
  isConverted,
  parseContentType,
  RECEIVED_TYPES_TEXT,
  receivedKind,
} from "#media/content-types.ts";
import { safeFilename } from "#media/filename.ts";
import { refuseStorageLimit } from "#media/storage/save-media.ts";
import {
  IMAGES_INPUT,
  MAX_BYTES_TEXT,
  MAX_BYTES,
  MAX_SINGLE_UPLOAD_BYTES,
  SINGLE_UPLOAD_URL_LIFETIME_MS,
  UPLOAD_LIFETIME_MS,
  UPLOAD_PART_BYTES,
} from "#media/limits.ts";
import { signUploadUrl, type UploadSlot } from "./signed-upload-url.ts";
import { insertUpload } from "./store-uploads.ts";
import type { ReceivedType } from "#media/types.ts";
import { mediaUrl } from "#media/urls.ts";

export interface StartUploadInput {
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

export interface StartedUpload {
  readonly upload: {
    readonly method: "PUT";
    /** The URL for the PUT request. For a multipart upload, that of the first part. */
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly expiresAt: number;
    /** The parts in order; null for a file sent in one request. All parts but the last have `partSizeBytes`. */
    readonly parts: readonly { readonly partNumber: number; readonly url: string; readonly sizeBytes: number }[] | null;
    readonly completeUrl: string | null;
  };
  /** The media item. A post can use it once the bytes are uploaded. */
  readonly file: { readonly id: string; readonly url: string; readonly type: FileType };
}

const MAX_FILENAME_LENGTH = 255;

const ANY_KIND = { name: "file", maxBytes: MAX_BYTES.video, maxBytesText: MAX_BYTES_TEXT.video } as const;

function validateInput(input: StartUploadInput, canConvert: boolean): { contentType: ReceivedType } {
  const details: RefusalDetail[] = [];
  const parsed = parseContentType(input.contentType);
  const contentType = parsed !== null && isConverted(parsed) && !canConvert ? null : parsed;
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
    const message = `content_type is not supported; send ${canConvert ? RECEIVED_TYPES_TEXT : CONTENT_TYPES_TEXT}`;
    details.push({ code: "media_type_unsupported", message, param: "content_type" });
  }
  const { name, maxBytes: limit, maxBytesText } = contentType ? receivedKind(contentType) : ANY_KIND;
  if (!Number.isSafeInteger(input.sizeBytes) || input.sizeBytes < 1) {
    details.push({
      code: "out_of_range",
      message: "size_bytes must be a whole number of at least 1",
      param: "size_bytes",
      limit: 1,
    });
  } else if (input.sizeBytes > limit) {
    const message = `the ${name} has more than ${maxBytesText}; make it smaller`;
    details.push({ code: "media_too_large", message, param: "size_bytes", limit, actual: input.sizeBytes });
  }
  const [first] = details;
  if (first || !contentType) {
    refuse({ code: "validation_failed", message: first?.message ?? "the upload is not valid", details });
  }
  return { contentType };
}

/** The size of each part in bytes. Null for a file sent in one request. */
export function partSizes(sizeBytes: number, partSizeBytes: number): readonly number[] | null {
  if (partSizeBytes >= sizeBytes) {
    return null;
  }
  const count = Math.ceil(sizeBytes / partSizeBytes);
  return Array.from({ length: count }, (_, index) => Math.min(partSizeBytes, sizeBytes - index * partSizeBytes));
}

/**
 * Creates an upload with its signed URLs. The file's size counts against the storage quota at once. A HEIC or AVIF
 * image counts as the largest JPEG that it can become, until it has arrived.
 */
export async function startUpload(
  ctx: Pick<Context, "actor" | "db" | "images" | "config" | "clock" | "ids">,
  input: StartUploadInput,
): Promise<StartedUpload> {
  const { contentType } = validateInput(input, ctx.images !== null);
  const { sizeBytes } = input;
  const storedType = isConverted(contentType) ? "image/jpeg" : contentType;
  const reservedBytes = isConverted(contentType) ? IMAGES_INPUT.maxBytes : sizeBytes;
  const { type } = CONTENT_TYPES[storedType];
  const uploadId = ctx.ids.secretUuid();
  const now = ctx.clock.now();
  const partSizeBytes = sizeBytes <= MAX_SINGLE_UPLOAD_BYTES ? sizeBytes : UPLOAD_PART_BYTES;
  const sizes = partSizes(sizeBytes, partSizeBytes);
  const filename = safeFilename(input.filename, storedType);
  const limitBytes = ctx.actor.limits.storageBytes;
  const upload = {
    id: uploadId,
    type,
    contentType,
    storedType,
    filename,
    sizeBytes,
    reservedBytes,
    partSizeBytes,
    createdAt: now,
    expiresAt: now + UPLOAD_LIFETIME_MS,
  };
  const { inserted, usedBytes } = await insertUpload(ctx.db, ctx.actor, upload, limitBytes);
  if (!inserted) {
    refuseStorageLimit(limitBytes, usedBytes, reservedBytes);
  }
  const expiresAt = now + (sizes ? UPLOAD_LIFETIME_MS : SINGLE_UPLOAD_URL_LIFETIME_MS);
  const sign = (slot: UploadSlot, bytes: number) =>
    signUploadUrl(ctx.config, { uploadId, slot, sizeBytes: bytes, contentType, expiresAt });
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
    file: { id: uploadId, url: mediaUrl(ctx.config, { id: uploadId, filename }), type },
  };
}
