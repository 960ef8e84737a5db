import { receivedContent } from "#media/convert/received-content.ts";
import { saveUploadedFile } from "./save-uploaded-file.ts";
import { IN_MEMORY_UPLOAD_BYTES } from "#media/limits.ts";
import { findOpenUpload, type UploadServices } from "./find-upload.ts";
import { checkDetectedType, receiveUploadBody, refuseContent, type UploadBody } from "./receive-upload-body.ts";
import type { UploadGrant } from "./signed-upload-url.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import type { ResolvedFile } from "#media/types.ts";

/** Receives a whole file in one request. After a refused or interrupted transfer, the client can use the URL again. */
export async function receiveFile(
  services: UploadServices,
  grant: UploadGrant,
  body: UploadBody,
): Promise<ResolvedFile> {
  const upload = await findOpenUpload(services, grant);
  const name = `${upload.id}/${services.ids.secretUuid()}`;
  const received = await receiveUploadBody(services, grant, body, {
    name,
    maxInMemoryBytes: IN_MEMORY_UPLOAD_BYTES,
    isFileStart: true,
  });
  let { staged } = received;
  try {
    const content = await receivedContent(services, {
      ...received,
      type: upload.contentType,
      userId: upload.userId,
      workspaceId: upload.workspaceId,
      maxInMemoryBytes: IN_MEMORY_UPLOAD_BYTES,
    });
    if (!content.ok) {
      return refuseContent(content.problem);
    }
    ({ staged } = content.value);
    const checked = checkDetectedType(upload.contentType, content.value.inspection);
    return checked.ok ? await saveUploadedFile(services, upload, content.value) : refuseContent(checked.problem);
  } finally {
    services.defer(deleteStagedFile(services.bucket, staged));
  }
}
