import type { JsonObject, JsonValue } from "#core/json.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { CommitOutcome, Job, PlatformClient } from "#platforms/contract.ts";
import { bearer, postJson } from "#platforms/form.ts";
import { Created } from "./answers.ts";
import { DUPLICATE, MEDIA_GONE, QUOTE_REFUSED, toFault } from "./errors.ts";
import { API } from "./hosts.ts";
import { type QuotedPost, quotedPost, quoteMode } from "./options.ts";
import { Ref } from "./refs.ts";

const SAME_CALL_MS = 10_000;

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const plan = Ref.parse(ref);
  const sent: Ref = { ...plan, sends: plan.sends + 1, sentAt: job.now };
  let answer: Answer;
  try {
    answer = await call(client, `${API}/2/tweets`, postJson(bodyOf(job, plan), bearer(job.account.accessToken)));
  } catch {
    return { state: "uncertain", detail: "the connection broke after the post was sent", httpStatus: null, ref: sent };
  }
  const created = isOk(answer) ? read(Created, answer) : undefined;
  if (created) {
    return { state: "published", remoteId: created.data.id, url: postUrl(job, created.data.id) };
  }
  if (answer.status < 400 || answer.status === 408 || answer.status >= 500) {
    return { state: "uncertain", detail: `X answered ${answer.status}`, httpStatus: answer.status, ref: sent };
  }
  const fault = toFault(answer, job.now);
  if (
    fault.code === QUOTE_REFUSED &&
    plan.quote === "native" &&
    quoteMode(job.account.app.settings) === "native_then_link"
  ) {
    // The refusal created nothing, so the second call is the first one that can be seen.
    return { state: "more", ref: { ...plan, quote: "link" }, progress: job.progress };
  }
  if (fault.code === MEDIA_GONE && plan.mediaIds.length > 0) {
    return { state: "stale", detail: "X no longer knows the uploaded media" };
  }
  if (fault.code === DUPLICATE && isRepeated(job, plan)) {
    // After an earlier call of unknown fate this may be the proof that it arrived.
    return {
      state: "uncertain",
      detail: "X says that the text is there already",
      httpStatus: answer.status,
      ref: { ...sent, duplicate: true },
    };
  }
  return { state: "refused", fault };
}

/** The intent of the first call is as old as that call; of a later one it is older. */
function isRepeated(job: Job, plan: Ref): boolean {
  return plan.sends > 0 || (job.committedAt !== null && job.now - job.committedAt > SAME_CALL_MS);
}

/** Exactly the documented members: X refuses any other. */
function bodyOf(job: Job, plan: Ref): JsonObject {
  const quote = plan.quote === "none" ? null : quotedOf(job);
  const replySettings = job.options["reply_settings"];
  return {
    text: textOf(job, plan),
    ...(plan.mediaIds.length > 0 && { media: { media_ids: plan.mediaIds } }),
    ...(quote && plan.quote === "native" && { quote_tweet_id: quote.id }),
    ...(typeof replySettings === "string" && { reply_settings: replySettings }),
  };
}

export function quotedOf(job: Job): QuotedPost | null {
  const value = job.options["quote_tweet_url"];
  return typeof value === "string" ? quotedPost(value) : null;
}

function textOf(job: Job, plan: Ref): string {
  const link = plan.quote === "link" ? quotedOf(job)?.link : undefined;
  return link ? `${job.caption} ${link}`.trimStart() : job.caption;
}

export function postUrl(job: Job, id: string): string {
  return `https://x.com/${job.account.username}/status/${id}`;
}
