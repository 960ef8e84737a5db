import { inspectStagedFile } from "#media/storage/inspect-staged-file.ts";
import { saveUploadedFile } from "./save-uploaded-file.ts";
import { IN_MEMORY_UPLOAD_BYTES } from "#media/limits.ts";
import { findOpenUpload, type UploadServices } from "./find-upload.ts";
import { checkDetectedType, receiveUploadBody, refuseContent, type UploadBody } from "./receive-upload-body.ts";
import type { UploadGrant } from "./signed-upload-url.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import type { ResolvedMedia } from "#media/types.ts";

/** Receives a whole file in one request. After a refused or interrupted transfer the URL can be used again. */
export async function receiveFile(
  services: UploadServices,
  grant: UploadGrant,
  body: UploadBody,
): Promise<ResolvedMedia> {
  const upload = await findOpenUpload(services, grant);
  const name = `${upload.id}/${services.ids.secretUuid()}`;
  const { staged, sha256 } = await receiveUploadBody(services, grant, body, {
    name,
    maxInMemoryBytes: IN_MEMORY_UPLOAD_BYTES,
    isFileStart: true,
  });
  try {
    const inspected = await inspectStagedFile(services.bucket, staged);
    const checked = inspected.ok ? checkDetectedType(upload.contentType, inspected.value) : inspected;
    if (!checked.ok) {
      return refuseContent(checked.problem);
    }
    return await saveUploadedFile(services, upload, { staged, sha256, inspection: checked.value });
  } finally {
    services.defer(deleteStagedFile(services.bucket, staged));
  }
}
