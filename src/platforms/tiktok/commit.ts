import { MINUTE } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { type PlatformResponse, parseBody } from "#platforms/response.ts";
import type { CommitOutcome, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { PublishInit } from "./answers.ts";
import { callApi, errorCode, isSuccess } from "./api.ts";
import { toFault } from "./errors.ts";
import { disclosure, titleOf } from "./options.ts";
import { CommitRef, type PostSettings } from "./refs.ts";
import { nextChunkIndex, chunkLayout, sendChunk } from "./upload.ts";

const FIRST_POLL_SECONDS = 5;
/**
 * The timeout (ms) of the call that posts photos. It is longer than usual, because photos stay unconfirmed without the
 * answer. TikTok documents none.
 */
const POST_PHOTOS_TIMEOUT_MS = MINUTE;

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = CommitRef.parse(ref);
  const sentRef: CommitRef = { ...commitRef, sendCount: commitRef.sendCount + 1, sentAt: job.now };
  const [first] = job.media;
  return first && commitRef.uploadUrl !== null
    ? await sendLastChunk(client, first, commitRef.uploadUrl, sentRef)
    : await postPhotos(client, job, sentRef);
}

function acceptedOutcome(sentRef: CommitRef): CommitOutcome {
  return { state: "accepted", ref: { ...sentRef, accepted: true }, afterSeconds: FIRST_POLL_SECONDS };
}

/** Sends the last chunk of a video. TikTok starts posting when it arrives. */
async function sendLastChunk(
  client: PlatformClient,
  media: JobMedia,
  url: string,
  sentRef: CommitRef,
): Promise<CommitOutcome> {
  const layout = chunkLayout(media.sizeBytes);
  const lastIndex = layout.chunkCount - 1;
  const isRepeated = sentRef.sendCount > 1;
  const { result, httpStatus } = await sendChunk(client, media, url, layout, lastIndex);
  const uncertain = (changes: Partial<CommitRef> = {}): CommitOutcome => ({
    state: "uncertain",
    detail: httpStatus === null ? "the connection broke during the last chunk" : `TikTok answered ${httpStatus}`,
    httpStatus,
    ref: { ...sentRef, ...changes },
  });
  switch (result.state) {
    case "complete":
      return acceptedOutcome(sentRef);
    case "wrong_chunk":
      // If an earlier chunk is missing, there is no post. Otherwise TikTok may be processing it.
      return result.uploaded !== null && nextChunkIndex(layout, result.uploaded) < lastIndex
        ? { state: "stale", detail: "TikTok lost a part of the upload" }
        : uncertain();
    case "gone":
      return isRepeated ? uncertain({ uploadExpired: true }) : { state: "stale", detail: "the upload has expired" };
    case "refused":
      // TikTok may refuse a chunk because it already has it, so a refused repetition does not prove that there is no
      // post.
      return isRepeated && result.fault.kind === "rejected" ? uncertain() : { state: "refused", fault: result.fault };
    case "stored":
    case "unclear":
      return uncertain();
  }
}

/** Posts photos. The call that sends their URLs is the visible one. */
async function postPhotos(client: PlatformClient, job: Job, sentRef: CommitRef): Promise<CommitOutcome> {
  let response: PlatformResponse;
  try {
    response = await callApi(
      client,
      "/v2/post/publish/content/init/",
      job.account.accessToken,
      photoBody(job, sentRef.postSettings),
      { timeoutMs: POST_PHOTOS_TIMEOUT_MS },
    );
  } catch {
    return {
      state: "uncertain",
      detail: "the connection broke after the post was sent",
      httpStatus: null,
      ref: sentRef,
    };
  }
  const init = isSuccess(response) ? parseBody(PublishInit, response) : undefined;
  if (init) {
    return acceptedOutcome({ ...sentRef, publishId: init.data.publish_id });
  }
  const isAmbiguous = isSuccess(response) || response.status === 408 || response.status >= 500;
  const fault = isAmbiguous ? null : toFault(response);
  return fault === null || fault.kind === "temporary" || (errorCode(response) === null && response.status < 400)
    ? { state: "uncertain", detail: `TikTok answered ${response.status}`, httpStatus: response.status, ref: sentRef }
    : { state: "refused", fault };
}

function photoBody(job: Job, settings: PostSettings | null): JsonObject {
  const title = titleOf(job.options);
  return {
    media_type: "PHOTO",
    post_mode: settings === null ? "MEDIA_UPLOAD" : "DIRECT_POST",
    post_info: {
      ...(title !== "" && { title }),
      description: job.caption,
      ...(settings && {
        privacy_level: settings.privacyLevel,
        disable_comment: settings.disableComment,
        auto_add_music: job.options["auto_add_music"] === true,
        ...disclosure(job.options),
      }),
    },
    source_info: {
      source: "PULL_FROM_URL",
      photo_cover_index: coverIndexOf(job.options),
      photo_images: job.media.map((media) => media.url),
    },
  };
}

function coverIndexOf({ photo_cover_index: index }: JsonObject): number {
  return typeof index === "number" ? index : 0;
}
