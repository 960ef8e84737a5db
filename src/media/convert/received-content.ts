import type { Services } from "#context.ts";
import { isConverted } from "#media/content-types.ts";
import { inspectStagedFile } from "#media/storage/inspect-staged-file.ts";
import type { StagedFile } from "#media/storage/staged-file.ts";
import type { CheckResult, Inspection, ReceivedType } from "#media/types.ts";

/** The form in which a received file is stored. */
export interface ReceivedContent {
  readonly staged: StagedFile;
  /** The hash of the stored bytes. For a HEIC or AVIF image these are the JPEG's, because the JPEG is published. */
  readonly sha256: string;
  readonly inspection: Inspection;
  /**
   * The hash of the original HEIC or AVIF image, if the JPEG is new. The same image then becomes the same JPEG again,
   * even if the encoder changes.
   */
  readonly madeOf?: string;
}

export type ContentServices = Pick<Services, "bucket" | "clock" | "db" | "ids" | "images">;

export interface StagedContent {
  readonly staged: StagedFile;
  readonly sha256: string;
  /** The type that was detected from the first bytes. */
  readonly type: ReceivedType;
  readonly userId: string;
  readonly workspaceId: string;
  /** The largest JPEG (bytes) that stays in memory. */
  readonly maxInMemoryBytes: number;
}

/**
 * Returns the file itself, or the JPEG made from it. The JPEG replaces the file in temporary storage; after a failure
 * the file stays there.
 */
export async function receivedContent(
  services: ContentServices,
  file: StagedContent,
): Promise<CheckResult<ReceivedContent>> {
  const { images } = services;
  if (isConverted(file.type) && images !== null) {
    const { convertStagedFile } = await import("./convert-staged-file.ts");
    return convertStagedFile({ ...services, images }, file);
  }
  const { staged, sha256 } = file;
  const inspected = await inspectStagedFile(services.bucket, staged);
  return inspected.ok ? { ok: true, value: { staged, sha256, inspection: inspected.value } } : inspected;
}
