import { inspectStaged } from "./fetch-media.ts";
import { finishUpload } from "./finish-upload.ts";
import { HELD_UPLOAD_BYTES } from "./limits.ts";
import { findOpenUpload, type UploadServices } from "./open-upload.ts";
import { agreed, receiveBytes, refuseContent, type UploadBody } from "./receive.ts";
import type { UploadGrant } from "./signature.ts";
import { discardStaged } from "./staged.ts";
import type { ResolvedMedia } from "./types.ts";

/** Takes a whole file in one request. A refused or broken transfer leaves the address as it was. */
export async function receiveFile(
  services: UploadServices,
  grant: UploadGrant,
  body: UploadBody,
): Promise<ResolvedMedia> {
  const upload = await findOpenUpload(services, grant);
  const name = `${upload.id}/${services.ids.secretUuid()}`;
  const { staged, sha256 } = await receiveBytes(services, grant, body, {
    name,
    holdBytes: HELD_UPLOAD_BYTES,
    begins: true,
  });
  try {
    const inspected = await inspectStaged(services.bucket, staged);
    const checked = inspected.ok ? agreed(upload.contentType, inspected.value) : inspected;
    if (!checked.ok) {
      return refuseContent(checked.problem);
    }
    return await finishUpload(services, upload, { staged, sha256, inspection: checked.value });
  } finally {
    services.defer(discardStaged(services.bucket, staged));
  }
}
