import type { Services } from "#context.ts";
import { isConverted } from "#media/content-types.ts";
import { inspectStagedFile } from "#media/storage/inspect-staged-file.ts";
import type { StagedFile } from "#media/storage/staged-file.ts";
import type { CheckResult, Inspection, ReceivedType } from "#media/types.ts";

/** The stored form of a received file. */
export interface ReceivedContent {
  readonly staged: StagedFile;
  /** The hash of the stored bytes. For a HEIC or AVIF image this is the JPEG, because the JPEG is served and published. */
  readonly sha256: string;
  readonly inspection: Inspection;
  /**
   * The hash of the HEIC or AVIF image when the JPEG is new. It lets the same image become the same JPEG later, even if the encoder
   * changes.
   */
  readonly madeOf?: string;
}

export type ContentServices = Pick<Services, "bucket" | "clock" | "db" | "ids" | "images">;

export interface StagedContent {
  readonly staged: StagedFile;
  readonly sha256: string;
  /** Detected from the first bytes. */
  readonly type: ReceivedType;
  readonly userId: string;
  readonly workspaceId: string;
  /** A JPEG up to this size stays in memory. */
  readonly maxInMemoryBytes: number;
}

/** Returns the file itself, or the JPEG made of it. The staged JPEG replaces the staged file; after a failure the file stays staged. */
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
