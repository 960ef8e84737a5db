import type { JsonObject } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import { flagOf, graphError, jsonOf, type Params, textOf } from "#sandbox/graph.ts";
import { begin, type Container, find, settle, statusOf } from "./containers.ts";
import { mayTryReels, type Person } from "./people.ts";
import { invalidParam, refusal } from "./problems.ts";

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
const REEL_ONLY = ["trial_params", "share_to_feed", "thumb_offset", "cover_url", "audio_name"];

const tooMany = (caption: string, pattern: RegExp, max: number): boolean => [...caption.matchAll(pattern)].length > max;

function captionRefusal(sim: Sim, caption: string): Response | null {
  if (caption.length > CAPTION_MAX) {
    return refusal(sim, "captionTooLong");
  }
  const hashtags = tooMany(caption, /(?:^|[^\p{L}\p{N}_&])#[\p{L}\p{N}_]+/gu, HASHTAGS_MAX);
  return hashtags || tooMany(caption, /(?:^|[^\p{L}\p{N}_])@[\p{L}\p{N}_.]+/gu, MENTIONS_MAX)
    ? refusal(sim, "tooManyTags")
    : null;
}

function addressRefusal(sim: Sim, name: string, url: string | null): Response | null {
  if (url === null || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    return invalidParam(sim, `The parameter ${name} is required and must be a public URL`);
  }
  // eslint-disable-next-line no-control-regex -- the document says US-ASCII characters only
  return /^[\x00-\x7f]*$/.test(url)
    ? null
    : invalidParam(sim, `The parameter ${name} must have US-ASCII characters only`);
}

type Kind = Container["kind"];

/** The kind that the parameters ask for; undefined for a word that is none. */
function kindOf(params: Params, child: boolean): Kind | undefined {
  switch (textOf(params, "media_type")) {
    case null:
    case "IMAGE":
      return "IMAGE";
    case "REELS":
      return "REELS";
    case "VIDEO":
      // Outside a carousel this word is not for new posts any more.
      return child ? "VIDEO" : undefined;
    case "CAROUSEL":
      return "CAROUSEL";
    default:
      return undefined;
  }
}

/** Fields beside media and caption that change what readers see, or the refusal. */
function optionsOf(sim: Sim, person: Person, kind: Kind, params: Params): JsonObject | Response {
  const stray = REEL_ONLY.find((name) => params.has(name) && kind !== "REELS");
  if (stray !== undefined) {
    return invalidParam(sim, `The parameter ${stray} is for media_type REELS only`);
  }
  const options: Record<string, JsonObject[string]> = {};
  if (params.has("share_to_feed")) {
    const flag = flagOf(params, "share_to_feed");
    if (flag === null) {
      return invalidParam(sim, "share_to_feed must be a boolean");
    }
    options["share_to_feed"] = flag;
  }
  if (params.has("is_ai_generated")) {
    options["is_ai_generated"] = flagOf(params, "is_ai_generated") === true;
  }
  if (params.has("trial_params")) {
    const trial = jsonOf(params, "trial_params");
    const strategy = (trial as { graduation_strategy?: unknown } | null)?.graduation_strategy;
    if (typeof strategy !== "string" || !TRIAL_STRATEGIES.includes(strategy)) {
      return invalidParam(sim, `trial_params.graduation_strategy must be one of ${TRIAL_STRATEGIES.join(", ")}`);
    }
    if (!mayTryReels(person)) {
      return refusal(sim, "trialNotAllowed");
    }
    options["trial_params"] = { graduation_strategy: strategy };
  }
  if (params.has("thumb_offset")) {
    const offset = Number(textOf(params, "thumb_offset"));
    if (!Number.isInteger(offset) || offset < 0) {
      return refusal(sim, "thumbOffset");
    }
    options["thumb_offset"] = offset;
  }
  const altText = textOf(params, "alt_text");
  if (altText !== null) {
    if (kind !== "IMAGE" || altText.length > ALT_TEXT_MAX) {
      return invalidParam(sim, `alt_text is for images and has at most ${ALT_TEXT_MAX} characters`);
    }
    options["alt_text"] = altText;
  }
  const collaborators = jsonOf(params, "collaborators");
  if (collaborators !== undefined) {
    if (!Array.isArray(collaborators) || collaborators.length > COLLABORATORS_MAX) {
      return invalidParam(sim, `collaborators must be a list of at most ${COLLABORATORS_MAX}`);
    }
    options["collaborators"] = collaborators;
  }
  for (const name of ["cover_url", "audio_name", "location_id"]) {
    const value = textOf(params, name);
    if (value !== null) {
      options[name] = value;
    }
  }
  return options;
}

/** The children of a carousel in the order given, or the refusal. */
async function childrenOf(sim: Sim, owner: string, params: Params): Promise<readonly string[] | Response> {
  const given = jsonOf(params, "children");
  const ids = Array.isArray(given) ? given.map(String) : typeof given === "string" ? given.split(",") : [];
  if (ids.length < CAROUSEL_MIN || ids.length > CAROUSEL_MAX) {
    return refusal(sim, "carouselInvalid");
  }
  const found = await Promise.all(
    ids.map(async (id) => {
      const child = find(sim, id.trim());
      return child && settle(sim, child);
    }),
  );
  const children = found.filter((child) => child !== undefined && child.owner === owner && child.child);
  if (children.length < ids.length || new Set(ids).size < ids.length) {
    return refusal(sim, "carouselInvalid");
  }
  const states = children.map((child) => child && statusOf(sim, child));
  if (states.includes("IN_PROGRESS")) {
    return refusal(sim, "notReady");
  }
  return states.every((state) => state === "FINISHED") ? ids.map((id) => id.trim()) : refusal(sim, "carouselInvalid");
}

export async function createContainer(sim: Sim, person: Person, params: Params): Promise<Response> {
  const owner = person.userId;
  const child = flagOf(params, "is_carousel_item") === true;
  const kind = kindOf(params, child);
  if (textOf(params, "upload_type") === "resumable") {
    return invalidParam(sim, "Resumable uploads are not available with this login");
  }
  if (kind === undefined) {
    return refusal(sim, "unknownType");
  }
  const caption = textOf(params, "caption") ?? "";
  if (child && (kind === "REELS" || kind === "CAROUSEL" || caption !== "" || params.has("location_id"))) {
    return refusal(sim, "carouselInvalid");
  }
  const media = kind === "IMAGE" ? "image_url" : "video_url";
  const url = kind === "CAROUSEL" ? null : textOf(params, media);
  const options = optionsOf(sim, person, kind, params);
  const wrong =
    captionRefusal(sim, caption) ??
    (kind === "CAROUSEL" ? null : addressRefusal(sim, media, url)) ??
    (options instanceof Response ? options : null);
  if (wrong) {
    return wrong;
  }
  const children = kind === "CAROUSEL" ? await childrenOf(sim, owner, params) : [];
  if (children instanceof Response) {
    return children;
  }
  const now = sim.now();
  const { containers_per_day: set } = sim.settings.extra;
  const most = typeof set === "number" ? set : CONTAINERS_PER_DAY;
  const recent = sim.store.list(`made:${owner}:`, { from: `made:${owner}:${now - DAY_MS + 1}`, limit: most });
  if (recent.length >= most) {
    return graphError(sim, { code: 4, message: "(#4) Application request limit reached" });
  }
  const id = sim.id(17);
  sim.store.put(`made:${owner}:${now}:${id}`, id);
  await begin(sim, {
    id,
    owner,
    kind,
    child,
    url,
    children,
    caption,
    options: options as JsonObject,
    createdAt: now,
    fetchedAt: kind === "CAROUSEL" ? now : null,
    sha256: null,
    fault: null,
    mediaId: null,
  });
  return Response.json({ id });
}
