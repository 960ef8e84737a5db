import { MINUTE } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Fault, Job, JobMedia, PrepareOutcome, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { parseBody } from "#platforms/response.ts";
import { readCreator } from "./account.ts";
import { PublishInit, type Creator } from "./answers.ts";
import { callApi, isSuccess } from "./api.ts";
import { toFault, notAudited } from "./errors.ts";
import { isAudited } from "./hosts.ts";
import { UPLOAD_LIFETIME_MS } from "./limits.ts";
import { disclosure, isDraft, PRIVATE_LEVEL, privacyChoices, privacyLevel, PUBLIC_LEVEL } from "./options.ts";
import { Cursor, createCommitRef, type PostSettings } from "./refs.ts";
import { isLastChunk, isUploadUrl, nextChunkIndex, chunkLayout, sendChunk } from "./upload.ts";

/** How many chunks a step sends before the next alarm continues: 30 MB. */
const CHUNKS_PER_CALL = 3;
const MAX_FAILURES = 5;
const MAX_RESTARTS = 2;
/** How long (ms) the account's settings are valid before they are read again. */
const POST_SETTINGS_LIFETIME_MS = 15 * MINUTE;

/** Uploads every chunk but the last, because TikTok posts the video when the last one arrives. */
export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const [first] = job.media;
  if (!first) {
    return { state: "refused", fault: NO_MEDIA_FAULT };
  }
  if (first.type === "image") {
    return await preparePhotos(client, job);
  }
  return cursor === undefined
    ? await startUpload(client, job, first, 0)
    : await sendChunks(client, job, first, Cursor.parse(cursor));
}

const NO_MEDIA_FAULT = rejected(
  "A TikTok post is one video or up to 35 images.",
  { httpStatus: null },
  { code: "media_required", category: "media" },
);

/** Prepares photos. Nothing is uploaded, because TikTok fetches photos after the call that posts them. */
async function preparePhotos(client: PlatformClient, job: Job): Promise<PrepareOutcome> {
  const settings = await readPostSettings(client, job);
  return settings.ok
    ? {
        state: "ready",
        ref: createCommitRef({ postSettings: settings.value }),
        expiresAt: job.now + POST_SETTINGS_LIFETIME_MS,
      }
    : { state: "refused", fault: settings.fault };
}

/** Reads the settings for the post. Null for drafts, whose settings the user chooses in the TikTok app. */
async function readPostSettings(client: PlatformClient, job: Job): Promise<Result<PostSettings | null>> {
  if (isDraft(job.options)) {
    return succeeded(null);
  }
  const creator = await readCreator(client, job.account.accessToken);
  return creator.ok ? resolvePostSettings(job, creator.value) : failed(creator.fault);
}

/** Starts an upload without sending bytes, so that the journal has its publish id before the first byte is sent. */
async function startUpload(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  restartCount: number,
): Promise<PrepareOutcome> {
  const settings = await readPostSettings(client, job);
  if (!settings.ok) {
    return { state: "refused", fault: settings.fault };
  }
  const path = settings.value === null ? "/v2/post/publish/inbox/video/init/" : "/v2/post/publish/video/init/";
  const response = await callApi(client, path, job.account.accessToken, {
    ...(settings.value && { post_info: postInfo(job, settings.value) }),
    source_info: sourceInfo(media),
  });
  const init = isSuccess(response) ? parseBody(PublishInit, response)?.data : undefined;
  if (!init || !isUploadUrl(init.upload_url)) {
    const fault = isSuccess(response)
      ? temporary("TikTok returned no valid upload URL.", { httpStatus: response.status })
      : toFault(response);
    return { state: "refused", fault };
  }
  const cursor: Cursor = {
    publishId: init.publish_id,
    uploadUrl: init.upload_url,
    startedAt: job.now,
    chunkIndex: 0,
    failureCount: 0,
    restartCount,
  };
  return { state: "again", afterSeconds: 0, cursor };
}

function postInfo(job: Job, settings: PostSettings): JsonObject {
  const coverAtMs = job.media[0]?.cover?.atMs;
  return {
    title: job.caption,
    privacy_level: settings.privacyLevel,
    disable_comment: settings.disableComment,
    disable_duet: settings.disableDuet,
    disable_stitch: settings.disableStitch,
    ...disclosure(job.options),
    is_aigc: job.options["is_ai_generated"] === true,
    ...(coverAtMs !== undefined && { video_cover_timestamp_ms: coverAtMs }),
  };
}

function sourceInfo(media: JobMedia): JsonObject {
  const { chunkBytes, chunkCount } = chunkLayout(media.sizeBytes);
  return {
    source: "FILE_UPLOAD",
    video_size: media.sizeBytes,
    chunk_size: chunkBytes,
    total_chunk_count: chunkCount,
  };
}

async function sendChunks(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  startCursor: Cursor,
): Promise<PrepareOutcome> {
  if (job.now >= startCursor.startedAt + UPLOAD_LIFETIME_MS) {
    return await restartUpload(client, job, media, startCursor, null);
  }
  const layout = chunkLayout(media.sizeBytes);
  let cursor = startCursor;
  for (let round = 0; round < CHUNKS_PER_CALL; round++) {
    if (isLastChunk(layout, cursor.chunkIndex)) {
      return readyOutcome(cursor);
    }
    const { result, httpStatus } = await sendChunk(client, media, cursor.uploadUrl, layout, cursor.chunkIndex);
    switch (result.state) {
      case "stored":
      case "complete":
        cursor = atChunk(cursor, cursor.chunkIndex + 1, 0);
        break;
      case "wrong_chunk":
        if (result.uploaded === null) {
          return await restartUpload(client, job, media, cursor, httpStatus);
        }
        cursor = atChunk(cursor, nextChunkIndex(layout, result.uploaded), cursor.failureCount + 1);
        if (cursor.failureCount > MAX_FAILURES) {
          return uploadIncomplete(httpStatus);
        }
        break;
      case "gone":
        return await restartUpload(client, job, media, cursor, httpStatus);
      case "refused":
        return { state: "refused", fault: result.fault };
      case "unclear":
        // Send the same chunk again. If TikTok already has it, the response names the next one.
        return cursor.failureCount < MAX_FAILURES
          ? {
              state: "again",
              afterSeconds: 2 ** cursor.failureCount,
              cursor: { ...cursor, failureCount: cursor.failureCount + 1 },
            }
          : uploadIncomplete(httpStatus);
    }
  }
  return isLastChunk(layout, cursor.chunkIndex) ? readyOutcome(cursor) : { state: "again", afterSeconds: 0, cursor };
}

function atChunk(cursor: Cursor, chunkIndex: number, failureCount: number): Cursor {
  return { ...cursor, chunkIndex, failureCount };
}

async function restartUpload(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  cursor: Cursor,
  httpStatus: number | null,
): Promise<PrepareOutcome> {
  return cursor.restartCount < MAX_RESTARTS
    ? await startUpload(client, job, media, cursor.restartCount + 1)
    : uploadIncomplete(httpStatus);
}

function uploadIncomplete(httpStatus: number | null): PrepareOutcome {
  const fault: Fault = temporary("TikTok did not accept the whole upload.", { httpStatus });
  return { state: "refused", fault };
}

function readyOutcome(cursor: Cursor): PrepareOutcome {
  return {
    state: "ready",
    ref: createCommitRef({ publishId: cursor.publishId, uploadUrl: cursor.uploadUrl }),
    expiresAt: cursor.startedAt + UPLOAD_LIFETIME_MS,
  };
}

/**
 * By how much (s) a video may exceed the account's duration: about one frame, because durations are rounded
 * differently.
 */
const DURATION_TOLERANCE_SECONDS = 0.05;

/** The post's settings within what the account allows now. A post cannot enable what the account has disabled. */
function resolvePostSettings(job: Job, creator: Creator): Result<PostSettings> {
  const { options } = job;
  const level = privacyLevel(options);
  // The preview has checked this, but the account may have been private at that time.
  if (
    !isAudited(job.account.app.settings) &&
    (level !== PRIVATE_LEVEL || creator.privacy_level_options.includes(PUBLIC_LEVEL))
  ) {
    return failed(notAudited({ httpStatus: 200 }));
  }
  if (!creator.privacy_level_options.includes(level)) {
    return failed(
      rejected(
        `TikTok does not offer this account that audience now, only ${privacyChoices(creator.privacy_level_options).join(", ")}.`,
        { httpStatus: 200 },
        { code: "privacy_not_allowed", category: "permission" },
      ),
    );
  }
  const maxSeconds = creator.max_video_post_duration_sec;
  const tooLong = job.media.find(
    (media) =>
      media.type === "video" && maxSeconds && (media.durationSeconds ?? 0) > maxSeconds + DURATION_TOLERANCE_SECONDS,
  );
  if (tooLong) {
    return failed(
      rejected(
        `TikTok accepts videos of up to ${maxSeconds} seconds from this account.`,
        { httpStatus: 200 },
        { code: "media_invalid", category: "media" },
      ),
    );
  }
  return succeeded({
    privacyLevel: level,
    disableComment: options["allow_comment"] === false || creator.comment_disabled === true,
    disableDuet: options["allow_duet"] === false || creator.duet_disabled === true,
    disableStitch: options["allow_stitch"] === false || creator.stitch_disabled === true,
  });
}
