import type { Context } from "#context.ts";
import { receivedKind } from "#media/content-types.ts";
import { receivedContent } from "#media/convert/received-content.ts";
import { filenameOf, safeFilename } from "#media/filename.ts";
import { sniffReceived } from "#media/formats/sniff.ts";
import type { ReceivedFile } from "#media/storage/save-media.ts";
import { type ImportLimits, MAX_BYTES_TEXT } from "#media/limits.ts";
import { TransferInterrupted } from "#media/chunk-reader.ts";
import { openRemoteFile, type RemoteFile } from "./remote-file.ts";
import { writeStagedFile, type TransferCheck } from "#media/storage/write-staged-file.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import { checkFailed, type CheckResult, type MediaProblem, type ReceivedType } from "#media/types.ts";

type FetchContext = Pick<Context, "actor" | "bucket" | "clock" | "config" | "db" | "ids" | "images" | "outbound">;

/** Ends a transfer as soon as the file has an unsupported type or exceeds the size limit of its type. */
function checkSource(
  source: RemoteFile,
  limits: ImportLimits,
  canConvert: boolean,
): TransferCheck<MediaProblem> & { receivedType(): ReceivedType } {
  let received: ReceivedType = "video/mp4";
  let maxBytes = 0;
  let tooLarge: (bytes: number) => MediaProblem | null = () => null;
  return {
    receivedType: () => received,
    checkHead(head) {
      const sniffed =
        head.length === 0
          ? checkFailed("media_empty", "the source sent an empty file")
          : sniffReceived(head, canConvert);
      if (!sniffed.ok) {
        return sniffed.problem;
      }
      received = sniffed.value;
      const { type, maxBytes: kindLimit, maxBytesText, name } = receivedKind(received);
      const typeLimit = Math.min(limits.maxBytes[type], kindLimit);
      if (typeLimit === 0) {
        return checkFailed("import_first", `${type}s are imported before many posts are previewed`).problem;
      }
      const limitedByUnpacking = source.compressed && limits.maxUnpackedBytes < typeLimit;
      maxBytes = limitedByUnpacking ? limits.maxUnpackedBytes : typeLimit;
      tooLarge = (actual) =>
        checkFailed(
          "media_too_large",
          limitedByUnpacking
            ? `the source compresses the file, and its unpacked size exceeds ${maxBytes} bytes; have it sent uncompressed`
            : `the ${name} has more than ${maxBytes === kindLimit ? maxBytesText : maxBytes}; make it smaller`,
          { limit: maxBytes, actual },
        ).problem;
      return source.statedBytes !== null && source.statedBytes > maxBytes ? tooLarge(source.statedBytes) : null;
    },
    checkSize: (bytes) => (maxBytes > 0 && bytes > maxBytes ? tooLarge(bytes) : null),
  };
}

async function downloadSource(
  ctx: FetchContext,
  source: RemoteFile,
  limits: ImportLimits,
  maxInMemoryBytes: number,
): Promise<CheckResult<ReceivedFile>> {
  const check = checkSource(source, limits, ctx.images !== null);
  const result = await writeStagedFile(ctx, source, check, {
    name: ctx.ids.secretUuid(),
    maxInMemoryBytes,
  });
  if (!result.ok) {
    return result.problem === "too_short" || result.problem === "too_long"
      ? checkFailed(
          "source_broke_off",
          `the source announced ${source.statedBytes} bytes and sent ${result.problem === "too_short" ? "fewer" : "more"}; try again`,
        )
      : { ok: false, problem: result.problem };
  }
  let succeeded = false;
  try {
    const content = await receivedContent(ctx, {
      staged: result.staged,
      sha256: result.sha256,
      type: check.receivedType(),
      userId: ctx.actor.userId,
      workspaceId: ctx.actor.workspaceId,
      maxInMemoryBytes,
    });
    succeeded = content.ok;
    if (!content.ok) {
      return content;
    }
    const filename = safeFilename(filenameOf(source.url), content.value.inspection.contentType);
    return { ok: true, value: { ...content.value, filename } };
  } finally {
    await (succeeded ? null : deleteStagedFile(ctx.bucket, result.staged));
  }
}

/**
 * Downloads a file from a public URL to temporary storage and inspects it. Files up to `maxInMemoryBytes` stay in
 * memory.
 */
export async function fetchMedia(
  ctx: FetchContext,
  url: string,
  limits: ImportLimits,
  maxInMemoryBytes: number,
): Promise<CheckResult<ReceivedFile>> {
  const opened = await openRemoteFile(ctx, url, limits);
  if (!opened.ok) {
    return opened;
  }
  const source = opened.value;
  const maxBytes = Math.max(limits.maxBytes.video, limits.maxBytes.image);
  if (source.statedBytes !== null && source.statedBytes > maxBytes) {
    source.close();
    return checkFailed("media_too_large", `the file has more than ${MAX_BYTES_TEXT.video}; make it smaller`, {
      limit: maxBytes,
      actual: source.statedBytes,
    });
  }
  try {
    return await downloadSource(ctx, source, limits, maxInMemoryBytes);
  } catch (error) {
    if (error instanceof TransferInterrupted) {
      return checkFailed("source_broke_off", `${error.message}; try again or use another URL`);
    }
    throw error;
  } finally {
    source.close();
  }
}
