import type { Services } from "#context.ts";
import { refuse } from "#core/errors.ts";
import type { UploadGrant } from "./signed-upload-url.ts";
import { partSizes } from "./start-upload.ts";
import { findUpload, type UploadRow } from "./store-uploads.ts";

/** The services of the upload routes. There is no actor, because a signed URL authorizes the caller. */
export type UploadServices = Pick<Services, "db" | "bucket" | "images" | "config" | "clock" | "ids" | "defer">;

export function refuseCompletedUpload(): never {
  refuse({
    code: "invalid_state",
    message: "this upload is complete and its URL cannot be used again; start a new upload for another file",
  });
}

/** Finds the upload of a signed URL, and refuses a completed one. */
export async function findOpenUpload(
  { db, clock }: Pick<Services, "db" | "clock">,
  grant: UploadGrant,
): Promise<UploadRow> {
  const upload = await findGrantedUpload({ db, clock }, grant);
  if (upload.state !== "open") {
    refuseCompletedUpload();
  }
  return upload;
}

export async function findGrantedUpload(
  { db, clock }: Pick<Services, "db" | "clock">,
  grant: UploadGrant,
): Promise<UploadRow> {
  if (grant.expiresAt <= clock.now()) {
    refuse({ code: "invalid_state", message: "this upload URL has expired; start a new upload" });
  }
  const upload = await findUpload(db, grant.uploadId);
  if (!upload) {
    refuse({ code: "not_found", message: "there is no such upload, or it was deleted" });
  }
  return upload;
}

export interface UploadParts {
  readonly received: readonly number[];
  readonly missing: readonly number[];
}

export function uploadParts(upload: Pick<UploadRow, "sizeBytes" | "partSizeBytes" | "parts" | "state">): UploadParts {
  const numbers = (partSizes(upload.sizeBytes, upload.partSizeBytes) ?? [upload.sizeBytes]).map(
    (_, index) => index + 1,
  );
  const isReceived = (number: number) => upload.state === "complete" || Object.hasOwn(upload.parts, String(number));
  return { received: numbers.filter(isReceived), missing: numbers.filter((number) => !isReceived(number)) };
}
