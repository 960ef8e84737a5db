import { refuse } from "#core/errors.ts";
import { failpoint } from "#core/failpoint.ts";
import { safeFilename } from "#media/filename.ts";
import { writeObject } from "#media/storage/save-media.ts";
import { REMOVAL_WAIT_ATTEMPTS, REMOVAL_WAIT_MS } from "#media/limits.ts";
import { refuseCompletedUpload, type UploadServices } from "./find-upload.ts";
import type { StagedFile } from "#media/storage/staged-file.ts";
import { type ReadyMediaRow, toResolved } from "#media/store.ts";
import { closeUpload, type UploadedMediaRow, assignUploadedContent, type UploadRow } from "./store-uploads.ts";
import type { Inspection, ResolvedMedia } from "#media/types.ts";

export interface UploadedFile {
  readonly staged: StagedFile;
  readonly sha256: string;
  readonly inspection: Inspection;
}

async function assignMediaRow(
  services: UploadServices,
  upload: UploadRow,
  file: UploadedFile,
): Promise<UploadedMediaRow & ReadyMediaRow> {
  const namedFile = { ...file, filename: safeFilename(upload.filename, file.inspection.contentType) };
  for (let attempt = 1; ; attempt += 1) {
    const row = await assignUploadedContent(services.db, upload, namedFile, services.clock.now());
    if (!row) {
      refuse({ code: "not_found", message: "there is no such upload, or it was deleted" });
    }
    const { sha256 } = row;
    if (row.uploadState === "complete" || (sha256 !== null && sha256 !== file.sha256)) {
      refuseCompletedUpload();
    }
    if (sha256 !== null) {
      return { ...row, sha256 };
    }
    if (attempt === REMOVAL_WAIT_ATTEMPTS) {
      refuse({
        code: "invalid_state",
        message: "an unused copy of this file is being removed; try again in ten minutes",
      });
    }
    await scheduler.wait(REMOVAL_WAIT_MS);
  }
}

/** Saves the uploaded bytes as a media item. Can be repeated after a crash at any point. */
export async function saveUploadedFile(
  services: UploadServices,
  upload: UploadRow,
  file: UploadedFile,
): Promise<ResolvedMedia> {
  const row = await assignMediaRow(services, upload, file);
  await failpoint("media.before_store");
  if (row.state === "storing" && row.stored === 0) {
    await writeObject(services, file.staged, file.sha256, row);
  }
  await failpoint("media.before_ready");
  if (!(await closeUpload(services.db, upload, row, services.clock.now()))) {
    refuseCompletedUpload();
  }
  return toResolved(row, services.config);
}
