import { recordTable } from "#sandbox/record-table.ts";
import { DAY, MINUTE, toIsoInstant } from "#core/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { accessDenied, invalidValue, missingField, errorResponse } from "./error-responses.ts";
import { type Asset, findAsset, statusOf } from "./media-assets.ts";
import { renderCommentary } from "./commentary-markup.ts";
import { checkCanPostAs, canReadPostsOf } from "./authorization.ts";

/* Creating, finding and deleting posts: platforms/linkedin.md 2.1, 4 and 5. */

const COMMENTARY_MAX = 3000;
const IMAGES_MIN = 2;
const IMAGES_MAX = 20;
const DUPLICATE_WINDOW_MS = 10 * MINUTE;
const POSTS_PER_DAY = 150;
const PAGE_MAX = 100;
const VISIBILITIES: ReadonlySet<JsonValue | undefined> = new Set(["PUBLIC", "CONNECTIONS", "LOGGED_IN", "CONTAINER"]);

interface Share {
  readonly urn: string;
  readonly author: string;
  /** The request body exactly as it was sent. */
  readonly body: string;
  readonly commentary: string;
  readonly content: JsonValue;
  readonly createdAt: number;
  readonly serial: number;
  readonly deleted: boolean;
}

const SHARES = recordTable<Share>("share:");

const shares = (sim: SimulatorContext): readonly Share[] => SHARES.list(sim);

const findShare = (sim: SimulatorContext, urn: string): Share | undefined => SHARES.find(sim, urn);

/** The URNs in a post's content; null for an unknown type of content. */
function mediaUrns(content: JsonValue | undefined): readonly JsonValue[] | null {
  if (content === undefined) {
    return [];
  }
  if (!isJsonObject(content)) {
    return null;
  }
  const { media, multiImage } = content;
  if (isJsonObject(media)) {
    return [media["id"] ?? null];
  }
  return isJsonObject(multiImage) && Array.isArray(multiImage["images"])
    ? multiImage["images"].map((image: JsonValue) => (isJsonObject(image) ? (image["id"] ?? null) : null))
    : null;
}

/** The media of a post, all owned by the author and processed, or the error response. */
function resolveMedia(
  sim: SimulatorContext,
  author: string,
  content: JsonValue | undefined,
): readonly Asset[] | Response {
  const urns = mediaUrns(content);
  if (!urns) {
    return invalidValue("ERROR :: /content :: unknown content type");
  }
  const isMulti = isJsonObject(content) && "multiImage" in content;
  if (isMulti && (urns.length < IMAGES_MIN || urns.length > IMAGES_MAX)) {
    return invalidValue(`multiImage takes ${IMAGES_MIN} to ${IMAGES_MAX} images`);
  }
  const assets: Asset[] = [];
  for (const urn of urns) {
    const asset = typeof urn === "string" ? findAsset(sim, urn) : undefined;
    if (asset?.owner !== author || (isMulti && asset.kind !== "image")) {
      return errorResponse(400, "INVALID_URN_ID", `${JSON.stringify(urn)} is not media of the author`);
    }
    const status = statusOf(asset, sim.now());
    if (status === "PROCESSING_FAILED") {
      return errorResponse(400, "MEDIA_ASSET_PROCESSING_FAILED", `${JSON.stringify(urn)} failed to process`);
    }
    if (status !== "AVAILABLE") {
      return errorResponse(400, "MEDIA_ASSET_WAITING_UPLOAD", `${JSON.stringify(urn)} is not ready`);
    }
    assets.push(asset);
  }
  return assets;
}

/** The error response for invalid fields other than author and content, or null. */
function checkFields(sim: SimulatorContext, body: JsonObject): Response | null {
  const { commentary, visibility, distribution, lifecycleState } = body;
  if (typeof commentary !== "string") {
    return missingField("/commentary");
  }
  if (visibility === undefined || !isJsonObject(distribution) || distribution["feedDistribution"] === undefined) {
    return missingField(visibility === undefined ? "/visibility" : "/distribution/feedDistribution");
  }
  if (!VISIBILITIES.has(visibility)) {
    return invalidValue("ERROR :: /visibility :: is not an enum symbol");
  }
  if (lifecycleState !== "PUBLISHED") {
    return invalidValue("ERROR :: /lifecycleState :: only PUBLISHED can be created");
  }
  // Whether escapes count is not documented: they do, unless the setting `count_visible` is on.
  const counted = sim.settings.extra["count_visible"] === true ? renderCommentary(commentary, false) : commentary;
  return counted.length > COMMENTARY_MAX ? commentaryTooLong(counted.length) : null;
}

/** The body of https://github.com/n8n-io/n8n/issues/22899. */
const commentaryTooLong = (length: number): Response =>
  Response.json(
    {
      errorDetailType: "com.linkedin.common.error.BadRequest",
      message: `com.linkedin.content.common.exception.BadRequestResponseException: ShareCommentary text length (${length} characters) exceeded the maximum allowed (${COMMENTARY_MAX} characters)`,
      errorDetails: {
        inputErrors: [
          {
            description: "Size of array cannot be higher than the maxLength",
            input: {},
            code: "FIELD_ARRAY_SIZE_TOO_HIGH",
            maxLength: COMMENTARY_MAX,
          },
        ],
      },
      status: 400,
    },
    { status: 400 },
  );

/** Counts a post against the author's daily quota; false when it is used up until midnight UTC. */
function takeDailyQuota(sim: SimulatorContext, author: string): boolean {
  const key = `quota:${author}:${Math.floor(sim.now() / DAY)}`;
  const used = sim.store.get<number>(key) ?? 0;
  if (used >= (sim.settings.quota ?? POSTS_PER_DAY)) {
    return false;
  }
  sim.store.put(key, used + 1);
  return true;
}

const dailyQuotaExceeded = (): Response =>
  errorResponse(
    429,
    "TOO_MANY_REQUESTS",
    "Resource level throttle MEMBER DAY limit for calls to this resource is reached.",
    101,
  );

/** The author's recent post with the same body, even if it was deleted since. */
function findDuplicate(sim: SimulatorContext, author: string, body: string): Share | undefined {
  const since = sim.now() - DUPLICATE_WINDOW_MS;
  return shares(sim).find((share) => share.author === author && share.body === body && share.createdAt > since);
}

/**
 * A refused duplicate names another URN on every try, under which nothing is found
 * (https://github.com/ComposioHQ/composio/issues/2710); with the setting `names_duplicate` it names the existing post.
 */
const namesDuplicate = (sim: SimulatorContext): boolean => sim.settings.extra["names_duplicate"] === true;

const duplicatePost = (urn: string): Response =>
  Response.json(
    {
      errorDetailType: "com.linkedin.common.error.BadRequest",
      message: `com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of ${urn}`,
      errorDetails: {
        inputErrors: [{ description: "Duplicate post is detected", input: {}, code: "DUPLICATE_POST" }],
      },
      status: 422,
    },
    { status: 422 },
  );

function feedDistributionOf({ distribution }: JsonObject): JsonValue {
  return isJsonObject(distribution) ? (distribution["feedDistribution"] ?? null) : null;
}

/** POST /rest/posts */
export function createPost(sim: SimulatorContext, token: Token, body: JsonObject, rawBody: string): Response {
  const { author, commentary, content, visibility } = body;
  if (typeof author !== "string") {
    return missingField("/author", 422);
  }
  const error = checkCanPostAs(sim, token, author) ?? checkFields(sim, body);
  if (error || typeof commentary !== "string") {
    return error ?? missingField("/commentary");
  }
  const media = resolveMedia(sim, author, content);
  if (media instanceof Response) {
    return media;
  }
  if (media.length === 0 && commentary.trim() === "") {
    return missingField("/commentary");
  }
  if (!takeDailyQuota(sim, author)) {
    return dailyQuotaExceeded();
  }
  const earlier = findDuplicate(sim, author, rawBody);
  if (earlier) {
    return duplicatePost(namesDuplicate(sim) ? earlier.urn : `urn:li:share:${sim.newId(19)}`);
  }
  const isVideo = media[0]?.kind === "video";
  const urn = `urn:li:${isVideo ? "ugcPost" : "share"}:${sim.newId(19)}`;
  // With the setting `vanish` a post is silently taken down right after it was accepted.
  const deleted = sim.settings.extra["vanish"] === true;
  const createdAt = sim.now();
  const share: Share = {
    urn,
    author,
    body: rawBody,
    commentary,
    content: content ?? null,
    createdAt,
    serial: nextSerialNumber(sim),
    deleted,
  };
  SHARES.save(sim, urn, { ...share });
  if (!deleted) {
    sim.recordPublishedPost({
      id: urn,
      url: `https://www.linkedin.com/feed/update/${urn}/`,
      account: author,
      kind: isVideo ? "video" : media.length > 1 ? "carousel" : media.length === 1 ? "image" : "text",
      text: renderCommentary(commentary, true),
      title: null,
      media: media.map(({ kind, sha256 }) => ({ type: kind, sha256: sha256 ?? "" })),
      options: { visibility: visibility ?? null, feedDistribution: feedDistributionOf(body) },
      accepted_at: toIsoInstant(createdAt),
    });
  }
  return new Response(null, { status: 201, headers: { "x-restli-id": urn } });
}

const shareJson = ({ urn, author, commentary, createdAt, content }: Share): JsonObject => ({
  id: urn,
  author,
  commentary,
  createdAt,
  publishedAt: createdAt,
  lastModifiedAt: createdAt,
  lifecycleState: "PUBLISHED",
  visibility: "PUBLIC",
  ...(content !== null && { content }),
});

/** GET /rest/posts/{urn}: members cannot read their own posts. */
export function readPost(sim: SimulatorContext, token: Token, urn: string): Response {
  const share = findShare(sim, urn);
  if (share && !canReadPostsOf(sim, token, share.author)) {
    return accessDenied("partnerApiPostsExternal.GET");
  }
  return share && !share.deleted ? Response.json(shareJson(share)) : errorResponse(404, "NOT_FOUND", "Not found");
}

/** GET /rest/posts?q=author, newest first. */
export function findPosts(sim: SimulatorContext, token: Token, request: Request, url: URL): Response {
  const author = url.searchParams.get("author") ?? "";
  if (!canReadPostsOf(sim, token, author)) {
    return accessDenied("partnerApiPostsExternal.FINDER-author");
  }
  if (request.headers.get("x-restli-method") !== "FINDER") {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "X-RestLi-Method: FINDER is required");
  }
  const start = Number(url.searchParams.get("start") ?? "0");
  const count = Number(url.searchParams.get("count") ?? "10");
  if (!Number.isInteger(start) || start < 0 || !Number.isInteger(count) || count < 1 || count > PAGE_MAX) {
    return errorResponse(400, "ILLEGAL_ARGUMENT", `count must be 1 to ${PAGE_MAX}, start 0 or more`);
  }
  const results = shares(sim)
    .filter((share) => share.author === author && !share.deleted)
    .filter((share) => share.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.createdAt - a.createdAt || b.serial - a.serial);
  const next = new URLSearchParams(url.searchParams);
  next.set("start", String(start + count));
  const links: readonly JsonObject[] =
    start + count < results.length
      ? [{ rel: "next", type: "application/json", href: `${url.pathname}?${next.toString()}` }]
      : [];
  return Response.json({
    paging: { start, count, links, total: results.length },
    elements: results.slice(start, start + count).map(shareJson),
  });
}

/** DELETE /rest/posts/{urn} is idempotent. */
export function deletePost(sim: SimulatorContext, token: Token, urn: string): Response {
  const share = findShare(sim, urn);
  if (share && checkCanPostAs(sim, token, share.author) === null) {
    SHARES.save(sim, urn, { ...share, deleted: true });
  }
  return new Response(null, { status: 204 });
}
