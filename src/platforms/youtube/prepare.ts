import type { JsonObject, JsonValue } from "#core/json.ts";
import { callPlatform, isOk, faultOf } from "#platforms/response.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { bearerHeader, postJson, withQuery } from "#platforms/request-encoding.ts";
import { toFault } from "./errors.ts";
import { UPLOAD_HOSTS, UPLOAD_URL } from "./hosts.ts";
import { Cursor, type CommitRef } from "./refs.ts";
import {
  lastChunkOffset,
  nextChunkBytes,
  NO_VIDEO_FAULT,
  querySession,
  sendChunk,
  findVideo,
  UPLOAD_TIMEOUT_MS,
} from "./upload.ts";

/** The category "People & Blogs", YouTube's own default. */
const DEFAULT_CATEGORY_ID = "22";
/** How many chunks a step sends before the next alarm continues: 32 MiB. */
const CHUNKS_PER_CALL = 4;
const MAX_FAILURES = 5;
const MAX_RESTARTS = 2;
/**
 * How long (ms) an upload session is used. Its lifetime is not documented; this is shorter than the week that people
 * report.
 */
const SESSION_LIFETIME_MS = 5 * 86_400_000;

/** Uploads everything but the last bytes. Without them YouTube creates no video. */
export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const media = findVideo(job);
  if (!media) {
    return { state: "refused", fault: NO_VIDEO_FAULT };
  }
  return cursor === undefined
    ? await startSession(client, job, media, 0)
    : await sendChunks(client, job, media, Cursor.parse(cursor));
}

/** Creates an upload session without sending bytes, so that the journal has its URL before the first byte is sent. */
async function startSession(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  restartCount: number,
): Promise<PrepareOutcome> {
  const url = withQuery(UPLOAD_URL, {
    uploadType: "resumable",
    part: "snippet,status",
    notifySubscribers: job.options["notify_subscribers"] !== false,
  });
  const response = await callPlatform(client, url, {
    ...postJson(videoResource(job), {
      ...bearerHeader(job.account.accessToken),
      "x-upload-content-type": media.contentType,
      "x-upload-content-length": String(media.sizeBytes),
    }),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  const session = isOk(response) ? URL.parse(response.headers.get("location") ?? "") : null;
  // The access token and the video are sent to this URL, so it must belong to YouTube.
  if (session?.protocol !== "https:" || !UPLOAD_HOSTS.includes(session.hostname)) {
    const missing = "YouTube returned no valid upload URL.";
    return { state: "refused", fault: faultOf(response, missing, (refusal) => toFault(refusal, job.now)) };
  }
  const cursor: Cursor = {
    sessionUrl: session.href,
    startedAt: job.now,
    offset: 0,
    offsetUnknown: false,
    failureCount: 0,
    restartCount,
  };
  return { state: "again", afterSeconds: 0, cursor };
}

/** The video's metadata. Both settings are always sent, because YouTube's defaults have changed before. */
function videoResource(job: Job): JsonObject {
  const {
    privacy_status: privacy,
    tags,
    category_id: category,
    default_language: language,
    contains_synthetic_media: synthetic,
    embeddable,
    license,
  } = job.options;
  return {
    snippet: {
      title: titleOf(job),
      description: job.caption,
      categoryId: typeof category === "string" ? category : DEFAULT_CATEGORY_ID,
      ...(Array.isArray(tags) && tags.length > 0 && { tags }),
      ...(typeof language === "string" && { defaultLanguage: language }),
    },
    status: {
      privacyStatus: typeof privacy === "string" ? privacy : "public",
      selfDeclaredMadeForKids: job.options["made_for_kids"] === true,
      ...(typeof synthetic === "boolean" && { containsSyntheticMedia: synthetic }),
      ...(typeof embeddable === "boolean" && { embeddable }),
      ...(typeof license === "string" && { license }),
    },
  };
}

export function titleOf(job: Job): string {
  return typeof job.options["title"] === "string" ? job.options["title"] : "";
}

async function sendChunks(
  client: PlatformClient,
  job: Job,
  media: JobMedia,
  startCursor: Cursor,
): Promise<PrepareOutcome> {
  let cursor = startCursor;
  for (let round = 0; round < CHUNKS_PER_CALL; round++) {
    const length = nextChunkBytes(cursor.offset, media.sizeBytes);
    if (!cursor.offsetUnknown && length === 0) {
      return readyOutcome(cursor, media);
    }
    const { session, httpStatus } = cursor.offsetUnknown
      ? await querySession(client, job, media, cursor.sessionUrl)
      : await sendChunk(client, job, media, cursor.sessionUrl, { offset: cursor.offset, length });
    switch (session.state) {
      case "incomplete":
        cursor = withStoredOffset(cursor, session.offset);
        if (cursor.failureCount > MAX_FAILURES) {
          return uploadIncomplete(httpStatus);
        }
        break;
      case "complete":
        // `commit` sends the last chunk again and gets the same response, so go on.
        return readyOutcome(cursor, media);
      case "gone":
        return cursor.restartCount < MAX_RESTARTS
          ? await startSession(client, job, media, cursor.restartCount + 1)
          : uploadIncomplete(httpStatus);
      case "refused":
        return { state: "refused", fault: session.fault };
      case "unclear":
        return cursor.failureCount < MAX_FAILURES
          ? {
              state: "again",
              afterSeconds: 2 ** cursor.failureCount,
              cursor: { ...cursor, offsetUnknown: true, failureCount: cursor.failureCount + 1 },
            }
          : uploadIncomplete(httpStatus);
    }
  }
  return { state: "again", afterSeconds: 0, cursor };
}

/** Continues where YouTube says. YouTube's count decides, because it may have stored less than was sent. */
function withStoredOffset(cursor: Cursor, offset: number): Cursor {
  const isProgress = offset > cursor.offset;
  const failureCount = isProgress ? 0 : cursor.failureCount + (cursor.offsetUnknown ? 0 : 1);
  return { ...cursor, offset, offsetUnknown: false, failureCount };
}

function uploadIncomplete(httpStatus: number | null): PrepareOutcome {
  return { state: "refused", fault: temporary("YouTube did not accept the whole upload.", { httpStatus }) };
}

function readyOutcome(cursor: Cursor, media: JobMedia): PrepareOutcome {
  const ref: CommitRef = {
    sessionUrl: cursor.sessionUrl,
    startedAt: cursor.startedAt,
    offset: Math.min(cursor.offset, lastChunkOffset(media.sizeBytes)),
    sendCount: 0,
    videoId: null,
    sentAt: null,
  };
  return { state: "ready", ref, expiresAt: cursor.startedAt + SESSION_LIFETIME_MS };
}
