import type { Context } from "#context.ts";
import { CONTENT_TYPES } from "./content-types.ts";
import { filenameOf, safeFilename } from "./filename.ts";
import { ByteReader } from "./formats/byte-reader.ts";
import { sniff } from "./formats/sniff.ts";
import { inspect } from "./inspect.ts";
import type { Arrived } from "./keep.ts";
import { type ImportLimits, LIMIT_WORDS } from "./limits.ts";
import { SourceStopped } from "./pieces.ts";
import { openSource, type Source } from "./source.ts";
import { stage, type Watch } from "./stage.ts";
import { discardStaged, readStaged, type Staged } from "./staged.ts";
import { bad, type Checked, type MediaProblem } from "./types.ts";

type Needs = Pick<Context, "bucket" | "config" | "clock" | "ids" | "outbound">;

/** Ends a transfer as soon as its first bytes are of no use or it grows past what their type may have. */
function watchSource(source: Source, limits: ImportLimits): Watch<MediaProblem> {
  let most = 0;
  let tooLarge: (bytes: number) => MediaProblem | null = () => null;
  return {
    first(head) {
      const sniffed = head.length === 0 ? bad("media_empty", "the source sent an empty file") : sniff(head);
      if (!sniffed.ok) {
        return sniffed.problem;
      }
      const { type } = CONTENT_TYPES[sniffed.value];
      const typeLimit = limits.maxBytes[type];
      const unpacking = source.compressed && limits.maxUnpackedBytes < typeLimit;
      most = unpacking ? limits.maxUnpackedBytes : typeLimit;
      tooLarge = (actual) =>
        bad(
          "media_too_large",
          unpacking
            ? `the source compresses the file, and what it unpacks to passes ${most} bytes; have it sent uncompressed`
            : `the ${type} has more than ${most === limits.maxBytes[type] ? LIMIT_WORDS[type] : most}; make it smaller`,
          { limit: most, actual },
        ).problem;
      return source.statedBytes !== null && source.statedBytes > most ? tooLarge(source.statedBytes) : null;
    },
    grown: (bytes) => (most > 0 && bytes > most ? tooLarge(bytes) : null),
  };
}

export async function inspectStaged(bucket: R2Bucket, staged: Staged) {
  return inspect(new ByteReader(staged.sizeBytes, (offset, length) => readStaged(bucket, staged, offset, length)));
}

async function receive(ctx: Needs, source: Source, limits: ImportLimits, holdBytes: number): Promise<Checked<Arrived>> {
  const end = await stage(ctx, source, watchSource(source, limits), { name: ctx.ids.secretUuid(), holdBytes });
  if (!end.ok) {
    return end.problem === "too_short" || end.problem === "too_long"
      ? bad(
          "source_broke_off",
          `the source promised ${source.statedBytes} bytes and sent ${end.problem === "too_short" ? "fewer" : "more"}; try again`,
        )
      : { ok: false, problem: end.problem };
  }
  let taken = false;
  try {
    const inspected = await inspectStaged(ctx.bucket, end.staged);
    taken = inspected.ok;
    if (!inspected.ok) {
      return inspected;
    }
    const filename = safeFilename(filenameOf(source.url), inspected.value.contentType);
    return { ok: true, value: { staged: end.staged, sha256: end.sha256, inspection: inspected.value, filename } };
  } finally {
    await (taken ? null : discardStaged(ctx.bucket, end.staged));
  }
}

/** Fetches one public address into staging and looks into it. Files up to `holdBytes` stay in memory. */
export async function fetchMedia(
  ctx: Needs,
  url: string,
  limits: ImportLimits,
  holdBytes: number,
): Promise<Checked<Arrived>> {
  const opened = await openSource(ctx, url, limits);
  if (!opened.ok) {
    return opened;
  }
  const source = opened.value;
  const most = limits.maxBytes.video;
  if (source.statedBytes !== null && source.statedBytes > most) {
    source.close();
    return bad("media_too_large", `the file has more than ${LIMIT_WORDS.video}; make it smaller`, {
      limit: most,
      actual: source.statedBytes,
    });
  }
  try {
    return await receive(ctx, source, limits, holdBytes);
  } catch (error) {
    if (error instanceof SourceStopped) {
      return bad("source_broke_off", `${error.message}; try again or use another address`);
    }
    throw error;
  } finally {
    source.close();
  }
}
