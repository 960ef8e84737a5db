import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { fetchMedia } from "#sandbox/fetch-media.ts";
import { booleanParam, graphError, jsonParam, type Params, textParam } from "#sandbox/graph-api.ts";
import { startContainer, type Container, findContainer, awaitDownload, statusOf } from "./containers.ts";
import { canPostTrialReels, type TestUser } from "./test-users.ts";
import { invalidParameter, errorResponse } from "./error-responses.ts";

/* Handles `POST /{ig}/media` (platforms/instagram.md 2.2 and part 3). */

const DAY_MS = 86_400_000;
const CONTAINERS_PER_DAY = 400;
const CAPTION_MAX = 2200;
const HASHTAGS_MAX = 30;
const MENTIONS_MAX = 20;
const ALT_TEXT_MAX = 1000;
const COLLABORATORS_MAX = 3;
const CAROUSEL_MIN = 2;
const CAROUSEL_MAX = 10;
const TRIAL_STRATEGIES = ["MANUAL", "SS_PERFORMANCE"];
/** Parameters that only the published container of a carousel has, not its items. */
const PARENT_PARAMS = ["location_id", "collaborators", "is_ai_generated"];
const REEL_ONLY_PARAMS = ["trial_params", "share_to_feed", "cover_url", "audio_name"];
/** The parameters of stories, complete: "Image Story Containers" and "Video Story Containers" in the reference. */
const STORY_PARAMS = new Set(["media_type", "image_url", "video_url", "user_tags", "access_token", "appsecret_proof"]);
/** The largest cover of a reel: "Reels cover photo" in the reference. */
const COVER_MAX_BYTES = 8 * 1024 * 1024;

const hasMoreMatchesThan = (caption: string, pattern: RegExp, max: number): boolean =>
  [...caption.matchAll(pattern)].length > max;

function checkCaption(sim: SimulatorContext, caption: string): Response | null {
  if (caption.length > CAPTION_MAX) {
    return errorResponse(sim, "captionTooLong");
  }
  const hashtags = hasMoreMatchesThan(caption, /(?:^|[^\p{L}\p{N}_&])#[\p{L}\p{N}_]+/gu, HASHTAGS_MAX);
  return hashtags || hasMoreMatchesThan(caption, /(?:^|[^\p{L}\p{N}_])@[\p{L}\p{N}_.]+/gu, MENTIONS_MAX)
    ? errorResponse(sim, "tooManyTags")
    : null;
}

function checkMediaUrl(sim: SimulatorContext, name: string, url: string | null): Response | null {
  if (url === null || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    return invalidParameter(sim, `The parameter ${name} is required and must be a public URL`);
  }
  // eslint-disable-next-line no-control-regex -- the document says US-ASCII characters only
  return /^[\x00-\x7f]*$/.test(url)
    ? null
    : invalidParameter(sim, `The parameter ${name} must have US-ASCII characters only`);
}

type Kind = Container["kind"];

/** The container's kind; undefined for an unknown `media_type`. */
function parseKind(params: Params, isCarouselItem: boolean): Kind | undefined {
  switch (textParam(params, "media_type")) {
    case null:
    case "IMAGE":
      return "IMAGE";
    case "REELS":
      return "REELS";
    case "VIDEO":
      // `VIDEO` is deprecated outside a carousel.
      return isCarouselItem ? "VIDEO" : undefined;
    case "CAROUSEL":
    case "STORIES":
      return textParam(params, "media_type") as Kind;
    default:
      return undefined;
  }
}

/**
 * Whether `user_tags` are valid for the kind: x and y are required on images, refused on videos and optional in stories
 * (IG user media reference, `user_tags`).
 */
function areUserTags(tags: JsonValue, kind: Kind): boolean {
  const isPlace = (value: JsonValue | undefined) => typeof value === "number" && value >= 0 && value <= 1;
  return (
    Array.isArray(tags) &&
    tags.every((tag: JsonValue) => {
      if (!isJsonObject(tag) || typeof tag["username"] !== "string") {
        return false;
      }
      const { x, y } = tag;
      const hasPlace = isPlace(x) && isPlace(y);
      const hasNone = x === undefined && y === undefined;
      return kind === "STORIES" ? hasPlace || hasNone : kind === "IMAGE" ? hasPlace : hasNone;
    })
  );
}

/** The publishing options apart from media and caption, or the error response. */
function parseOptions(sim: SimulatorContext, user: TestUser, kind: Kind, params: Params): JsonObject | Response {
  const notForStories = [...params.keys()].find((name) => kind === "STORIES" && !STORY_PARAMS.has(name));
  if (notForStories !== undefined) {
    return invalidParameter(sim, `The parameter ${notForStories} is not for media_type STORIES`);
  }
  if (kind === "STORIES" && params.has("image_url") && params.has("video_url")) {
    return invalidParameter(sim, "A story has either image_url or video_url");
  }
  const reelOnlyParam = REEL_ONLY_PARAMS.find((name) => params.has(name) && kind !== "REELS");
  if (reelOnlyParam !== undefined) {
    return invalidParameter(sim, `The parameter ${reelOnlyParam} is for media_type REELS only`);
  }
  const options: Record<string, JsonObject[string]> = {};
  if (params.has("share_to_feed")) {
    const flag = booleanParam(params, "share_to_feed");
    if (flag === null) {
      return invalidParameter(sim, "share_to_feed must be a boolean");
    }
    options["share_to_feed"] = flag;
  }
  if (params.has("is_ai_generated")) {
    options["is_ai_generated"] = booleanParam(params, "is_ai_generated") === true;
  }
  if (params.has("trial_params")) {
    const trial = jsonParam(params, "trial_params");
    const strategy = (trial as { graduation_strategy?: unknown } | null)?.graduation_strategy;
    if (typeof strategy !== "string" || !TRIAL_STRATEGIES.includes(strategy)) {
      return invalidParameter(sim, `trial_params.graduation_strategy must be one of ${TRIAL_STRATEGIES.join(", ")}`);
    }
    if (!canPostTrialReels(user)) {
      return errorResponse(sim, "trialNotAllowed");
    }
    if (options["share_to_feed"] === true) {
      return invalidParameter(sim, "share_to_feed cannot be true with trial_params");
    }
    options["trial_params"] = { graduation_strategy: strategy };
  }
  if (params.has("thumb_offset")) {
    if (kind !== "REELS" && kind !== "VIDEO") {
      return invalidParameter(sim, "The parameter thumb_offset is for videos only");
    }
    const offset = Number(textParam(params, "thumb_offset"));
    if (!Number.isInteger(offset) || offset < 0) {
      return errorResponse(sim, "thumbOffset");
    }
    options["thumb_offset"] = offset;
  }
  const altText = textParam(params, "alt_text");
  if (altText !== null) {
    if (kind !== "IMAGE" || altText.length > ALT_TEXT_MAX) {
      return invalidParameter(sim, `alt_text is for images and has at most ${ALT_TEXT_MAX} characters`);
    }
    options["alt_text"] = altText;
  }
  const collaborators = jsonParam(params, "collaborators");
  if (collaborators !== undefined) {
    if (!Array.isArray(collaborators) || collaborators.length > COLLABORATORS_MAX) {
      return invalidParameter(sim, `collaborators must be a list of at most ${COLLABORATORS_MAX}`);
    }
    options["collaborators"] = collaborators;
  }
  const userTags = jsonParam(params, "user_tags");
  if (userTags !== undefined) {
    if (kind === "CAROUSEL" || !areUserTags(userTags, kind)) {
      return invalidParameter(sim, "user_tags must name accounts, with x and y from 0 to 1 on images only");
    }
    options["user_tags"] = userTags;
  }
  for (const name of ["cover_url", "audio_name", "location_id"]) {
    const value = textParam(params, name);
    if (value !== null) {
      options[name] = value;
    }
  }
  return options;
}

/** Checks a reel's cover against the reference. Returns the error response, or null. */
async function checkCover(sim: SimulatorContext, params: Params): Promise<Response | null> {
  const url = textParam(params, "cover_url");
  const invalidUrl = url === null ? null : checkMediaUrl(sim, "cover_url", url);
  if (url === null || invalidUrl) {
    return invalidUrl;
  }
  const file = await fetchMedia(sim, url, "facebookexternalhit/1.1");
  return file?.info.type === "image/jpeg" && file.size <= COVER_MAX_BYTES
    ? null
    : invalidParameter(sim, "cover_url must be a JPEG of at most 8 MB");
}

/** The ids of a carousel's children in the given order, or the error response. */
async function parseChildren(
  sim: SimulatorContext,
  owner: string,
  params: Params,
): Promise<readonly string[] | Response> {
  const childrenParam = jsonParam(params, "children");
  const ids = Array.isArray(childrenParam)
    ? childrenParam.map(String)
    : typeof childrenParam === "string"
      ? childrenParam.split(",")
      : [];
  if (ids.length < CAROUSEL_MIN || ids.length > CAROUSEL_MAX) {
    return errorResponse(sim, "carouselInvalid");
  }
  const containers = await Promise.all(
    ids.map(async (id) => {
      const child = findContainer(sim, id.trim());
      return child && awaitDownload(sim, child);
    }),
  );
  const children = containers.filter((child) => child !== undefined && child.owner === owner && child.isCarouselItem);
  if (children.length < ids.length || new Set(ids).size < ids.length) {
    return errorResponse(sim, "carouselInvalid");
  }
  const statuses = children.map((child) => child && statusOf(sim, child));
  if (statuses.includes("IN_PROGRESS")) {
    return errorResponse(sim, "notReady");
  }
  return statuses.every((status) => status === "FINISHED")
    ? ids.map((id) => id.trim())
    : errorResponse(sim, "carouselInvalid");
}

export async function createContainer(sim: SimulatorContext, user: TestUser, params: Params): Promise<Response> {
  const owner = user.userId;
  const isCarouselItem = booleanParam(params, "is_carousel_item") === true;
  const kind = parseKind(params, isCarouselItem);
  if (textParam(params, "upload_type") === "resumable") {
    return invalidParameter(sim, "Resumable uploads are not available with this login");
  }
  if (kind === undefined) {
    return errorResponse(sim, "unknownType");
  }
  const caption = textParam(params, "caption") ?? "";
  if (
    isCarouselItem &&
    (kind === "REELS" ||
      kind === "CAROUSEL" ||
      kind === "STORIES" ||
      caption !== "" ||
      PARENT_PARAMS.some((name) => params.has(name)))
  ) {
    return errorResponse(sim, "carouselInvalid");
  }
  if (kind === "STORIES" && user.accountType !== "BUSINESS" && sim.settings.extra["stories_of_creators"] !== true) {
    return errorResponse(sim, "notBusiness");
  }
  const mediaType = kind === "IMAGE" || (kind === "STORIES" && !params.has("video_url")) ? "image" : "video";
  const urlParam = mediaType === "image" ? "image_url" : "video_url";
  const url = kind === "CAROUSEL" ? null : textParam(params, urlParam);
  const options = parseOptions(sim, user, kind, params);
  const error =
    checkCaption(sim, caption) ??
    (kind === "CAROUSEL" ? null : checkMediaUrl(sim, urlParam, url)) ??
    (options instanceof Response ? options : await checkCover(sim, params));
  if (error) {
    return error;
  }
  const children = kind === "CAROUSEL" ? await parseChildren(sim, owner, params) : [];
  if (children instanceof Response) {
    return children;
  }
  const now = sim.now();
  const { containers_per_day: configuredLimit } = sim.settings.extra;
  const limit = typeof configuredLimit === "number" ? configuredLimit : CONTAINERS_PER_DAY;
  const recentContainers = sim.store.list(`made:${owner}:`, {
    from: `made:${owner}:${now - DAY_MS + 1}`,
    limit,
  });
  if (recentContainers.length >= limit) {
    return graphError(sim, { code: 4, message: "(#4) Application request limit reached" });
  }
  const id = sim.newId(17);
  sim.store.put(`made:${owner}:${now}:${id}`, id);
  await startContainer(sim, {
    id,
    owner,
    kind,
    mediaType,
    isCarouselItem,
    url,
    children,
    caption,
    options: options as JsonObject,
    createdAt: now,
    fetchedAt: kind === "CAROUSEL" ? now : null,
    sha256: null,
    errorSubcode: null,
    mediaId: null,
  });
  return Response.json({ id });
}
