import { HOUR } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { Images } from "#context.ts";
import { openChunkReader } from "#media/chunk-reader.ts";
import { imagesErrorCode, OUT_OF_TRANSFORMATIONS } from "#media/fit/images-error.ts";
import { CONVERTED_RECIPE, selectFits } from "#media/storage/store-fits.ts";
import { ByteReader } from "#media/formats/byte-reader.ts";
import { inspectHeif } from "#media/formats/heif.ts";
import { CONVERTED_KINDS, unsupported } from "#media/formats/sniff.ts";
import { IMAGES_INPUT } from "#media/limits.ts";
import { inspectStagedFile } from "#media/storage/inspect-staged-file.ts";
import { deleteStagedFile, openStagedFile, readStagedFile, type StagedFile } from "#media/storage/staged-file.ts";
import { type TransferCheck, writeStagedFile } from "#media/storage/write-staged-file.ts";
import { isReady, type ReadyMediaRow } from "#media/store.ts";
import { checkFailed, type CheckResult, type ContentType, type ConvertedType, type MediaFacts } from "#media/types.ts";
import { countUseStatement } from "#quotas/index.ts";
import type { ContentServices, ReceivedContent, StagedContent } from "./received-content.ts";

type ConvertServices = ContentServices & { readonly images: Images };

/** How many images a user may convert in an hour. Each conversion costs money, and uploads can be repeated. */
const CONVERSIONS_PER_HOUR = 200;

const WHITE = "#ffffff";
/**
 * The JPEG qualities to try, from the best. Each try is a paid call, and the first result is nearly always small
 * enough.
 */
const QUALITIES = [90, 80, 70] as const;

/** Thrown if the images service made no JPEG for a reason other than our own storage. */
class NotConverted extends Error {
  override readonly name = "NotConverted";
  readonly code: number | null;
  constructor(cause: unknown) {
    super(String(cause));
    this.code = imagesErrorCode(cause);
  }
}

/**
 * Returns the JPEG of a HEIC or AVIF image: a stored one, or a new one. A new JPEG lacks the data that the camera
 * added, for example the place.
 */
export async function convertStagedFile(
  services: ConvertServices,
  file: StagedContent,
): Promise<CheckResult<ReceivedContent>> {
  const { staged, sha256, workspaceId } = file;
  const { bucket, db } = services;
  const inspected = await inspectHeif(
    new ByteReader(staged.sizeBytes, (offset, length) => readStagedFile(bucket, staged, offset, length)),
  );
  if (!inspected.ok) {
    return inspected;
  }
  const known = await selectFits(db, { workspaceId }, [{ sha256, recipe: CONVERTED_RECIPE }]);
  const jpeg = known.find(isReady);
  const content = jpeg ? storedContent(jpeg) : await makeJpeg(services, file, inspected.value);
  if (content.ok) {
    await deleteStagedFile(bucket, staged);
  }
  return content;
}

/** The content of a JPEG that is already stored, so that no bytes need to be written. */
function storedContent(row: ReadyMediaRow): CheckResult<ReceivedContent> {
  const { type, contentType, width, height, durationMs, facts, sha256, sizeBytes } = row;
  const inspection = {
    type,
    contentType: contentType as ContentType,
    width,
    height,
    durationMs,
    facts: JSON.parse(facts) as MediaFacts,
  };
  return { ok: true, value: { staged: { sizeBytes, inMemory: null, objects: [] }, sha256, inspection } };
}

const SIZE_CHECK: TransferCheck<"too_large"> = {
  checkHead: () => null,
  checkSize: (bytes) => (bytes > IMAGES_INPUT.maxBytes ? "too_large" : null),
};

/** Writes the JPEG to temporary storage while it arrives from the images service. Null if it is too large. */
async function stageJpeg(
  { bucket, images, ids }: ConvertServices,
  { staged, maxInMemoryBytes }: StagedContent,
  quality: number,
): Promise<{ readonly staged: StagedFile; readonly sha256: string } | null> {
  const orNotConverted = async <T>(step: Promise<T>): Promise<T> => {
    try {
      return await step;
    } catch (error) {
      throw new NotConverted(error);
    }
  };
  const source = openStagedFile(bucket, staged);
  const jpeg = await orNotConverted(images.convert(source, { format: "image/jpeg", quality, background: WHITE }));
  const reader = openChunkReader(jpeg);
  try {
    const result = await writeStagedFile(
      { bucket },
      { statedBytes: null, read: () => orNotConverted(reader.next()) },
      SIZE_CHECK,
      { name: ids.secretUuid(), maxInMemoryBytes },
    );
    return result.ok ? { staged: result.staged, sha256: result.sha256 } : null;
  } finally {
    reader.close();
  }
}

async function makeJpeg(
  services: ConvertServices,
  file: StagedContent,
  type: ConvertedType,
): Promise<CheckResult<ReceivedContent>> {
  const kind = CONVERTED_KINDS[type];
  const counted = await countUseStatement(services.db, {
    userId: file.userId,
    hour: Math.floor(services.clock.now() / HOUR),
    counters: [{ name: "conversions", count: 1, limit: CONVERSIONS_PER_HOUR }],
  }).all();
  if (counted.results.length === 0) {
    return checkFailed(
      "quota_exceeded",
      `${CONVERSIONS_PER_HOUR} HEIC and AVIF images were converted in this hour: try again in the next one, or use a JPEG`,
      { limit: CONVERSIONS_PER_HOUR, actual: CONVERSIONS_PER_HOUR },
    );
  }
  try {
    for (const quality of QUALITIES) {
      const made = await stageJpeg(services, file, quality);
      if (made !== null) {
        return await inspectJpeg(services, made, file.sha256, kind);
      }
    }
  } catch (error) {
    if (!(error instanceof NotConverted)) {
      throw error;
    }
    log("warn", "media.not_converted", { type, code: error.code, reason: error.message });
    return error.code === OUT_OF_TRANSFORMATIONS
      ? unsupported(kind, ", and this installation has used its image transformations of the month")
      : unsupported(kind, NO_JPEG);
  }
  return checkFailed(
    "media_too_large",
    `the JPEG made of the image would have more than ${IMAGES_INPUT.maxBytes / 1_000_000} MB; make the image smaller`,
    { limit: IMAGES_INPUT.maxBytes },
  );
}

const NO_JPEG = ", and no JPEG could be made of it";

/** Checks the JPEG like any upload, because another service made it. */
async function inspectJpeg(
  { bucket }: ConvertServices,
  made: { readonly staged: StagedFile; readonly sha256: string },
  madeOf: string,
  kind: string,
): Promise<CheckResult<ReceivedContent>> {
  const inspected = await inspectStagedFile(bucket, made.staged);
  if (inspected.ok && inspected.value.contentType === "image/jpeg") {
    return { ok: true, value: { ...made, inspection: inspected.value, madeOf } };
  }
  await deleteStagedFile(bucket, made.staged);
  log("warn", "media.not_converted", {
    type: kind,
    code: null,
    reason: inspected.ok ? `it became ${inspected.value.contentType}` : inspected.problem.message,
  });
  return unsupported(kind, NO_JPEG);
}
