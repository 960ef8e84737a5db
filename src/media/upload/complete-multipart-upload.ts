import { toHex } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { inspectStagedFile } from "#media/storage/inspect-staged-file.ts";
import { saveUploadedFile } from "./save-uploaded-file.ts";
import { findOpenUpload, uploadParts, type UploadServices } from "./find-upload.ts";
import { checkDetectedType, refuseContent } from "./receive-upload-body.ts";
import type { UploadGrant } from "./signed-upload-url.ts";
import { deleteStagedFile, hashStagedFile, type StagedFile } from "#media/storage/staged-file.ts";
import { partSizes } from "./start-upload.ts";
import { deleteOpenUploads, type UploadRow } from "./store-uploads.ts";
import type { ResolvedFile } from "#media/types.ts";

function refuseIncomplete(missing: readonly number[]): never {
  refuse({
    code: "invalid_state",
    message: `${missing.length} parts are missing; send them first`,
    details: missing.map((part) => ({ code: "part_missing", message: `part ${part} is missing`, actual: part })),
  });
}

function partsAsStagedFile(upload: UploadRow): StagedFile {
  const sizes = partSizes(upload.sizeBytes, upload.partSizeBytes) ?? [upload.sizeBytes];
  const objects = sizes.map((sizeBytes, index) => ({ key: upload.parts[String(index + 1)] ?? "", sizeBytes }));
  return { sizeBytes: upload.sizeBytes, inMemory: null, objects };
}

/** Completes a multipart upload, once. If the parts are not a file of the declared type, the upload is deleted. */
export async function completeMultipartUpload(services: UploadServices, grant: UploadGrant): Promise<ResolvedFile> {
  const upload = await findOpenUpload(services, grant);
  const { missing } = uploadParts(upload);
  if (missing.length > 0) {
    refuseIncomplete(missing);
  }
  const staged = partsAsStagedFile(upload);
  const inspected = await inspectStagedFile(services.bucket, staged);
  const checked = inspected.ok ? checkDetectedType(upload.contentType, inspected.value) : inspected;
  if (!checked.ok) {
    await deleteOpenUploads(services.db, [upload.id]);
    services.defer(deleteStagedFile(services.bucket, staged));
    return refuseContent(checked.problem);
  }
  const sha256 = toHex(new Uint8Array(await hashStagedFile(services.bucket, staged)));
  const media = await saveUploadedFile(services, upload, { staged, sha256, inspection: checked.value });
  services.defer(deleteStagedFile(services.bucket, staged));
  return media;
}
