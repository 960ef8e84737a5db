import type { JsonObject, JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { CREATORS, type Creator } from "./creators.ts";
import { isModerated, type Publish, publishesOf, publishProcessed, textOrEmpty } from "./publishes.ts";
import { invalidParams, missingScope, okResponse } from "./responses.ts";

/* The user's profile and public videos: platforms/tiktok.md 2.5 (status). */

const MAX_LISTED_TEXT_LENGTH = 150;
const MAX_PAGE_SIZE = 20;
const DEFAULT_PAGE_SIZE = 10;

/** The requested fields, or the error for none or an unknown one. */
function requestedFields(sim: SimulatorContext, url: URL, known: readonly string[]): readonly string[] | Response {
  const fields = (url.searchParams.get("fields") ?? "").split(",").filter(Boolean);
  const unknownField = fields.find((field) => !known.includes(field));
  if (fields.length === 0 || unknownField !== undefined) {
    return invalidParams(sim, unknownField === undefined ? "fields is required" : `${unknownField} is not a field`);
  }
  return fields;
}

const pickFields = (all: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name)));

/** GET /v2/user/info/ */
export function readUserInfo(sim: SimulatorContext, token: Token, creator: Creator, url: URL): Response {
  const all = {
    open_id: creator.openId,
    union_id: `u${creator.openId}`,
    avatar_url: `https://p16.tiktokcdn.com/${creator.openId}`,
    display_name: creator.nickname,
    username: creator.username,
    bio_description: "",
    is_verified: false,
  };
  const fields = requestedFields(sim, url, Object.keys(all));
  if (fields instanceof Response) {
    return fields;
  }
  const isDetailed = fields.some((field) => ["username", "bio_description", "is_verified"].includes(field));
  return isDetailed && !token.scopes.includes("user.info.profile")
    ? missingScope(sim)
    : okResponse(sim, { user: pickFields(all, fields) });
}

const VIDEO_FIELDS = ["id", "title", "video_description", "create_time", "share_url"];

const videoJson = (publish: Publish): JsonObject => ({
  id: publish.publicId,
  title: textOrEmpty(publish.postInfo["title"]).slice(0, MAX_LISTED_TEXT_LENGTH),
  video_description: textOrEmpty(publish.postInfo["title"]).slice(0, MAX_LISTED_TEXT_LENGTH),
  create_time: Math.floor((publish.doneAt ?? 0) / 1000),
  share_url: `https://www.tiktok.com/@${CREATORS[publish.login]?.username}/video/${publish.publicId}`,
});

/** Public videos, newest first; TikTok does not list photo posts. */
function publicVideos(sim: SimulatorContext, token: Token): readonly Publish[] {
  publishProcessed(sim);
  return publishesOf(sim, token.login)
    .filter((publish) => publish.kind === "video" && isModerated(sim, publish))
    .toSorted((a, b) => (b.doneAt ?? 0) - (a.doneAt ?? 0) || b.serial - a.serial);
}

/** POST /v2/video/list/: the cursor is the time of the last video on the page. */
export function listVideos(sim: SimulatorContext, token: Token, url: URL, body: JsonObject): Response {
  const size = body["max_count"] ?? DEFAULT_PAGE_SIZE;
  if (!Number.isInteger(size) || Number(size) < 1 || Number(size) > MAX_PAGE_SIZE) {
    return invalidParams(sim, `max_count must be 1 to ${MAX_PAGE_SIZE}`);
  }
  const before = Number(body["cursor"] ?? Number.POSITIVE_INFINITY);
  const videos = publicVideos(sim, token).filter((publish) => (publish.doneAt ?? 0) < before);
  const page = videos.slice(0, Number(size));
  return videosResponse(sim, url, page, { cursor: page.at(-1)?.doneAt ?? 0, has_more: videos.length > page.length });
}

/** POST /v2/video/query/ */
export function queryVideos(sim: SimulatorContext, token: Token, url: URL, body: JsonObject): Response {
  const filters = body["filters"] as { readonly video_ids?: JsonValue } | null | undefined;
  const ids = filters?.video_ids;
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MAX_PAGE_SIZE) {
    return invalidParams(sim, `filters.video_ids must be a list of 1 to ${MAX_PAGE_SIZE} ids`);
  }
  return videosResponse(
    sim,
    url,
    publicVideos(sim, token).filter((publish) => ids.includes(publish.publicId)),
    {},
  );
}

function videosResponse(sim: SimulatorContext, url: URL, videos: readonly Publish[], more: JsonObject): Response {
  const fields = requestedFields(sim, url, VIDEO_FIELDS);
  return fields instanceof Response
    ? fields
    : okResponse(sim, { videos: videos.map((publish) => pickFields(videoJson(publish), fields)), ...more });
}
