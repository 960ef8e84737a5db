import { refuse } from "#core/errors.ts";
import { findOpenUpload, partsOf, type UploadParts, type UploadServices } from "./open-upload.ts";
import { receiveBytes, type UploadBody } from "./receive.ts";
import type { UploadGrant } from "./signature.ts";
import { discardStaged } from "./staged.ts";
import { recordPart } from "./store-uploads.ts";

function refuseSecond(partNumber: number): never {
  refuse({ code: "invalid_state", message: `part ${partNumber} is already here; go on with the next one` });
}

/** Takes one part, in any order; the first complete transfer of a part counts, and what is left to send is told. */
export async function receivePart(
  services: UploadServices,
  grant: UploadGrant,
  partNumber: number,
  body: UploadBody,
): Promise<UploadParts & { readonly partNumber: number }> {
  const upload = await findOpenUpload(services, grant);
  if (Object.hasOwn(upload.parts, String(partNumber))) {
    refuseSecond(partNumber);
  }
  const name = `${upload.id}/${services.ids.secretUuid()}`;
  const { staged } = await receiveBytes(services, grant, body, { name, holdBytes: 0, begins: partNumber === 1 });
  const key = staged.objects[0]?.key ?? "";
  const parts = await recordPart(services.db, { uploadId: upload.id, partNumber, key });
  if (!parts) {
    await discardStaged(services.bucket, staged);
    refuseSecond(partNumber);
  }
  return { partNumber, ...partsOf({ ...upload, parts }) };
}
