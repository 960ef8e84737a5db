import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { booleanParam, graphError, jsonParam, type Params, textParam } from "#sandbox/graph-api.ts";
import { startContainer, type Container, findContainer, awaitDownload, statusOf } from "./containers.ts";
import { canPostTrialReels, type TestUser } from "./test-users.ts";
import { invalidParameter, errorResponse } from "./error-responses.ts";

/* POST /{ig}/media: platforms/instagram.md 2.2 and part 3. */

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
const REEL_ONLY_PARAMS = ["trial_params", "share_to_feed", "thumb_offset", "cover_url", "audio_name"];

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

/** Undefined for an unknown `media_type`. */
function parseKind(params: Params, isCarouselItem: boolean): Kind | undefined {
  switch (textParam(params, "media_type")) {
    case null:
    case "IMAGE":
      return "IMAGE";
    case "REELS":
      return "REELS";
    case "VIDEO":
      // Deprecated outside a carousel.
      return isCarouselItem ? "VIDEO" : undefined;
    case "CAROUSEL":
      return "CAROUSEL";
    default:
      return undefined;
  }
}

/** The publishing options other than media and caption, or the error response. */
function parseOptions(sim: SimulatorContext, user: TestUser, kind: Kind, params: Params): JsonObject | Response {
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
  for (const name of ["cover_url", "audio_name", "location_id"]) {
    const value = textParam(params, name);
    if (value !== null) {
      options[name] = value;
    }
  }
  return options;
}

/** The ids of a carousel's children in the order given, or the error response. */
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
  if (isCarouselItem && (kind === "REELS" || kind === "CAROUSEL" || caption !== "" || params.has("location_id"))) {
    return errorResponse(sim, "carouselInvalid");
  }
  const urlParam = kind === "IMAGE" ? "image_url" : "video_url";
  const url = kind === "CAROUSEL" ? null : textParam(params, urlParam);
  const options = parseOptions(sim, user, kind, params);
  const error =
    checkCaption(sim, caption) ??
    (kind === "CAROUSEL" ? null : checkMediaUrl(sim, urlParam, url)) ??
    (options instanceof Response ? options : null);
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
