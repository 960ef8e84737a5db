import type { Context } from "#context.ts";
import { receivedKind } from "#media/content-types.ts";
import { receivedContent } from "#media/convert/received-content.ts";
import { safeFilename } from "#media/filename.ts";
import { sniffReceived } from "#media/formats/sniff.ts";
import { IN_MEMORY_UPLOAD_BYTES } from "#media/limits.ts";
import { saveMedia } from "#media/storage/save-media.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import { type TransferCheck, writeStagedFile } from "#media/storage/write-staged-file.ts";
import { checkFailed, type MediaProblem, type ReceivedType, type ResolvedFile } from "#media/types.ts";
import { refuseContent } from "./receive-upload-body.ts";

/** Ends the transfer of a file that has an unsupported type or exceeds the limit of its type. */
function checkTypeAndSize(canConvert: boolean): TransferCheck<MediaProblem> & { receivedType(): ReceivedType } {
  let type: ReceivedType = "video/mp4";
  return {
    receivedType: () => type,
    checkHead(head) {
      const sniffed =
        head.length === 0 ? checkFailed("media_empty", "the file is empty") : sniffReceived(head, canConvert);
      if (sniffed.ok) {
        type = sniffed.value;
        return null;
      }
      return sniffed.problem;
    },
    checkSize(bytes) {
      const { maxBytes, maxBytesText, name } = receivedKind(type);
      return bytes > maxBytes
        ? checkFailed("media_too_large", `the ${name} has more than ${maxBytesText}; make it smaller`, {
            limit: maxBytes,
            actual: bytes,
          }).problem
        : null;
    },
  };
}

/**
 * Receives a file whose size is known only at its end, for example a file in a form. It is saved completely or not at
 * all, and counts against the storage quota once it is saved.
 */
export async function receiveUnsizedFile(
  ctx: Pick<Context, "actor" | "db" | "bucket" | "images" | "config" | "clock" | "ids" | "defer">,
  file: { readonly filename: string; read(): Promise<Uint8Array | null> },
): Promise<ResolvedFile> {
  const incoming = { statedBytes: null, read: () => file.read() };
  const check = checkTypeAndSize(ctx.images !== null);
  const received = await writeStagedFile(ctx, incoming, check, {
    name: ctx.ids.secretUuid(),
    maxInMemoryBytes: IN_MEMORY_UPLOAD_BYTES,
  });
  if (!received.ok) {
    if (typeof received.problem === "string") {
      throw new Error("a file without a stated size has no wrong size");
    }
    return refuseContent(received.problem);
  }
  let { staged } = received;
  try {
    const content = await receivedContent(ctx, {
      staged,
      sha256: received.sha256,
      type: check.receivedType(),
      userId: ctx.actor.userId,
      workspaceId: ctx.actor.workspaceId,
      maxInMemoryBytes: IN_MEMORY_UPLOAD_BYTES,
    });
    if (!content.ok) {
      return refuseContent(content.problem);
    }
    ({ staged } = content.value);
    const filename = safeFilename(file.filename, content.value.inspection.contentType);
    const [media] = await saveMedia(ctx, [{ ...content.value, filename }]);
    if (!media) {
      throw new Error("a saved media item is missing");
    }
    return media;
  } finally {
    ctx.defer(deleteStagedFile(ctx.bucket, staged));
  }
}
