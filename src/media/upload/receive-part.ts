import { refuse } from "#core/errors.ts";
import { findOpenUpload, uploadParts, type UploadParts, type UploadServices } from "./find-upload.ts";
import { receiveUploadBody, type UploadBody } from "./receive-upload-body.ts";
import type { UploadGrant } from "./signed-upload-url.ts";
import { deleteStagedFile } from "#media/storage/staged-file.ts";
import { recordPart } from "./store-uploads.ts";

function refuseDuplicatePart(partNumber: number): never {
  refuse({ code: "invalid_state", message: `part ${partNumber} was already received; continue with the next one` });
}

/**
 * Receives one part of an upload, in any order. The first complete transfer of a part counts. The result lists the
 * missing parts.
 */
export async function receivePart(
  services: UploadServices,
  grant: UploadGrant,
  partNumber: number,
  body: UploadBody,
): Promise<UploadParts & { readonly partNumber: number }> {
  const upload = await findOpenUpload(services, grant);
  if (Object.hasOwn(upload.parts, String(partNumber))) {
    refuseDuplicatePart(partNumber);
  }
  const name = `${upload.id}/${services.ids.secretUuid()}`;
  const { staged } = await receiveUploadBody(services, grant, body, {
    name,
    maxInMemoryBytes: 0,
    isFileStart: partNumber === 1,
  });
  const key = staged.objects[0]?.key ?? "";
  const parts = await recordPart(services.db, { uploadId: upload.id, partNumber, key });
  if (!parts) {
    await deleteStagedFile(services.bucket, staged);
    refuseDuplicatePart(partNumber);
  }
  return { partNumber, ...uploadParts({ ...upload, parts }) };
}
