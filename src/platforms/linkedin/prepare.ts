import { systemClock, MINUTE } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { Job, PrepareOutcome, PlatformClient, JobFile } from "#platforms/contract.ts";
import { SENDING_PARTS_MS } from "#platforms/send-range.ts";
import { Cursor, createCommitRef, type ImagesCursor, type DocumentCursor } from "./refs.ts";
import { prepareVideo, readAssetProgress, uploadFile } from "./upload.ts";

export async function prepare(
  client: PlatformClient,
  job: Job,
  storedCursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const [first] = job.media;
  const cursor = storedCursor === undefined ? undefined : Cursor.parse(storedCursor);
  if (job.document) {
    return await prepareDocument(client, job, job.document, cursor?.kind === "document" ? cursor : undefined);
  }
  if (!first) {
    return { state: "ready", ref: createCommitRef([], job.now) };
  }
  return first.type === "video"
    ? await prepareVideo(client, job, first, cursor?.kind === "video" ? cursor : undefined)
    : await prepareImages(client, job, cursor?.kind === "images" ? cursor : undefined);
}

/** How many images one call of `prepare` sends, 40 MB at most. The next call sends further ones. */
const IMAGES_PER_CALL = 5;
const FIRST_POLL_SECONDS = 1;
const POLL_SECONDS = 3;

/** Uploads the images of a post one after the other, and skips those that LinkedIn already has. */
async function prepareImages(
  client: PlatformClient,
  job: Job,
  cursor: ImagesCursor | undefined,
): Promise<PrepareOutcome> {
  const urns = [...(cursor?.urns ?? [])];
  const uploadedBefore = urns.length;
  const nextCursor = (): ImagesCursor => ({
    kind: "images",
    urns,
    availableCount: cursor?.availableCount ?? 0,
    uploadedAt: cursor?.uploadedAt ?? null,
  });
  const startedAt = systemClock.now();
  for (const image of job.media.slice(uploadedBefore, uploadedBefore + IMAGES_PER_CALL)) {
    if (systemClock.now() - startedAt >= SENDING_PARTS_MS) {
      break;
    }
    const uploaded = await uploadFile(client, job, "images", image);
    if (!uploaded.ok) {
      const { fault } = uploaded;
      return fault.kind === "temporary" && urns.length > uploadedBefore
        ? { state: "again", afterSeconds: POLL_SECONDS, cursor: nextCursor() }
        : { state: "refused", fault };
    }
    urns.push(uploaded.value);
  }
  if (urns.length < job.media.length) {
    return { state: "again", afterSeconds: 0, cursor: nextCursor() };
  }
  const uploadedAt = cursor?.uploadedAt ?? job.now;
  return urns.length > uploadedBefore
    ? { state: "again", afterSeconds: FIRST_POLL_SECONDS, cursor: { ...nextCursor(), uploadedAt } }
    : await pollProcessing(client, job, { ...nextCursor(), uploadedAt });
}

type UploadedCursor = ImagesCursor & { readonly uploadedAt: number };

async function pollProcessing(client: PlatformClient, job: Job, cursor: UploadedCursor): Promise<PrepareOutcome> {
  let { availableCount } = cursor;
  for (const urn of cursor.urns.slice(availableCount)) {
    const progress = await readAssetProgress(client, job, "images", urn, cursor.uploadedAt);
    switch (progress.state) {
      case "available":
        availableCount++;
        break;
      case "presumed_available":
        return readyOutcome(cursor);
      case "unreadable":
        return { state: "again", afterSeconds: progress.waitSeconds, cursor: { ...cursor, availableCount } };
      case "waiting_upload":
      case "processing":
        return { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...cursor, availableCount } };
      case "refused":
        return progress;
    }
  }
  return readyOutcome(cursor);
}

function readyOutcome(cursor: UploadedCursor): PrepareOutcome {
  return { state: "ready", ref: createCommitRef(cursor.urns, cursor.uploadedAt) };
}

/* Uploads a document whole, like an image, then waits for its processing
   (learn.microsoft.com/linkedin/marketing/community-management/shares/documents-api). */

/** The timeout (ms) of an upload: 100 MB at 5 Mbit/s. It is less than one step may take. */
const UPLOAD_TIMEOUT_MS = 3 * MINUTE;
const FIRST_DOCUMENT_POLL_SECONDS = 2;
const DOCUMENT_POLL_SECONDS = 4;

async function prepareDocument(
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
          afterSeconds: FIRST_DOCUMENT_POLL_SECONDS,
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
      return { state: "again", afterSeconds: DOCUMENT_POLL_SECONDS, cursor };
    case "refused":
      return progress;
  }
}
