import { refuse } from "#core/errors.ts";
import { failpoint } from "#core/failpoint.ts";
import { safeFilename } from "./filename.ts";
import { storeObject } from "./keep.ts";
import { REMOVAL_TRIES, REMOVAL_WAIT_MS } from "./limits.ts";
import { refuseUsed, type UploadServices } from "./open-upload.ts";
import type { Staged } from "./staged.ts";
import { type ServedMedia, toResolved } from "./store.ts";
import { closeUpload, type SettledRow, settleUpload, type UploadRow } from "./store-uploads.ts";
import type { Inspection, ResolvedMedia } from "./types.ts";

export interface UploadedFile {
  readonly staged: Staged;
  readonly sha256: string;
  readonly inspection: Inspection;
}

async function settle(
  services: UploadServices,
  upload: UploadRow,
  file: UploadedFile,
): Promise<SettledRow & ServedMedia> {
  const named = { ...file, filename: safeFilename(upload.filename, file.inspection.contentType) };
  for (let attempt = 1; ; attempt += 1) {
    const row = await settleUpload(services.db, upload, named, services.clock.now());
    if (!row) {
      refuse({ code: "not_found", message: "there is no such upload, or it was given up" });
    }
    const { sha256 } = row;
    if (row.uploadState === "complete" || (sha256 !== null && sha256 !== file.sha256)) {
      refuseUsed();
    }
    if (sha256 !== null) {
      return { ...row, sha256 };
    }
    if (attempt === REMOVAL_TRIES) {
      refuse({
        code: "invalid_state",
        message: "an unused copy of this file is being removed; try again in ten minutes",
      });
    }
    await scheduler.wait(REMOVAL_WAIT_MS);
  }
}

/** Makes the uploaded bytes a media item that can be used. Safe to run again after a crash at any point. */
export async function finishUpload(
  services: UploadServices,
  upload: UploadRow,
  file: UploadedFile,
): Promise<ResolvedMedia> {
  const row = await settle(services, upload, file);
  await failpoint("media.before_store");
  if (row.state === "storing" && row.stored === 0) {
    await storeObject(services, file.staged, file.sha256, row);
  }
  await failpoint("media.before_ready");
  if (!(await closeUpload(services.db, upload, row, services.clock.now()))) {
    refuseUsed();
  }
  return toResolved(row, services.config);
}
