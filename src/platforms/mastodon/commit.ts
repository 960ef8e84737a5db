import { MINUTE } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { CommitOutcome, Job, MoreOutcome, PlatformClient, PublishedOutcome } from "#platforms/contract.ts";
import { postJson } from "#platforms/request-encoding.ts";
import { type PlatformResponse, isOk, parseBody } from "#platforms/response.ts";
import { jobOfPart, publishedThreadParts, threadPartOutcome } from "#platforms/thread.ts";
import { ErrorBody, Status } from "./answers.ts";
import { accountServer, callServer } from "./api.ts";
import { refusalMessage, toFault } from "./errors.ts";
import { readCapabilities } from "./limits.ts";
import { COMMON_OPTIONS } from "./options.ts";
import { CommitRef } from "./refs.ts";

/**
 * The timeout (ms) of the posting call. Both official apps wait a minute: `timeoutInterval` of Mastodon+API.swift in
 * mastodon-ios, MastodonAPIController of mastodon-android.
 */
const COMMIT_TIMEOUT_MS = MINUTE;
const CONFIRM_TIMEOUT_MS = 5000;

/**
 * Statuses with which a server refuses before it looks at the post. So they do not show whether it already has the
 * post.
 */
const DEFINITE_REFUSALS: ReadonlySet<number> = new Set([401, 403, 410, 429]);

export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = CommitRef.parse(ref);
  const server = accountServer(job.account);
  const sentRef: CommitRef = {
    ...commitRef,
    sendCount: commitRef.sendCount + 1,
    sentAt: job.now,
    createdId: null,
    refusal: null,
  };
  let response: PlatformResponse;
  try {
    response = await callServer(client, server, "/api/v1/statuses", {
      ...postJson(postBody(job, commitRef), { "idempotency-key": await idempotencyKey(job) }),
      timeoutMs: COMMIT_TIMEOUT_MS,
    });
  } catch {
    const detail = "the connection broke after the post was sent";
    return { state: "uncertain", detail, httpStatus: null, ref: sentRef };
  }
  const created = isOk(response) ? parseBody(Status, response) : undefined;
  if (created) {
    return await confirmVisible(client, job, created, sentRef);
  }
  if (DEFINITE_REFUSALS.has(response.status)) {
    return { state: "refused", fault: toFault(response, job.now) };
  }
  // Any other refusal can hide that the post was created. `verify` looks for the post before the refusal counts.
  const isRefusal = response.status >= 400 && response.status < 500 && response.status !== 408;
  return {
    state: "uncertain",
    detail: `the server answered ${response.status}`,
    httpStatus: response.status,
    ref: isRefusal ? { ...sentRef, refusal: toRefusal(response) } : sentRef,
  };
}

function toRefusal(response: PlatformResponse): CommitRef["refusal"] {
  const text = parseBody(ErrorBody, response)?.error ?? null;
  return { status: response.status, message: refusalMessage("The server refused the post", text) };
}

/**
 * The key of the posting call. Calls for the same part, post and account have the same key, so that Mastodon answers a
 * repeated call with the first post. Other programs with this API repeat their first answer, even a refusal. So calls
 * to them get a new key each, and `verify` never repeats a post.
 */
async function idempotencyKey(job: Job): Promise<string> {
  if (readCapabilities(job.account.capabilities).software === "other") {
    return crypto.randomUUID();
  }
  // mutant: thread-one-idempotency-key
  const part = publishedThreadParts(job.progress).length;
  return await sha256Hex(`${job.postId}/${job.accountId}${part === 0 ? "" : `/${part}`}`);
}

/**
 * The body of the post. It never contains `scheduled_at`, because the idempotency key does not protect scheduled posts.
 */
function postBody(job: Job, { mediaIds }: CommitRef): JsonObject {
  const { caption, replyTo, options } = jobOfPart(job, COMMON_OPTIONS);
  const { visibility, spoiler_text: spoilerText, sensitive, language } = options;
  return {
    status: caption,
    ...(replyTo !== null && { in_reply_to_id: replyTo }),
    // If `visibility` is missing, the server uses the account's default, which may be private.
    visibility: typeof visibility === "string" ? visibility : "public",
    ...(mediaIds.length > 0 && { media_ids: mediaIds }),
    ...(typeof spoilerText === "string" && spoilerText !== "" && { spoiler_text: spoilerText }),
    ...(typeof sensitive === "boolean" && { sensitive }),
    ...(typeof language === "string" && { language }),
  };
}

/** Reads the new post. Since 4.4, a server's spam filter can answer with a post that it never saves. */
async function confirmVisible(
  client: PlatformClient,
  job: Job,
  created: Status,
  sentRef: CommitRef,
): Promise<CommitOutcome> {
  try {
    const response = await callServer(
      client,
      accountServer(job.account),
      `/api/v1/statuses/${encodeURIComponent(created.id)}`,
      {
        timeoutMs: CONFIRM_TIMEOUT_MS,
      },
    );
    if (response.status === 404) {
      return {
        state: "uncertain",
        detail: "the server answered with a post that it does not show",
        httpStatus: response.status,
        ref: { ...sentRef, createdId: created.id },
      };
    }
  } catch {
    // If this check fails, the answer to the posting call decides.
  }
  return publishedOutcome(job, created);
}

export function publishedOutcome(job: Job, status: Status): PublishedOutcome | MoreOutcome {
  return threadPartOutcome(job, { id: status.id, url: statusUrl(status) }, null);
}

export function statusUrl(status: Status): string | null {
  return status.url ?? status.uri ?? null;
}
