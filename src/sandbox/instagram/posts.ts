import type { JsonObject } from "#core/json.ts";
import { toIsoInstant } from "#core/clock.ts";
import type { PublishedPost, SimulatorContext } from "#sandbox/contract.ts";
import { paginate, type Params, selectFields, textParam, unknownField } from "#sandbox/graph-api.ts";
import { type Container, findContainer, saveContainer, awaitDownload, statusOf } from "./containers.ts";
import type { TestUser } from "./test-users.ts";
import { errorResponse, invalidParameter, objectNotFound, selectedFields } from "./error-responses.ts";

/* Publishing and reading back (platforms/instagram.md 2.1, part 5 and part 6). */

const DAY_MS = 86_400_000;
/**
 * Posts that an account may publish per day. Two of Meta's pages say 50 and one says 100 (the setting `quota`);
 * `content_publishing_limit` returns the current number.
 */
const POSTS_PER_DAY = 50;
const DEFAULT_PAGE_SIZE = 25;
const LIST_MAX = 10_000;
const SHORTCODE_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

interface Media {
  readonly id: string;
  readonly owner: string;
  readonly username: string;
  readonly shortcode: string;
  readonly type: "IMAGE" | "VIDEO" | "CAROUSEL_ALBUM";
  readonly product: "FEED" | "REELS" | "STORY";
  readonly caption: string;
  readonly children: readonly string[];
  readonly publishedAt: number;
}

export const findMedia = (sim: SimulatorContext, id: string): Media | undefined =>
  sim.store.get(`media:${id}`) as Media | undefined;

const publishedPrefix = (owner: string): string => `published:${owner}:`;

/**
 * Counts the account's posts of the last 24 hours. Keys contain the time in milliseconds, which always has 13 digits,
 * so keys sort by time.
 */
function countPublishedInLastDay(sim: SimulatorContext, owner: string): number {
  const prefix = publishedPrefix(owner);
  return sim.store.list(prefix, { from: `${prefix}${sim.now() - DAY_MS + 1}`, limit: LIST_MAX }).length;
}

const quotaOf = (sim: SimulatorContext): number => sim.settings.quota ?? POSTS_PER_DAY;

/** Handles `GET /{ig}/content_publishing_limit`. */
export async function publishingLimit(sim: SimulatorContext, user: TestUser, params: Params): Promise<Response> {
  const config = { quota_total: quotaOf(sim), quota_duration: DAY_MS / 1000 };
  const limit = { quota_usage: countPublishedInLastDay(sim, user.userId), config };
  const response = selectedFields(sim, "IGUserContentPublishingLimit", limit, params, "quota_usage");
  return response.ok ? Response.json({ data: [await response.json()] }) : response;
}

/** Handles `POST /{ig}/media_publish`. */
export async function publishContainer(sim: SimulatorContext, user: TestUser, params: Params): Promise<Response> {
  const requested = findContainer(sim, textParam(params, "creation_id") ?? "");
  if (!requested || requested.owner !== user.userId) {
    return errorResponse(sim, "containerMissing");
  }
  await awaitDownload(sim, requested);
  // There is no await below, so of two concurrent calls with one container exactly one publishes it.
  const container = findContainer(sim, requested.id) ?? requested;
  switch (statusOf(sim, container)) {
    case "PUBLISHED":
      // Meta does not document what a second publication of a container does. By default the sandbox publishes it
      // again, which is the strict reading.
      if (sim.settings.extra["republish"] === "refused") {
        return errorResponse(sim, "containerGone");
      }
      break;
    case "EXPIRED":
      return errorResponse(sim, "expired");
    case "IN_PROGRESS":
    case "ERROR":
      return errorResponse(sim, "notReady");
    case "FINISHED":
      break;
  }
  if (container.isCarouselItem) {
    return errorResponse(sim, "carouselInvalid");
  }
  if (countPublishedInLastDay(sim, user.userId) >= quotaOf(sim)) {
    return errorResponse(sim, "dailyCap");
  }
  return Response.json({ id: createPost(sim, user, container) });
}

function createPost(sim: SimulatorContext, user: TestUser, container: Container): string {
  const now = sim.now();
  const id = sim.newId(17);
  const shortcode = Array.from(
    sim.newId(22).match(/../g) ?? [],
    (digits) => SHORTCODE_ALPHABET[Number(digits) % 64],
  ).join("");
  const children = container.children.map((child) => findContainer(sim, child)).filter((child) => child !== undefined);
  const items = container.kind === "CAROUSEL" ? children : [container];
  const media: Media = {
    id,
    owner: user.userId,
    shortcode,
    type: container.kind === "CAROUSEL" ? "CAROUSEL_ALBUM" : container.mediaType === "image" ? "IMAGE" : "VIDEO",
    product: container.kind === "REELS" ? "REELS" : container.kind === "STORIES" ? "STORY" : "FEED",
    username: user.username,
    caption: container.caption,
    children: container.children,
    publishedAt: now,
  };
  saveContainer(sim, { ...container, mediaId: id });
  for (const child of children) {
    saveContainer(sim, { ...child, mediaId: sim.newId(17) });
  }
  sim.store.put(`media:${id}`, { ...media, children: [...media.children] });
  sim.store.put(`${publishedPrefix(user.userId)}${now}:${id}`, id);
  const altTexts = children.map((child) => child.options["alt_text"] ?? null);
  const thumbOffsets = children.map((child) => child.options["thumb_offset"] ?? null);
  const userTags = children.map((child) => child.options["user_tags"] ?? null);
  const post: PublishedPost = {
    id,
    url: permalink(media),
    account: user.userId,
    kind: { IMAGE: "image", REELS: "reel", VIDEO: "video", CAROUSEL: "carousel", STORIES: "story" }[container.kind],
    text: container.caption,
    title: null,
    media: items.map((item) => ({ type: item.mediaType, sha256: item.sha256 ?? "" })),
    options: {
      ...container.options,
      ...(altTexts.some((text) => text !== null) && { alt_texts: altTexts }),
      ...(userTags.some((tags) => tags !== null) && { user_tags_of_items: userTags }),
      ...(thumbOffsets.some((offset) => offset !== null) && { thumb_offsets: thumbOffsets }),
    },
    accepted_at: toIsoInstant(now),
  };
  sim.recordPublishedPost(post);
  return id;
}

/** The URL of a post. That of a story has the form that others recorded: `/stories/{username}/{number}`. */
const permalink = (media: Media): string =>
  media.product === "STORY"
    ? `https://www.instagram.com/stories/${media.username}/${media.id}`
    : `https://www.instagram.com/${media.product === "REELS" ? "reel" : "p"}/${media.shortcode}/`;

/** Formats a time as this API does: `2026-11-20T10:00:00+0000`. */
const formatGraphTime = (ms: number): string => toIsoInstant(ms).replace(/\.\d{3}Z$/, "+0000");

function mediaJson(media: Media): JsonObject {
  return {
    id: media.id,
    caption: media.caption,
    media_type: media.type,
    media_product_type: media.product,
    permalink: permalink(media),
    shortcode: media.shortcode,
    timestamp: formatGraphTime(media.publishedAt),
    owner: { id: media.owner },
  };
}

const isVisible = (sim: SimulatorContext, media: Media): boolean =>
  media.publishedAt + sim.settings.verify_lag_ms <= sim.now();

/** Handles `GET /{media}`. */
export function readMedia(sim: SimulatorContext, user: TestUser, id: string, params: Params): Response {
  const media = findMedia(sim, id);
  return media && media.owner === user.userId && isVisible(sim, media)
    ? selectedFields(sim, "IGMedia", mediaJson(media), params)
    : objectNotFound(sim, id);
}

/** Handles `GET /{ig}/media`: newest first and without stories. */
export function listMedia(sim: SimulatorContext, user: TestUser, url: URL, params: Params): Response {
  return listPosts(sim, user, url, params, (media) => media.product !== "STORY");
}

/** Handles `GET /{ig}/stories`: "Stories are only available for 24 hours". */
export function listStories(sim: SimulatorContext, user: TestUser, url: URL, params: Params): Response {
  return listPosts(
    sim,
    user,
    url,
    params,
    (media) => media.product === "STORY" && media.publishedAt + DAY_MS > sim.now(),
  );
}

function listPosts(
  sim: SimulatorContext,
  user: TestUser,
  url: URL,
  params: Params,
  isListed: (media: Media) => boolean,
): Response {
  const fields = textParam(params, "fields") ?? "id";
  const items = sim.store
    .list<string>(publishedPrefix(user.userId), { reverse: true, limit: LIST_MAX })
    .map(([, id]) => findMedia(sim, id))
    .filter((media) => media !== undefined)
    .filter((media) => isVisible(sim, media) && isListed(media))
    .map(mediaJson);
  const unknown = items[0] && unknownField(items[0], fields);
  return unknown === undefined
    ? paginate(
        url,
        items.map((item) => selectFields(item, fields)),
        DEFAULT_PAGE_SIZE,
      )
    : invalidParameter(sim, `Tried accessing nonexisting field (${unknown}) on node type (IGMedia)`);
}
