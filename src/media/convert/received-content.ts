import type { Services } from "#context.ts";
import { isConverted } from "#media/content-types.ts";
import { inspectStagedFile } from "#media/storage/inspect-staged-file.ts";
import type { StagedFile } from "#media/storage/staged-file.ts";
import type { CheckResult, Inspection, ReceivedType } from "#media/types.ts";

/** What is stored of a received file. */
export interface ReceivedContent {
  readonly staged: StagedFile;
  /** Of the bytes that are stored, so of the JPEG that was made of a HEIC or AVIF image: these are served and published. */
  readonly sha256: string;
  readonly inspection: Inspection;
  /** The hash of the HEIC or AVIF image when the JPEG is new; the same image becomes the same JPEG afterwards, whatever the encoder does. */
  readonly madeOf?: string;
}

export type ContentServices = Pick<Services, "bucket" | "db" | "ids" | "images">;

export interface StagedContent {
  readonly staged: StagedFile;
  readonly sha256: string;
  /** By its first bytes. */
  readonly type: ReceivedType;
  readonly workspaceId: string;
  /** A JPEG up to this size stays in memory. */
  readonly maxInMemoryBytes: number;
}

/** The file itself, or the JPEG made of it, whose staged bytes replace those of the file. What fails leaves the file staged. */
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
