import type { Services } from "#context.ts";
import { findGrantedUpload, uploadParts, type UploadParts } from "./find-upload.ts";
import type { UploadGrant } from "./signed-upload-url.ts";

export interface UploadProgress extends UploadParts {
  readonly state: "open" | "complete";
  readonly expiresAt: number;
}

/** The received and missing parts, so that an interrupted upload can be resumed. */
export async function getUploadProgress(
  services: Pick<Services, "db" | "clock">,
  grant: UploadGrant,
): Promise<UploadProgress> {
  const upload = await findGrantedUpload(services, grant);
  return { state: upload.state, expiresAt: upload.expiresAt, ...uploadParts(upload) };
}
