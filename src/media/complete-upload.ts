import { toHex } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { inspectStaged } from "./fetch-media.ts";
import { finishUpload } from "./finish-upload.ts";
import { findOpenUpload, partsOf, type UploadServices } from "./open-upload.ts";
import { agreed, refuseContent } from "./receive.ts";
import type { UploadGrant } from "./signature.ts";
import { discardStaged, hashStaged, type Staged } from "./staged.ts";
import { partSizes } from "./start-upload.ts";
import { dropUploads, type UploadRow } from "./store-uploads.ts";
import type { ResolvedMedia } from "./types.ts";

function refuseIncomplete(missing: readonly number[]): never {
  refuse({
    code: "invalid_state",
    message: `${missing.length} parts are missing: send them first`,
    details: missing.map((part) => ({ code: "part_missing", message: `part ${part} is missing`, actual: part })),
  });
}

function stagedParts(upload: UploadRow): Staged {
  const sizes = partSizes(upload.sizeBytes, upload.partSizeBytes) ?? [upload.sizeBytes];
  const objects = sizes.map((sizeBytes, index) => ({ key: upload.parts[String(index + 1)] ?? "", sizeBytes }));
  return { sizeBytes: upload.sizeBytes, held: null, objects };
}

/** Puts the parts together, once. Parts that are not the file they were said to be end the upload. */
export async function completeUpload(services: UploadServices, grant: UploadGrant): Promise<ResolvedMedia> {
  const upload = await findOpenUpload(services, grant);
  const { missing } = partsOf(upload);
  if (missing.length > 0) {
    refuseIncomplete(missing);
  }
  const staged = stagedParts(upload);
  const inspected = await inspectStaged(services.bucket, staged);
  const checked = inspected.ok ? agreed(upload.contentType, inspected.value) : inspected;
  if (!checked.ok) {
    await dropUploads(services.db, [upload.id]);
    services.defer(discardStaged(services.bucket, staged));
    return refuseContent(checked.problem);
  }
  const sha256 = toHex(new Uint8Array(await hashStaged(services.bucket, staged)));
  const media = await finishUpload(services, upload, { staged, sha256, inspection: checked.value });
  services.defer(discardStaged(services.bucket, staged));
  return media;
}
