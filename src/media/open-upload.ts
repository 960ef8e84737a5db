import type { Services } from "#context.ts";
import { refuse } from "#core/errors.ts";
import type { UploadGrant } from "./signature.ts";
import { partSizes } from "./start-upload.ts";
import { findUpload, type UploadRow } from "./store-uploads.ts";

/** Everything an upload needs; its proof is the signed address, so there is no actor. */
export type UploadServices = Pick<Services, "db" | "bucket" | "config" | "clock" | "ids" | "defer">;

export function refuseUsed(): never {
  refuse({
    code: "invalid_state",
    message: "this upload is complete and its address used up; start a new upload for another file",
  });
}

/** The upload behind a signed address, while it may still be used. */
export async function findOpenUpload(
  { db, clock }: Pick<Services, "db" | "clock">,
  grant: UploadGrant,
): Promise<UploadRow> {
  const upload = await findGrantedUpload({ db, clock }, grant);
  if (upload.state !== "open") {
    refuseUsed();
  }
  return upload;
}

export async function findGrantedUpload(
  { db, clock }: Pick<Services, "db" | "clock">,
  grant: UploadGrant,
): Promise<UploadRow> {
  if (grant.expiresAt <= clock.now()) {
    refuse({ code: "invalid_state", message: "this upload address has expired; start a new upload" });
  }
  const upload = await findUpload(db, grant.uploadId);
  if (!upload) {
    refuse({ code: "not_found", message: "there is no such upload, or it was given up" });
  }
  return upload;
}

export interface UploadParts {
  readonly received: readonly number[];
  readonly missing: readonly number[];
}

export function partsOf(upload: Pick<UploadRow, "sizeBytes" | "partSizeBytes" | "parts" | "state">): UploadParts {
  const numbers = (partSizes(upload.sizeBytes, upload.partSizeBytes) ?? [upload.sizeBytes]).map(
    (_, index) => index + 1,
  );
  const here = (number: number) => upload.state === "complete" || Object.hasOwn(upload.parts, String(number));
  return { received: numbers.filter(here), missing: numbers.filter((number) => !here(number)) };
}
