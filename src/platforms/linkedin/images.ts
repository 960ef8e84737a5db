import { systemClock } from "#core/clock.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Job, JobMedia, PrepareOutcome, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { SENDING_PARTS_MS, sendRange } from "#platforms/send-range.ts";
import { ImageUploadSession } from "./answers.ts";
import { connectionLost, isTrustedUploadUrl, readAssetProgress, unexpectedResponse } from "./assets.ts";
import { toAccountFault } from "./errors.ts";
import { API_ORIGIN, restHeaders } from "./hosts.ts";
import { type ImagesCursor, createCommitRef } from "./refs.ts";
import { WRITE_TIMEOUT_MS } from "./timeouts.ts";

const INITIALIZE_UPLOAD_URL = `${API_ORIGIN}/rest/images?action=initializeUpload`;
/** Images sent in one call of `prepare`, 40 MB at most; the next call sends the rest. */
const IMAGES_PER_CALL = 5;
const FIRST_POLL_SECONDS = 1;
const POLL_SECONDS = 3;

/** Uploads one image after the other; images that LinkedIn already has are not sent again. */
export async function prepareImages(
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
    const uploaded = await uploadImage(client, job, image);
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

async function uploadImage(client: PlatformClient, job: Job, image: JobMedia): Promise<Result<string>> {
  const { app, accessToken, platformAccountId } = job.account;
  const response = await callPlatform(client, INITIALIZE_UPLOAD_URL, {
    ...postJson({ initializeUploadRequest: { owner: platformAccountId } }, restHeaders(app, accessToken)),
    timeoutMs: WRITE_TIMEOUT_MS,
  }).catch(() => null);
  if (!response) {
    return failed(connectionLost());
  }
  const session = isOk(response) ? parseBody(ImageUploadSession, response)?.value : undefined;
  if (!session || !isTrustedUploadUrl(session.uploadUrl)) {
    return failed(isOk(response) ? unexpectedResponse(response) : toAccountFault(response, job));
  }
  const uploadResponse = await sendRange(
    client,
    session.uploadUrl,
    image,
    { offset: 0, length: image.sizeBytes },
    {
      method: "PUT",
      headers: {
        ...bearerHeader(accessToken),
        "content-type": image.contentType,
        "content-length": String(image.sizeBytes),
      },
      timeoutMs: WRITE_TIMEOUT_MS,
    },
  );
  if (!uploadResponse) {
    return failed(connectionLost());
  }
  if (isOk(uploadResponse)) {
    return succeeded(session.image);
  }
  return failed(uploadResponse.status < 400 ? unexpectedResponse(uploadResponse) : toAccountFault(uploadResponse, job));
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
