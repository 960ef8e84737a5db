import type { Context } from "#context.ts";
import { CONTENT_TYPES } from "#media/content-types.ts";
import { safeFilename } from "#media/filename.ts";
import { sniff } from "#media/formats/sniff.ts";
import { IN_MEMORY_UPLOAD_BYTES, MAX_BYTES, MAX_BYTES_TEXT } from "#media/limits.ts";
import { inspectStagedFile } from "#media/storage/inspect-staged-file.ts";
import { saveMedia } from "#media/storage/save-media.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import { type TransferCheck, writeStagedFile } from "#media/storage/write-staged-file.ts";
import { checkFailed, type MediaProblem, type ResolvedMedia } from "#media/types.ts";
import { refuseContent } from "./receive-upload-body.ts";

/** Ends the transfer at bytes of an unsupported type, and beyond the limit of their type. */
function checkTypeAndSize(): TransferCheck<MediaProblem> {
  let type: keyof typeof MAX_BYTES = "video";
  return {
    checkHead(head) {
      const sniffed = head.length === 0 ? checkFailed("media_empty", "the file is empty") : sniff(head);
      if (sniffed.ok) {
        ({ type } = CONTENT_TYPES[sniffed.value]);
        return null;
      }
      return sniffed.problem;
    },
    checkSize: (bytes) =>
      bytes > MAX_BYTES[type]
        ? checkFailed("media_too_large", `the ${type} has more than ${MAX_BYTES_TEXT[type]}; make it smaller`, {
            limit: MAX_BYTES[type],
            actual: bytes,
          }).problem
        : null,
  };
}

/**
 * Receives a file whose size is known only at its end, as a file in a form is. It is saved completely or not at all, and counts
 * against the storage quota when it is saved.
 */
export async function receiveUnsizedFile(
  ctx: Pick<Context, "actor" | "db" | "bucket" | "config" | "clock" | "ids" | "defer">,
  file: { readonly filename: string; read(): Promise<Uint8Array | null> },
): Promise<ResolvedMedia> {
  const incoming = { statedBytes: null, read: () => file.read() };
  const received = await writeStagedFile(ctx, incoming, checkTypeAndSize(), {
    name: ctx.ids.secretUuid(),
    maxInMemoryBytes: IN_MEMORY_UPLOAD_BYTES,
  });
  if (!received.ok) {
    if (typeof received.problem === "string") {
      throw new Error("a file without a stated size has no wrong size");
    }
    return refuseContent(received.problem);
  }
  const { staged, sha256 } = received;
  try {
    const inspected = await inspectStagedFile(ctx.bucket, staged);
    if (!inspected.ok) {
      return refuseContent(inspected.problem);
    }
    const filename = safeFilename(file.filename, inspected.value.contentType);
    const [media] = await saveMedia(ctx, [{ staged, sha256, inspection: inspected.value, filename }]);
    if (!media) {
      throw new Error("a saved media item is missing");
    }
    return media;
  } finally {
    ctx.defer(deleteStagedFile(ctx.bucket, staged));
  }
}
