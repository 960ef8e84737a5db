import type { JsonObject, JsonValue } from "#core/json.ts";
import { type Answer, read } from "#platforms/answer.ts";
import type { CommitOutcome, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { Begun } from "./answers.ts";
import { ask, codeOf, isGranted } from "./api.ts";
import { toFault } from "./errors.ts";
import { titleOf } from "./options.ts";
import { Ref, type Terms } from "./refs.ts";
import { pieceAfter, piecePlan, sendPiece } from "./upload.ts";

const FIRST_POLL_SECONDS = 5;

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const plan = Ref.parse(ref);
  const sent: Ref = { ...plan, sends: plan.sends + 1, sentAt: job.now };
  const [first] = job.media;
  return first && plan.uploadUrl !== null
    ? await sendLastPiece(client, first, plan.uploadUrl, sent)
    : await postPhotos(client, job, sent);
}

function accepted(sent: Ref): CommitOutcome {
  return { state: "accepted", ref: { ...sent, accepted: true }, afterSeconds: FIRST_POLL_SECONDS };
}

/** With the last piece posting begins. */
async function sendLastPiece(client: PlatformClient, media: JobMedia, url: string, sent: Ref): Promise<CommitOutcome> {
  const pieces = piecePlan(media.sizeBytes);
  const last = pieces.count - 1;
  const isRepeated = sent.sends > 1;
  const { heard, httpStatus } = await sendPiece(client, media, url, pieces, last);
  const uncertain = (more: Partial<Ref> = {}): CommitOutcome => ({
    state: "uncertain",
    detail: httpStatus === null ? "the connection broke during the last piece" : `TikTok answered ${httpStatus}`,
    httpStatus,
    ref: { ...sent, ...more },
  });
  switch (heard.state) {
    case "complete":
      return accepted(sent);
    case "elsewhere":
      // Without an earlier piece there is no post; past the last one it may be on its way.
      return heard.uploaded !== null && pieceAfter(pieces, heard.uploaded) < last
        ? { state: "stale", detail: "TikTok lost a part of the upload" }
        : uncertain();
    case "gone":
      return isRepeated ? uncertain({ expired: true }) : { state: "stale", detail: "the upload has expired" };
    case "refused":
      // A piece that is there already may be refused too.
      return isRepeated && heard.fault.kind === "rejected" ? uncertain() : { state: "refused", fault: heard.fault };
    case "stored":
    case "unclear":
      return uncertain();
  }
}

/** The call that hands over the addresses is the one that posts them. */
async function postPhotos(client: PlatformClient, job: Job, sent: Ref): Promise<CommitOutcome> {
  let answer: Answer;
  try {
    answer = await ask(client, "/v2/post/publish/content/init/", job.account.accessToken, photoBody(job, sent.terms));
  } catch {
    return { state: "uncertain", detail: "the connection broke after the post was sent", httpStatus: null, ref: sent };
  }
  const begun = isGranted(answer) ? read(Begun, answer) : undefined;
  if (begun) {
    return accepted({ ...sent, publishId: begun.data.publish_id });
  }
  const isUndecided = isGranted(answer) || answer.status === 408 || answer.status >= 500;
  const fault = isUndecided ? null : toFault(answer);
  return fault === null || fault.kind === "temporary" || (codeOf(answer) === null && answer.status < 400)
    ? { state: "uncertain", detail: `TikTok answered ${answer.status}`, httpStatus: answer.status, ref: sent }
    : { state: "refused", fault };
}

function photoBody(job: Job, terms: Terms | null): JsonObject {
  const title = titleOf(job.options);
  return {
    media_type: "PHOTO",
    post_mode: terms === null ? "MEDIA_UPLOAD" : "DIRECT_POST",
    post_info: {
      ...(title !== "" && { title }),
      description: job.caption,
      ...(terms && {
        privacy_level: terms.privacyLevel,
        disable_comment: terms.disableComment,
        // Nothing is added that the preview did not show.
        auto_add_music: false,
        brand_content_toggle: false,
        brand_organic_toggle: false,
      }),
    },
    source_info: {
      source: "PULL_FROM_URL",
      photo_cover_index: 0,
      photo_images: job.media.map((media) => media.url),
    },
  };
}
