import { MINUTE } from "#core/clock.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Job, JobMedia, PrepareOutcome, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { bearer, postJson } from "#platforms/form.ts";
import { sendRange } from "#platforms/send-range.ts";
import { ImageUpload } from "./answers.ts";
import { broken, isUploadUrl, progressOf, unexpected } from "./assets.ts";
import { toFault } from "./errors.ts";
import { API, restHeaders } from "./hosts.ts";
import { type ImagesCursor, refOf } from "./refs.ts";

const INITIALIZE = `${API}/rest/images?action=initializeUpload`;
/** What one call sends before it hands over to the next alarm: 40 MB at most. */
const IMAGES_PER_CALL = 5;
const PUT_TIMEOUT_MS = MINUTE;
const FIRST_POLL_SECONDS = 1;
const POLL_SECONDS = 3;

/** One image after the other; those that LinkedIn has are not sent again. */
export async function prepareImages(
  client: PlatformClient,
  job: Job,
  begun: ImagesCursor | undefined,
): Promise<PrepareOutcome> {
  const urns = [...(begun?.urns ?? [])];
  const sentBefore = urns.length;
  const step = (): ImagesCursor => ({
    kind: "images",
    urns,
    available: begun?.available ?? 0,
    since: begun?.since ?? null,
  });
  for (const image of job.media.slice(sentBefore, sentBefore + IMAGES_PER_CALL)) {
    const uploaded = await upload(client, job, image);
    if (!uploaded.ok) {
      const { fault } = uploaded;
      return fault.kind === "temporary" && urns.length > sentBefore
        ? { state: "again", afterSeconds: POLL_SECONDS, cursor: step() }
        : { state: "refused", fault };
    }
    urns.push(uploaded.value);
  }
  if (urns.length < job.media.length) {
    return { state: "again", afterSeconds: 0, cursor: step() };
  }
  const since = begun?.since ?? job.now;
  return urns.length > sentBefore
    ? { state: "again", afterSeconds: FIRST_POLL_SECONDS, cursor: { ...step(), since } }
    : await poll(client, job, { ...step(), since });
}

async function upload(client: PlatformClient, job: Job, image: JobMedia): Promise<Result<string>> {
  const { app, accessToken, platformAccountId } = job.account;
  const answer = await call(
    client,
    INITIALIZE,
    postJson({ initializeUploadRequest: { owner: platformAccountId } }, restHeaders(app, accessToken)),
  ).catch(() => null);
  if (!answer) {
    return failed(broken());
  }
  const begun = isOk(answer) ? read(ImageUpload, answer)?.value : undefined;
  if (!begun || !isUploadUrl(begun.uploadUrl)) {
    return failed(isOk(answer) ? unexpected(answer) : toFault(answer, job.now));
  }
  const stored = await sendRange(
    client,
    begun.uploadUrl,
    image,
    { offset: 0, length: image.sizeBytes },
    {
      method: "PUT",
      headers: {
        ...bearer(accessToken),
        "content-type": image.contentType,
        "content-length": String(image.sizeBytes),
      },
      timeoutMs: PUT_TIMEOUT_MS,
    },
  );
  if (!stored) {
    return failed(broken());
  }
  if (isOk(stored)) {
    return succeeded(begun.image);
  }
  return failed(stored.status < 400 ? unexpected(stored) : toFault(stored, job.now));
}

async function poll(
  client: PlatformClient,
  job: Job,
  begun: ImagesCursor & { readonly since: number },
): Promise<PrepareOutcome> {
  let { available } = begun;
  for (const urn of begun.urns.slice(available)) {
    const progress = await progressOf(client, job, "images", urn, begun.since);
    switch (progress.state) {
      case "available":
        available++;
        break;
      case "presumed":
        return ready(begun);
      case "unseen":
        return { state: "again", afterSeconds: progress.secondsLeft, cursor: { ...begun, available } };
      case "waiting_upload":
      case "processing":
        return { state: "again", afterSeconds: POLL_SECONDS, cursor: { ...begun, available } };
      case "refused":
        return progress;
    }
  }
  return ready(begun);
}

function ready(step: ImagesCursor & { readonly since: number }): PrepareOutcome {
  return { state: "ready", ref: refOf(step.urns, step.since) };
}
