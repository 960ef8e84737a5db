import type { Bucket } from "#context.ts";
import { ByteReader } from "#media/formats/byte-reader.ts";
import { inspectFile } from "#media/formats/inspect-file.ts";
import { readStagedFile, type StagedFile } from "./staged-file.ts";

export async function inspectStagedFile(bucket: Bucket, staged: StagedFile) {
  return inspectFile(
    new ByteReader(staged.sizeBytes, (offset, length) => readStagedFile(bucket, staged, offset, length)),
  );
}
