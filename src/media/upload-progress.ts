import type { Services } from "#context.ts";
import { findGrantedUpload, partsOf, type UploadParts } from "./open-upload.ts";
import type { UploadGrant } from "./signature.ts";

export interface UploadProgress extends UploadParts {
  readonly state: "open" | "complete";
  readonly expiresAt: number;
}

/** What has arrived, so that a broken upload goes on where it stopped. */
export async function getUploadProgress(
  services: Pick<Services, "db" | "clock">,
  grant: UploadGrant,
): Promise<UploadProgress> {
  const upload = await findGrantedUpload(services, grant);
  return { state: upload.state, expiresAt: upload.expiresAt, ...partsOf(upload) };
}
