import type { JsonObject, JsonValue } from "#core/json.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { bearer, postJson } from "#platforms/form.ts";
import { graphCode, graphError, isUndecided } from "#platforms/graph.ts";
import { Posted, Success } from "./answers.ts";
import { DUPLICATE, toFault } from "./errors.ts";
import { graphOf, videoGraphOf } from "./hosts.ts";
import { Ref } from "./refs.ts";

const FIRST_POLL_SECONDS = 5;
/** The intent of the first call is as old as that call; of a later one it is older. */
const SAME_CALL_MS = 10_000;

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const plan = Ref.parse(ref);
  const sent: Ref = { ...plan, sends: plan.sends + 1, sentAt: job.now };
  const { url, body } = callOf(job, plan);
  let answer: Answer;
  try {
    answer = await call(client, url, postJson(body, bearer(job.account.accessToken)));
  } catch {
    return { state: "uncertain", detail: "the connection broke after the post was sent", httpStatus: null, ref: sent };
  }
  const outcome = isOk(answer) ? accepted(sent, answer) : null;
  if (outcome) {
    return outcome;
  }
  const error = graphError(answer);
  const detail = `Facebook answered ${error ? graphCode(error) : answer.status}`;
  if (isUndecided(answer)) {
    return { state: "uncertain", detail, httpStatus: answer.status, ref: sent };
  }
  const fault = toFault(answer);
  const isRepeated = plan.sends > 0 || (job.committedAt !== null && job.now - job.committedAt > SAME_CALL_MS);
  if (isRepeated && (fault.code === DUPLICATE || (error?.code === 100 && plan.photos.length > 0))) {
    // After an earlier call of unknown fate this may be the proof that it arrived; so may photos that are used up.
    return { state: "uncertain", detail, httpStatus: answer.status, ref: { ...sent, duplicate: true } };
  }
  return fault.kind === "temporary"
    ? { state: "uncertain", detail, httpStatus: answer.status, ref: sent }
    : { state: "refused", fault };
}

/** The one call that makes it visible, by kind of post. */
function callOf(job: Job, plan: Ref): { readonly url: string; readonly body: JsonObject } {
  const page = encodeURIComponent(job.account.platformAccountId);
  const graph = graphOf(job.account.app);
  switch (plan.kind) {
    case "feed":
      return {
        url: `${graph}/${page}/feed?fields=id,permalink_url`,
        body: {
          ...(job.caption !== "" && { message: job.caption }),
          ...(plan.photos.length > 0 && { attached_media: plan.photos.map((id) => ({ media_fbid: id })) }),
          published: true,
        },
      };
    case "reel":
      return {
        url: `${graph}/${page}/video_reels`,
        body: {
          upload_phase: "finish",
          video_id: plan.videoId,
          video_state: "PUBLISHED",
          description: job.caption,
        },
      };
    case "video":
      return {
        url: `${videoGraphOf(job.account.app)}/${page}/videos`,
        body: {
          file_url: job.media[0]?.url ?? null,
          description: job.caption,
          custom_labels: [labelOf(job)],
        },
      };
  }
}

/** Ours alone, and readable in lists: the only handle on a video whose answer was lost. */
export function labelOf(job: Job): string {
  return `ref-${job.postId}`;
}

/** A video is only taken here, and its fate is told later. */
function accepted(sent: Ref, answer: Answer): CommitOutcome | null {
  if (sent.kind === "reel") {
    return read(Success, answer)?.success
      ? { state: "accepted", ref: { ...sent, accepted: true }, afterSeconds: FIRST_POLL_SECONDS }
      : null;
  }
  const posted = read(Posted, answer);
  if (!posted) {
    return null;
  }
  if (sent.kind === "video") {
    return {
      state: "accepted",
      ref: { ...sent, accepted: true, videoId: posted.id },
      afterSeconds: FIRST_POLL_SECONDS,
    };
  }
  const remoteId = posted.post_id ?? posted.id;
  return {
    state: "published",
    remoteId,
    url: permalinkOf(posted.permalink_url) ?? `https://www.facebook.com/${remoteId}`,
  };
}

/** Often a path without its host. */
export function permalinkOf(link: string | null | undefined): string | null {
  return link ? (URL.parse(link, "https://www.facebook.com")?.href ?? null) : null;
}
