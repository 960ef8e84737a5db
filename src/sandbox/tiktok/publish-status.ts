import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { findPublish, isModerated, type Publish, publishProcessed, savePublish, textOrEmpty } from "./publishes.ts";
import { waitForPull } from "./pull-media.ts";
import { envelope, newLogId, okResponse } from "./responses.ts";

/* The status of a publish, and its cancellation: platforms/tiktok.md 2.5 (status). */

/** The publish that the body names, if it belongs to the token's user; otherwise the error response. */
function findOwnPublish(sim: SimulatorContext, token: Token, body: JsonObject): Publish | Response {
  const publish = findPublish(sim, textOrEmpty(body["publish_id"]));
  if (!publish) {
    return envelope(sim, 400, "invalid_publish_id", "The publish_id does not exist.");
  }
  return publish.login === token.login
    ? publish
    : envelope(sim, 400, "token_not_authorized_for_specified_publish_id", "The token is not of the creator.");
}

/** The contents of the list until the post has its id; TikTok has sent each of these. */
const PENDING_POST_IDS: Readonly<Record<string, string>> = { blank: '[""]', null: "[null]", empty: "[]" };

function pendingPostIds(sim: SimulatorContext): string {
  const kind = sim.settings.extra["pending_post_id"];
  return PENDING_POST_IDS[typeof kind === "string" ? kind : "blank"] ?? "[]";
}

export async function readStatus(sim: SimulatorContext, token: Token, body: JsonObject): Promise<Response> {
  const requested = findOwnPublish(sim, token, body);
  if (requested instanceof Response) {
    return requested;
  }
  await waitForPull(sim, requested);
  publishProcessed(sim);
  const publish = findPublish(sim, requested.id) ?? requested;
  const isPulled = publish.uploadToken === null;
  const byteCounts = { uploaded_bytes: publish.stored, downloaded_bytes: 0 };
  if (publish.doneAt === null || publish.doneAt > sim.now()) {
    return okResponse(sim, { status: isPulled ? "PROCESSING_DOWNLOAD" : "PROCESSING_UPLOAD", ...byteCounts });
  }
  if (publish.failReason !== null) {
    return okResponse(sim, { status: "FAILED", fail_reason: publish.failReason, ...byteCounts });
  }
  if (publish.isDraft && sim.settings.extra["drafts_finished"] !== true) {
    return okResponse(sim, { status: "SEND_TO_USER_INBOX", ...byteCounts });
  }
  // The id is a number too large for JavaScript, so it is inserted into the JSON text.
  const text = JSON.stringify({
    data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["@"], ...byteCounts },
    error: { code: "ok", message: "", log_id: newLogId(sim) },
  }).replace('["@"]', isModerated(sim, publish) ? `[${publish.publicId}]` : pendingPostIds(sim));
  return new Response(text, { headers: { "content-type": "application/json; charset=utf-8" } });
}

export function cancelPublish(sim: SimulatorContext, token: Token, body: JsonObject): Response {
  publishProcessed(sim);
  const publish = findOwnPublish(sim, token, body);
  if (publish instanceof Response) {
    return publish;
  }
  // An upload or a finished publish cannot be cancelled.
  if (publish.isPublished || publish.failReason !== null || publish.uploadToken !== null) {
    return envelope(sim, 400, "publish_not_cancellable", "The publish cannot be cancelled.");
  }
  savePublish(sim, { ...publish, failReason: "publish_cancelled", doneAt: sim.now() });
  return okResponse(sim, {});
}
