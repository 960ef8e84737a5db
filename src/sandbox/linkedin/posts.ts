import { recordTable } from "#sandbox/record-table.ts";
import { DAY, MINUTE, toIsoInstant } from "#core/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { accessDenied, invalidValue, missingField, errorResponse } from "./error-responses.ts";
import { type Asset, findAsset, statusOf } from "./media-assets.ts";
import { mentionedEntities, renderCommentary } from "./commentary-markup.ts";
import { checkCanPostAs, canReadPostsOf } from "./authorization.ts";

/* Creating, finding and deleting posts (platforms/linkedin.md 2.1, 4 and 5). */

const COMMENTARY_MAX = 3000;
const ALT_TEXT_MAX = 4086;
const IMAGES_MIN = 2;
const IMAGES_MAX = 20;
const DUPLICATE_WINDOW_MS = 10 * MINUTE;
const POSTS_PER_DAY = 150;
const PAGE_MAX = 100;
const VISIBILITIES: ReadonlySet<JsonValue | undefined> = new Set(["PUBLIC", "CONNECTIONS", "LOGGED_IN", "CONTAINER"]);

interface Share {
  readonly urn: string;
  readonly author: string;
  /** The request's body exactly as sent. */
  readonly body: string;
  readonly commentary: string;
  readonly content: JsonValue;
  readonly createdAt: number;
  readonly serial: number;
  readonly deleted: boolean;
}

const SHARES = recordTable<Share>("share:");

const shares = (sim: SimulatorContext): readonly Share[] => SHARES.list(sim);

export const findShare = (sim: SimulatorContext, urn: string): Share | undefined => SHARES.find(sim, urn);

/** The URNs in a post's content; null for an unknown type of content. */
function mediaUrns(content: JsonValue | undefined): readonly JsonValue[] | null {
  if (content === undefined) {
    return [];
  }
  if (!isJsonObject(content)) {
    return null;
  }
  const { media, multiImage, article, poll } = content;
  if (isJsonObject(article) || isJsonObject(poll)) {
    return [];
  }
  if (isJsonObject(media)) {
    return [media["id"] ?? null];
  }
  return isJsonObject(multiImage) && Array.isArray(multiImage["images"])
    ? multiImage["images"].map((image: JsonValue) => (isJsonObject(image) ? (image["id"] ?? null) : null))
    : null;
}

/** The media objects in a post's content. Each object names its file; the object of an image may have a description. */
function mediaObjects(content: JsonValue | undefined): readonly JsonObject[] {
  if (!isJsonObject(content)) {
    return [];
  }
  const { media, multiImage } = content;
  const images = isJsonObject(multiImage) && Array.isArray(multiImage["images"]) ? multiImage["images"] : [];
  return [media, ...images].filter((item): item is JsonObject => isJsonObject(item));
}

/**
 * Checks alternative texts: at most 4,086 characters (posts-api, `altText`), and none on videos and documents
 * (ayrshare.com/docs/apis/post/social-networks/linkedin.md).
 */
function checkAltTexts(content: JsonValue | undefined): Response | null {
  for (const { id, altText } of mediaObjects(content)) {
    if (altText === undefined) {
      continue;
    }
    if (typeof altText !== "string" || altText.length > ALT_TEXT_MAX) {
      return errorResponse(400, "FIELD_LENGTH_TOO_LONG", `altText has at most ${ALT_TEXT_MAX} characters`);
    }
    if (typeof id === "string" && !id.startsWith("urn:li:image:")) {
      return invalidValue("ERROR :: /content/media/altText :: is for images only");
    }
  }
  return null;
}

const POLL_DURATIONS: ReadonlySet<JsonValue | undefined> = new Set([
  "ONE_DAY",
  "THREE_DAYS",
  "SEVEN_DAYS",
  "FOURTEEN_DAYS",
]);

/**
 * Checks a poll (learn.microsoft.com/linkedin/marketing/community-management/shares/poll-post-api) or an article
 * (posts-api, `article`).
 */
function checkAttachment(author: string, { content, visibility }: JsonObject): Response | null {
  const parts = isJsonObject(content) ? content : {};
  if (Object.keys(parts).length > 1) {
    return invalidValue("ERROR :: /content :: union with more than one member");
  }
  const { article, poll } = parts;
  if (isJsonObject(article)) {
    const isUrl =
      typeof article["source"] === "string" && /^https?:$/.test(URL.parse(article["source"])?.protocol ?? "");
    if (!isUrl || typeof article["title"] !== "string" || article["title"] === "") {
      return missingField(isUrl ? "/content/article/title" : "/content/article/source");
    }
  }
  if (isJsonObject(poll)) {
    const { question, options, settings } = poll;
    const texts = Array.isArray(options)
      ? options.map((option: JsonValue) => isJsonObject(option) && option["text"])
      : [];
    const fits = (text: JsonValue | undefined, max: number) =>
      typeof text === "string" && text !== "" && text.length <= max;
    const isValid =
      fits(question, 140) && texts.length >= 2 && texts.length <= 4 && texts.every((text) => fits(text, 30));
    if (!isValid || !isJsonObject(settings) || !POLL_DURATIONS.has(settings["duration"])) {
      return invalidValue("ERROR :: /content/poll :: question, options or settings are invalid");
    }
  }
  return visibility === "CONNECTIONS" && !author.startsWith("urn:li:person:")
    ? invalidValue("ERROR :: /visibility :: CONNECTIONS is for members")
    : null;
}

/** Checks the title: a post with a document requires one (documents-api); other posts do not. */
function checkTitle(content: JsonValue | undefined): Response | null {
  return mediaObjects(content).some(
    ({ id, title }) =>
      typeof id === "string" && id.startsWith("urn:li:document:") && (typeof title !== "string" || title === ""),
  )
    ? missingField("/content/media/title")
    : null;
}

/** The media of a post, or the error response unless all are processed and owned by the author. */
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
  // LinkedIn does not say whether the length limit counts escapes. The sandbox counts them, unless the setting
  // `count_visible` is on.
  const counted = sim.settings.extra["count_visible"] === true ? renderCommentary(commentary, false) : commentary;
  return counted.length > COMMENTARY_MAX ? commentaryTooLong(counted.length) : null;
}

/** The error for a commentary that is too long. The body is from https://github.com/n8n-io/n8n/issues/22899. */
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

/** Counts a post against the author's daily quota. False when the quota is used up until midnight UTC. */
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

/** The author's recent post with the same body, even if that post has been deleted since. */
function findDuplicate(sim: SimulatorContext, author: string, body: string): Share | undefined {
  const since = sim.now() - DUPLICATE_WINDOW_MS;
  return shares(sim).find((share) => share.author === author && share.body === body && share.createdAt > since);
}

/**
 * Whether the refusal of a duplicate names the existing post (the setting `names_duplicate`). By default it names
 * another URN on every try, and no post has that URN (https://github.com/ComposioHQ/composio/issues/2710).
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

/** The title of a document; null for other media. */
function titleOf(content: JsonValue | undefined): string | null {
  const [first] = mediaObjects(content);
  return typeof first?.["title"] === "string" ? first["title"] : null;
}

function feedDistributionOf({ distribution }: JsonObject): JsonValue {
  return isJsonObject(distribution) ? (distribution["feedDistribution"] ?? null) : null;
}

/** Handles `POST /rest/posts`. */
export function createPost(sim: SimulatorContext, token: Token, body: JsonObject, rawBody: string): Response {
  const { author, commentary, content, visibility } = body;
  if (typeof author !== "string") {
    return missingField("/author", 422);
  }
  const error = checkCanPostAs(sim, token, author) ?? checkFields(sim, body);
  if (error || typeof commentary !== "string") {
    return error ?? missingField("/commentary");
  }
  const media =
    checkAttachment(author, body) ??
    checkAltTexts(content) ??
    checkTitle(content) ??
    resolveMedia(sim, author, content);
  if (media instanceof Response) {
    return media;
  }
  const altTexts = mediaObjects(content).map(({ altText }) => altText ?? null);
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
  // With the setting `vanish`, the sandbox accepts a post and silently removes it at once.
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
      kind: media.length > 1 ? "carousel" : (media[0]?.kind ?? "text"),
      text: renderCommentary(commentary, true),
      title: titleOf(content),
      media: media.map(({ kind, sha256 }) => ({ type: kind, sha256: sha256 ?? "" })),
      options: {
        visibility: visibility ?? null,
        feedDistribution: feedDistributionOf(body),
        ...(altTexts.some((text) => text !== null) && { alt_texts: altTexts }),
        ...(isJsonObject(content) && media.length === 0 && content),
        ...(mentionedEntities(commentary).length > 0 && { mentions: [...mentionedEntities(commentary)] }),
        ...(body["isReshareDisabledByAuthor"] === true && { isReshareDisabledByAuthor: true }),
        ...(media[0]?.thumbnail && { thumbnail_sha256: media[0].thumbnail.sha256 }),
      },
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

/** Handles `GET /rest/posts/{urn}`. Members cannot read their own posts. */
export function readPost(sim: SimulatorContext, token: Token, urn: string): Response {
  const share = findShare(sim, urn);
  if (share && !canReadPostsOf(sim, token, share.author)) {
    return accessDenied("partnerApiPostsExternal.GET");
  }
  return share && !share.deleted ? Response.json(shareJson(share)) : errorResponse(404, "NOT_FOUND", "Not found");
}

/** Handles `GET /rest/posts?q=author`: newest first. */
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

/** Handles `DELETE /rest/posts/{urn}`, which is idempotent. */
export function deletePost(sim: SimulatorContext, token: Token, urn: string): Response {
  const share = findShare(sim, urn);
  if (share && checkCanPostAs(sim, token, share.author) === null) {
    SHARES.save(sim, urn, { ...share, deleted: true });
  }
  return new Response(null, { status: 204 });
}
