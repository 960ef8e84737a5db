import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/grants.ts";
import { envelope, invalid, logId, ok, scopeMissing } from "./answers.ts";
import { CREATORS, type Creator } from "./creators.ts";
import { find, isModerated, type Publish, publishesOf, save, settle, textOf } from "./publishes.ts";
import { waitForPull } from "./pull.ts";

/* What became of a publish, and what stands on the profile: platforms/tiktok.md 2.5. */

const LISTED_TEXT_MAX = 150;
const PAGE_MAX = 20;
const USUAL_PAGE = 10;

/** The publish of a call's body that this session may ask about, or the refusal. */
function publishOf(sim: Sim, session: Token, body: JsonObject): Publish | Response {
  const publish = find(sim, textOf(body["publish_id"]));
  if (!publish) {
    return envelope(sim, 400, "invalid_publish_id", "The publish_id does not exist.");
  }
  return publish.login === session.login
    ? publish
    : envelope(sim, 400, "token_not_authorized_for_specified_publish_id", "The token is not of the creator.");
}

export async function status(sim: Sim, session: Token, body: JsonObject): Promise<Response> {
  const asked = publishOf(sim, session, body);
  if (asked instanceof Response) {
    return asked;
  }
  await waitForPull(sim, asked);
  settle(sim);
  const publish = find(sim, asked.id) ?? asked;
  const isPulled = publish.uploadToken === null;
  const counted = { uploaded_bytes: publish.stored, downloaded_bytes: 0 };
  if (publish.doneAt === null || publish.doneAt > sim.now()) {
    return ok(sim, { status: isPulled ? "PROCESSING_DOWNLOAD" : "PROCESSING_UPLOAD", ...counted });
  }
  if (publish.failReason !== null) {
    return ok(sim, { status: "FAILED", fail_reason: publish.failReason, ...counted });
  }
  if (publish.draft && sim.settings.extra["drafts_finished"] !== true) {
    return ok(sim, { status: "SEND_TO_USER_INBOX", ...counted });
  }
  // The id is a bare number that JavaScript cannot hold, so the answer is written by hand.
  const text = JSON.stringify({
    data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["@"], ...counted },
    error: { code: "ok", message: "", log_id: logId(sim) },
  }).replace('["@"]', isModerated(sim, publish) ? `[${publish.publicId}]` : "[]");
  return new Response(text, { headers: { "content-type": "application/json; charset=utf-8" } });
}

export function cancel(sim: Sim, session: Token, body: JsonObject): Response {
  settle(sim);
  const publish = publishOf(sim, session, body);
  if (publish instanceof Response) {
    return publish;
  }
  // What lies at the platform already cannot be taken back.
  if (publish.booked || publish.failReason !== null || publish.uploadToken !== null) {
    return envelope(sim, 400, "publish_not_cancellable", "The publish cannot be cancelled.");
  }
  save(sim, { ...publish, failReason: "publish_cancelled", doneAt: sim.now() });
  return ok(sim, {});
}

/** The fields that a call asks for in its address, or the refusal of one that asks for none or for a stranger. */
function fieldsOf(sim: Sim, url: URL, known: readonly string[]): readonly string[] | Response {
  const fields = (url.searchParams.get("fields") ?? "").split(",").filter(Boolean);
  const stray = fields.find((field) => !known.includes(field));
  if (fields.length === 0 || stray !== undefined) {
    return invalid(sim, stray === undefined ? "fields is required" : `${stray} is not a field`);
  }
  return fields;
}

const only = (all: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name)));

/** GET /v2/user/info/ */
export function userInfo(sim: Sim, session: Token, creator: Creator, url: URL): Response {
  const all = {
    open_id: creator.openId,
    union_id: `u${creator.openId}`,
    avatar_url: `https://p16.tiktokcdn.com/${creator.openId}`,
    display_name: creator.nickname,
    username: creator.username,
    bio_description: "",
    is_verified: false,
  };
  const fields = fieldsOf(sim, url, Object.keys(all));
  if (fields instanceof Response) {
    return fields;
  }
  const isDetailed = fields.some((field) => ["username", "bio_description", "is_verified"].includes(field));
  return isDetailed && !session.scopes.includes("user.info.profile")
    ? scopeMissing(sim)
    : ok(sim, { user: only(all, fields) });
}

const VIDEO_FIELDS = ["id", "title", "video_description", "create_time", "share_url"];

const videoOf = (publish: Publish): JsonObject => ({
  id: publish.publicId,
  title: textOf(publish.info["title"]).slice(0, LISTED_TEXT_MAX),
  video_description: textOf(publish.info["title"]).slice(0, LISTED_TEXT_MAX),
  create_time: Math.floor((publish.doneAt ?? 0) / 1000),
  share_url: `https://www.tiktok.com/@${CREATORS[publish.login]?.username}/video/${publish.publicId}`,
});

/** Public videos, newest first; photo posts are not shown. */
function publicVideos(sim: Sim, session: Token): readonly Publish[] {
  settle(sim);
  return publishesOf(sim, session.login)
    .filter((publish) => publish.kind === "video" && isModerated(sim, publish))
    .toSorted((a, b) => (b.doneAt ?? 0) - (a.doneAt ?? 0) || b.serial - a.serial);
}

/** POST /v2/video/list/: pages go by the time of the last one. */
export function listVideos(sim: Sim, session: Token, url: URL, body: JsonObject): Response {
  const size = body["max_count"] ?? USUAL_PAGE;
  if (!Number.isInteger(size) || Number(size) < 1 || Number(size) > PAGE_MAX) {
    return invalid(sim, `max_count must be 1 to ${PAGE_MAX}`);
  }
  const before = Number(body["cursor"] ?? Number.POSITIVE_INFINITY);
  const found = publicVideos(sim, session).filter((publish) => (publish.doneAt ?? 0) < before);
  const page = found.slice(0, Number(size));
  return videosAnswer(sim, url, page, { cursor: page.at(-1)?.doneAt ?? 0, has_more: found.length > page.length });
}

/** POST /v2/video/query/ */
export function queryVideos(sim: Sim, session: Token, url: URL, body: JsonObject): Response {
  const filters = body["filters"] as { readonly video_ids?: JsonValue } | null | undefined;
  const ids = filters?.video_ids;
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > PAGE_MAX) {
    return invalid(sim, `filters.video_ids takes 1 to ${PAGE_MAX} ids`);
  }
  return videosAnswer(
    sim,
    url,
    publicVideos(sim, session).filter((publish) => ids.includes(publish.publicId)),
    {},
  );
}

function videosAnswer(sim: Sim, url: URL, found: readonly Publish[], more: JsonObject): Response {
  const fields = fieldsOf(sim, url, VIDEO_FIELDS);
  return fields instanceof Response
    ? fields
    : ok(sim, { videos: found.map((publish) => only(videoOf(publish), fields)), ...more });
}
