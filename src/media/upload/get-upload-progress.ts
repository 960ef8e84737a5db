import type { Services } from "#context.ts";
import { findGrantedUpload, uploadParts, type UploadParts } from "./find-upload.ts";
import type { UploadGrant } from "./signed-upload-url.ts";

export interface UploadProgress extends UploadParts {
  readonly state: "open" | "complete";
  readonly expiresAt: number;
}

/** Lists the received and the missing parts of an upload, so that a client can resume it. */
export async function getUploadProgress(
  services: Pick<Services, "db" | "clock">,
  grant: UploadGrant,
): Promise<UploadProgress> {
  const upload = await findGrantedUpload(services, grant);
  return { state: upload.state, expiresAt: upload.expiresAt, ...uploadParts(upload) };
}
