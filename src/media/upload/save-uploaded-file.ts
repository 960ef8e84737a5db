import { refuse } from "#core/errors.ts";
import { failpoint } from "#core/failpoint.ts";
import { safeFilename } from "#media/filename.ts";
import type { ReceivedContent } from "#media/convert/received-content.ts";
import { rememberConverted, writeObject } from "#media/storage/save-media.ts";
import { REMOVAL_WAIT_ATTEMPTS, REMOVAL_WAIT_MS } from "#media/limits.ts";
import { refuseCompletedUpload, type UploadServices } from "./find-upload.ts";
import { type ReadyMediaRow, toResolved } from "#media/store.ts";
import { closeUpload, type UploadedMediaRow, assignUploadedContent, type UploadRow } from "./store-uploads.ts";
import type { ResolvedFile } from "#media/types.ts";

async function assignMediaRow(
  services: UploadServices,
  upload: UploadRow,
  file: ReceivedContent,
): Promise<UploadedMediaRow & ReadyMediaRow> {
  const namedFile = {
    sha256: file.sha256,
    inspection: file.inspection,
    filename: safeFilename(upload.filename, file.inspection.contentType),
    sizeBytes: file.staged.sizeBytes,
  };
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

/** Saves uploaded bytes as a media item. After a crash at any point, the call can be repeated. */
export async function saveUploadedFile(
  services: UploadServices,
  upload: UploadRow,
  file: ReceivedContent,
): Promise<ResolvedFile> {
  const row = await assignMediaRow(services, upload, file);
  await failpoint("media.before_store");
  if (row.state === "storing" && row.stored === 0) {
    await writeObject(services, file.staged, file.sha256, row);
  }
  await failpoint("media.before_ready");
  if (!(await closeUpload(services.db, upload, row, services.clock.now()))) {
    refuseCompletedUpload();
  }
  await rememberConverted(services, upload.workspaceId, [{ ...file, mediaId: row.id }]);
  return toResolved(row, services.config);
}
