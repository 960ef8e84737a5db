import { MINUTE } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { read } from "#platforms/answer.ts";
import type { Fault, Job, JobMedia, PrepareOutcome, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { Begun } from "./answers.ts";
import { ask, isGranted } from "./api.ts";
import { creatorOf } from "./creator.ts";
import { toFault } from "./errors.ts";
import { UPLOAD_LIFETIME_MS } from "./limits.ts";
import { isDraft } from "./options.ts";
import { Cursor, refOf, type Terms } from "./refs.ts";
import { termsFor } from "./terms.ts";
import { isLast, isUploadUrl, pieceAfter, piecePlan, sendPiece } from "./upload.ts";

/** What one call sends before it hands over to the next alarm: 30 MB. */
const PIECES_PER_CALL = 3;
const MOST_FAILURES = 5;
const MOST_RESTARTS = 2;
/** What the account allows is asked again after this. */
const TERMS_LIFETIME_MS = 15 * MINUTE;

/** Until the last piece is there, TikTok has nothing it could post. */
export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const [first] = job.media;
  if (!first) {
    return { state: "refused", fault: NO_MEDIA };
  }
  if (first.type === "image") {
    return await preparePhotos(client, job);
  }
  return cursor === undefined
    ? await begin(client, job, first, 0)
    : await upload(client, job, first, Cursor.parse(cursor));
}

const NO_MEDIA = rejected(
  "A TikTok post is one video or up to 35 images.",
  { httpStatus: null },
  { code: "media_required", category: "media" },
);

/** Photos are fetched by TikTok after the one call that posts them: nothing can be made before it. */
async function preparePhotos(client: PlatformClient, job: Job): Promise<PrepareOutcome> {
  const terms = await currentTerms(client, job);
  return terms.ok
    ? { state: "ready", ref: refOf({ terms: terms.value }), expiresAt: job.now + TERMS_LIFETIME_MS }
    : { state: "refused", fault: terms.fault };
}

/** Null for drafts, whose settings are made in the app. */
async function currentTerms(client: PlatformClient, job: Job): Promise<Result<Terms | null>> {
  if (isDraft(job.options)) {
    return succeeded(null);
  }
  const creator = await creatorOf(client, job.account.accessToken);
  return creator.ok ? termsFor(job, creator.value) : failed(creator.fault);
}

/** Only the handle is wanted: it is in the journal before the first byte leaves. */
async function begin(client: PlatformClient, job: Job, media: JobMedia, restarts: number): Promise<PrepareOutcome> {
  const terms = await currentTerms(client, job);
  if (!terms.ok) {
    return { state: "refused", fault: terms.fault };
  }
  const path = terms.value === null ? "/v2/post/publish/inbox/video/init/" : "/v2/post/publish/video/init/";
  const answer = await ask(client, path, job.account.accessToken, {
    ...(terms.value && { post_info: postInfo(job, terms.value) }),
    source_info: sourceInfo(media),
  });
  const begun = isGranted(answer) ? read(Begun, answer)?.data : undefined;
  if (!begun || !isUploadUrl(begun.upload_url)) {
    const fault = isGranted(answer)
      ? temporary("TikTok did not say where the video goes.", { httpStatus: answer.status })
      : toFault(answer);
    return { state: "refused", fault };
  }
  const cursor: Cursor = {
    publishId: begun.publish_id,
    uploadUrl: begun.upload_url,
    startedAt: job.now,
    piece: 0,
    failures: 0,
    restarts,
  };
  return { state: "again", afterSeconds: 0, cursor };
}

function postInfo(job: Job, terms: Terms): JsonObject {
  return {
    title: job.caption,
    privacy_level: terms.privacyLevel,
    disable_comment: terms.disableComment,
    disable_duet: terms.disableDuet,
    disable_stitch: terms.disableStitch,
    brand_content_toggle: false,
    brand_organic_toggle: false,
    is_aigc: job.options["is_ai_generated"] === true,
  };
}

function sourceInfo(media: JobMedia): JsonObject {
  const { pieceBytes, count } = piecePlan(media.sizeBytes);
  return {
    source: "FILE_UPLOAD",
    video_size: media.sizeBytes,
    chunk_size: pieceBytes,
    total_chunk_count: count,
  };
}

async function upload(client: PlatformClient, job: Job, media: JobMedia, begun: Cursor): Promise<PrepareOutcome> {
  if (job.now >= begun.startedAt + UPLOAD_LIFETIME_MS) {
    return await beginAgain(client, job, media, begun, null);
  }
  const plan = piecePlan(media.sizeBytes);
  let step = begun;
  for (let round = 0; round < PIECES_PER_CALL; round++) {
    if (isLast(plan, step.piece)) {
      return ready(step);
    }
    const { heard, httpStatus } = await sendPiece(client, media, step.uploadUrl, plan, step.piece);
    switch (heard.state) {
      case "stored":
      case "complete":
        step = movedTo(step, step.piece + 1, 0);
        break;
      case "elsewhere":
        if (heard.uploaded === null) {
          return await beginAgain(client, job, media, step, httpStatus);
        }
        step = movedTo(step, pieceAfter(plan, heard.uploaded), step.failures + 1);
        if (step.failures > MOST_FAILURES) {
          return troubled(httpStatus);
        }
        break;
      case "gone":
        return await beginAgain(client, job, media, step, httpStatus);
      case "refused":
        return { state: "refused", fault: heard.fault };
      case "unclear":
        // The same piece once more: a piece that is there already is answered with where to go on.
        return step.failures < MOST_FAILURES
          ? { state: "again", afterSeconds: 2 ** step.failures, cursor: { ...step, failures: step.failures + 1 } }
          : troubled(httpStatus);
    }
  }
  return isLast(plan, step.piece) ? ready(step) : { state: "again", afterSeconds: 0, cursor: step };
}

function movedTo(step: Cursor, piece: number, failures: number): Cursor {
  return { ...step, piece, failures };
}

async function beginAgain(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  step: Cursor,
  httpStatus: number | null,
): Promise<PrepareOutcome> {
  return step.restarts < MOST_RESTARTS ? await begin(client, job, media, step.restarts + 1) : troubled(httpStatus);
}

function troubled(httpStatus: number | null): PrepareOutcome {
  const fault: Fault = temporary("TikTok did not take the whole upload.", { httpStatus });
  return { state: "refused", fault };
}

function ready(step: Cursor): PrepareOutcome {
  return {
    state: "ready",
    ref: refOf({ publishId: step.publishId, uploadUrl: step.uploadUrl }),
    expiresAt: step.startedAt + UPLOAD_LIFETIME_MS,
  };
}
