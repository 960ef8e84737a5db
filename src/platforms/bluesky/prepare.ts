import type { JsonValue } from "#core/json.ts";
import { MINUTE } from "#core/clock.ts";
import type { Job, JobMedia, PlatformClient, PrepareOutcome, Result } from "#platforms/contract.ts";
import { succeeded } from "#platforms/fault.ts";
import { readBody } from "#platforms/response.ts";
import { type Blob, UploadedBlob } from "./answers.ts";
import { toFault } from "./errors.ts";
import { createCommitRef, Cursor, nextPart } from "./refs.ts";
import { type AccountServer, openAccountServer, sessionUnreadable } from "./api.ts";
import { prepareVideo } from "./upload.ts";

const UPLOAD_TIMEOUT_MS = MINUTE;
/**
 * How long (ms) uploaded files are used. Servers delete files that no record names after an hour, some after minutes;
 * then they are uploaded again.
 */
const FILES_KEPT_MS = 30 * MINUTE;

/** Uploads the files of a post and builds its record. */
export async function prepare(
  client: PlatformClient,
  target: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const job = nextPart(target);
  if (job.media.length === 0) {
    return await readyOutcome(client, job, []);
  }
  const server = openAccountServer(client, job.account.extra, job.account.accessToken);
  const [first] = job.media;
  if (!server || !first) {
    return { state: "refused", fault: sessionUnreadable() };
  }
  if (first.type === "video") {
    const video = await prepareVideo(client, server, job, first, cursor === undefined ? null : Cursor.parse(cursor));
    return video.state === "processed" ? await readyOutcome(client, job, [video.blob]) : video;
  }
  const blobs = await uploadImages(server, job);
  return blobs.ok ? await readyOutcome(client, job, blobs.value) : { state: "refused", fault: blobs.fault };
}

async function readyOutcome(
  client: PlatformClient,
  job: ReturnType<typeof nextPart>,
  blobs: readonly Blob[],
): Promise<PrepareOutcome> {
  const ref = await createCommitRef(client, job, blobs);
  if (!ref.ok) {
    return { state: "refused", fault: ref.fault };
  }
  return {
    state: "ready",
    ref: ref.value,
    ...(blobs.length > 0 && { expiresAt: job.now + FILES_KEPT_MS }),
  };
}

/** Uploads images one after the other. A second upload of an image gives the same blob. */
async function uploadImages(server: AccountServer, job: Job): Promise<Result<readonly Blob[]>> {
  if (server.session.method === "oauth") {
    // This call gets the nonce for the proofs, so that no image is sent twice.
    await server.call("com.atproto.server.getSession");
  }
  const blobs: Blob[] = [];
  for (const media of job.media) {
    const blob = await uploadImage(server, job, media);
    if (!blob.ok) {
      return blob;
    }
    blobs.push(blob.value);
  }
  return succeeded(blobs);
}

async function uploadImage(server: AccountServer, job: Job, media: JobMedia): Promise<Result<Blob>> {
  const body = await new Response(await media.read()).arrayBuffer();
  const response = await server.call("com.atproto.repo.uploadBlob", {
    method: "POST",
    headers: { "content-type": media.contentType, "content-length": String(media.sizeBytes) },
    body,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  const missing = "The account's server returned an unexpected response to an upload.";
  const uploaded = readBody(UploadedBlob, response, missing, (refusal) => toFault(refusal, job.now));
  return uploaded.ok ? succeeded(uploaded.value.blob) : uploaded;
}
