import { MINUTE } from "#core/clock.ts";
import type { Job, JobFile, PlatformClient, PrepareOutcome } from "#platforms/contract.ts";
import { readAssetProgress } from "./assets.ts";
import { createCommitRef, type DocumentCursor } from "./refs.ts";
import { uploadFile } from "./upload-file.ts";

/* learn.microsoft.com/linkedin/marketing/community-management/shares/documents-api: uploaded whole like an image, then processed. */

/** 100 MB at 5 Mbit/s; below what one step may take. */
const UPLOAD_TIMEOUT_MS = 3 * MINUTE;
const FIRST_POLL_SECONDS = 2;
const POLL_SECONDS = 4;

export async function prepareDocument(
  client: PlatformClient,
  job: Job,
  document: JobFile,
  cursor: DocumentCursor | undefined,
): Promise<PrepareOutcome> {
  if (!cursor) {
    const file = { ...document, contentType: "application/pdf", timeoutMs: UPLOAD_TIMEOUT_MS };
    const uploaded = await uploadFile(client, job, "documents", file);
    return uploaded.ok
      ? {
          state: "again",
          afterSeconds: FIRST_POLL_SECONDS,
          cursor: { kind: "document", urn: uploaded.value, uploadedAt: job.now },
        }
      : { state: "refused", fault: uploaded.fault };
  }
  const progress = await readAssetProgress(client, job, "documents", cursor.urn, cursor.uploadedAt);
  switch (progress.state) {
    case "available":
    case "presumed_available":
      return { state: "ready", ref: createCommitRef([cursor.urn], cursor.uploadedAt) };
    case "unreadable":
      return { state: "again", afterSeconds: progress.waitSeconds, cursor };
    case "waiting_upload":
    case "processing":
      return { state: "again", afterSeconds: POLL_SECONDS, cursor };
    case "refused":
      return progress;
  }
}
