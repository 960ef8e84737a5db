import { recordTable } from "#sandbox/record-table.ts";
import { toIsoInstant } from "#core/clock.ts";
import { toHex } from "#core/encoding.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { inspectMedia, type MediaInfo } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { fetchMedia } from "#sandbox/fetch-media.ts";
import { fromBase64OrEmpty, type Token } from "#sandbox/oauth-server.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import {
  jsonResponse,
  errorResponse,
  invalidParameters,
  boardNotFound,
  pinNotFound,
  missingScope,
  unreachableUrl,
} from "./responses.ts";
import { hasTrialAccess, checkSpamLimit } from "./rate-limits.ts";
import { findMedia, mediaStatus } from "./media.ts";
import { boardsOf, TEST_USERS } from "./test-users.ts";

/* Pins (platforms/pinterest.md parts 2 and 3). */

const PRODUCTION_HOST = "api.pinterest.com";
const SANDBOX_HOST = "api-sandbox.pinterest.com";
const USER_AGENT = "Pinterestbot/1.0";
const WRITE_SCOPES = ["boards:read", "boards:write", "pins:read", "pins:write"];
const SECRET_SCOPES = ["boards:write_secret", "pins:write_secret"];
const MIN_CAROUSEL_ITEMS = 2;
const MAX_CAROUSEL_ITEMS = 5;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const MAX_LENGTHS = { title: 100, description: 800, alt_text: 500, link: 2048 };
const IMAGE_TYPES: ReadonlySet<MediaInfo["type"]> = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);
/** The types of an image that is sent inside the call, as base64. */
const INLINE_IMAGE_TYPES: ReadonlySet<JsonValue | undefined> = new Set(["image/jpeg", "image/png"]);

interface Pin {
  readonly id: string;
  readonly login: string;
  readonly boardId: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly link: string | null;
  readonly altText: string | null;
  readonly kind: string;
  readonly createdAt: number;
  readonly serial: number;
  readonly deleted: boolean;
}

const PINS = recordTable<Pin>("pin:");

const allPins = (sim: SimulatorContext): readonly Pin[] => PINS.list(sim);

/** The pins of a login that reads return, newest first. */
export const visiblePinsOf = (sim: SimulatorContext, login: string): readonly Pin[] =>
  allPins(sim)
    .filter((pin) => pin.login === login && !pin.deleted && pin.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.createdAt - a.createdAt || b.serial - a.serial);

/** Formats a time as Pinterest's `created_at`, which is UTC without a zone suffix. */
const instantWithoutZone = (ms: number): string => toIsoInstant(ms).slice(0, 19);

export const pinJson = (pin: Pin): JsonObject => ({
  id: pin.id,
  created_at: instantWithoutZone(pin.createdAt),
  board_id: pin.boardId,
  board_section_id: null,
  board_owner: { username: TEST_USERS[pin.login]?.username ?? "" },
  title: pin.title,
  description: pin.description,
  link: pin.link,
  alt_text: pin.altText,
  dominant_color: "#6E7874",
  creative_type: "REGULAR",
  is_owner: true,
  is_standard: true,
  parent_pin_id: null,
  media: { media_type: pin.kind, images: {} },
});

/** Handles `GET` and `DELETE /v5/pins/{id}`. */
export function readOrDeletePin(sim: SimulatorContext, token: Token, method: string, id: string): Response {
  const pin = PINS.find(sim, id);
  if (pin?.login !== token.login || pin.deleted) {
    return pinNotFound(sim);
  }
  if (method === "DELETE") {
    PINS.save(sim, id, { ...pin, deleted: true });
    return new Response(null, { status: 204 });
  }
  return jsonResponse(sim, 200, pinJson(pin));
}

function checkTexts(sim: SimulatorContext, body: JsonObject): Response | null {
  for (const [field, max] of Object.entries(MAX_LENGTHS)) {
    const value = body[field] ?? null;
    if (value !== null && typeof value !== "string") {
      return invalidParameters(sim, `'${field}' is not of type 'string'`);
    }
    if (value !== null && [...value].length > max) {
      return invalidParameters(sim, `'${field}' is too long, maxLength=${max}`);
    }
  }
  const { link, dominant_color: color } = body;
  if (typeof link === "string" && !/^https?:$/.test(URL.parse(link)?.protocol ?? "")) {
    return invalidParameters(sim, "'link' is not a valid URL");
  }
  const isColor = typeof color === "string" && /^#[0-9A-Fa-f]{6}$/.test(color);
  return isColor || (color ?? null) === null
    ? null
    : invalidParameters(sim, "'dominant_color' does not match '^#[0-9A-Fa-f]{6}$'");
}

interface PinImage {
  readonly sha256: string;
  readonly info: MediaInfo;
}

async function fetchImage(sim: SimulatorContext, url: JsonValue | undefined): Promise<PinImage | Response> {
  const fetched = typeof url === "string" ? await fetchMedia(sim, url, USER_AGENT) : null;
  const isImage = fetched !== null && fetched.contentType.startsWith("image/") && IMAGE_TYPES.has(fetched.info.type);
  return isImage && fetched.size <= MAX_IMAGE_BYTES ? fetched : unreachableUrl(sim);
}

async function decodeInlineImage(sim: SimulatorContext, item: JsonObject): Promise<PinImage | Response> {
  const { content_type: type, data } = item;
  if (!INLINE_IMAGE_TYPES.has(type) || typeof data !== "string") {
    return invalidParameters(sim, "'content_type' is not one of ['image/jpeg', 'image/png']");
  }
  const bytes = fromBase64OrEmpty(data);
  const info = inspectMedia(bytes.subarray(0, 64 * 1024));
  return info.type === type
    ? { sha256: toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))), info }
    : invalidParameters(sim, "'data' is not an image of that type");
}

interface PinMedia {
  readonly kind: "image" | "carousel" | "video";
  readonly sha256s: readonly string[];
  readonly cover: JsonValue;
}

async function readCarousel(
  sim: SimulatorContext,
  items: JsonValue | undefined,
  isInline: boolean,
): Promise<PinMedia | Response> {
  const entries = Array.isArray(items) ? (items as readonly JsonValue[]).filter(isJsonObject) : [];
  if (entries.length < MIN_CAROUSEL_ITEMS || entries.length > MAX_CAROUSEL_ITEMS) {
    return invalidParameters(
      sim,
      entries.length > MAX_CAROUSEL_ITEMS ? `constraint: maxItems=${MAX_CAROUSEL_ITEMS}` : `constraint: minItems=2`,
    );
  }
  const images: PinImage[] = [];
  for (const item of entries) {
    const image = isInline ? await decodeInlineImage(sim, item) : await fetchImage(sim, item["url"]);
    if (image instanceof Response) {
      return image;
    }
    images.push(image);
  }
  const sizes = new Set(images.map(({ info }) => `${info.width}x${info.height}`));
  return sizes.size > 1
    ? invalidParameters(sim, "the images of a carousel must have the same dimensions")
    : { kind: "carousel", sha256s: images.map(({ sha256 }) => sha256), cover: null };
}

/**
 * Checks the one cover of a video (`PinMediaSourceVideoID` in pinterest/api-description): a picture, fetched like the
 * image of a pin, or a whole number of seconds. Returns the error response, or null.
 */
async function checkCover(sim: SimulatorContext, source: JsonObject): Promise<Response | null> {
  const { cover_image_url: url, cover_image_data: data, cover_image_key_frame_time: frame } = source;
  if ([url, data, frame].filter((value) => value !== undefined).length > 1) {
    return invalidParameters(sim, "only one cover of a video can be given");
  }
  if (frame !== undefined && (!Number.isSafeInteger(frame) || Number(frame) < 0)) {
    return invalidParameters(sim, "'cover_image_key_frame_time' is not a whole number of seconds");
  }
  const image = url === undefined ? null : await fetchImage(sim, url);
  return image instanceof Response ? image : null;
}

async function readVideo(sim: SimulatorContext, token: Token, source: JsonObject): Promise<PinMedia | Response> {
  const invalidCover = await checkCover(sim, source);
  if (invalidCover) {
    return invalidCover;
  }
  const { media_id: id, cover_image_url: url, cover_image_key_frame_time: frame } = source;
  const media = typeof id === "string" ? findMedia(sim, id) : undefined;
  if (media?.login !== token.login || mediaStatus(media, sim.now()) !== "succeeded" || media.sha256 === null) {
    return invalidParameters(sim, "'media_id' is not a succeeded upload of this user");
  }
  const data = INLINE_IMAGE_TYPES.has(source["cover_image_content_type"]) ? source["cover_image_data"] : undefined;
  const cover = url ?? data ?? frame;
  return cover === undefined
    ? errorResponse(
        sim,
        400,
        1,
        "Invalid request: cover_image_url or cover_image_content_type is required for video pins",
      )
    : { kind: "video", sha256s: [media.sha256], cover };
}

const readSingleImage = (image: PinImage | Response): PinMedia | Response =>
  image instanceof Response ? image : { kind: "image", sha256s: [image.sha256], cover: null };

async function readMediaSource(sim: SimulatorContext, token: Token, source: JsonObject): Promise<PinMedia | Response> {
  switch (source["source_type"]) {
    case "image_url":
      return readSingleImage(await fetchImage(sim, source["url"]));
    case "image_base64":
      return readSingleImage(await decodeInlineImage(sim, source));
    case "multiple_image_urls":
      return readCarousel(sim, source["items"], false);
    case "multiple_image_base64":
      return readCarousel(sim, source["items"], true);
    case "video_id":
      return await readVideo(sim, token, source);
    default:
      return invalidParameters(sim, "'media_source.source_type' is not one of the known forms");
  }
}

/** The error response if the user may not pin to the board, otherwise null. */
function checkBoard(sim: SimulatorContext, token: Token, boardId: string): Response | null {
  const board = boardsOf(token).find((one) => one.id === boardId);
  if (!board || board.adsOnly) {
    return boardNotFound(sim);
  }
  const isPermitted = board.privacy !== "SECRET" || SECRET_SCOPES.every((scope) => token.scopes.includes(scope));
  return isPermitted ? null : errorResponse(sim, 403, 7, "You are not permitted to access that resource.");
}

/** Handles `POST /v5/pins`. */
export async function createPin(
  sim: SimulatorContext,
  host: string,
  token: Token,
  body: JsonObject,
): Promise<Response> {
  if (WRITE_SCOPES.some((scope) => !token.scopes.includes(scope))) {
    return missingScope(sim);
  }
  if (host === PRODUCTION_HOST && hasTrialAccess(sim)) {
    return errorResponse(
      sim,
      403,
      29,
      `Apps with Trial access may not create Pins in production https://${PRODUCTION_HOST} - use API Sandbox https://${SANDBOX_HOST} instead.`,
    );
  }
  const { board_id: boardId, media_source: source } = body;
  if (typeof boardId !== "string" || !/^\d+$/.test(boardId)) {
    return invalidParameters(sim, `${JSON.stringify(boardId)} does not match '^\\d+$'`);
  }
  if (!isJsonObject(source)) {
    return invalidParameters(sim, "'media_source' is a required property");
  }
  const error = checkTexts(sim, body) ?? checkBoard(sim, token, boardId) ?? checkSpamLimit(sim, token.login);
  if (error) {
    return error;
  }
  const { board_section_id: section, dominant_color: color } = body;
  if (section !== undefined && (typeof section !== "string" || !/^\d+$/.test(section))) {
    return invalidParameters(sim, `${JSON.stringify(section)} does not match '^\\d+$'`);
  }
  if (color !== undefined && (typeof color !== "string" || !/^#[0-9A-Fa-f]{6}$/.test(color))) {
    return invalidParameters(sim, "'dominant_color' is not a color");
  }
  const media = await readMediaSource(sim, token, source);
  if (media instanceof Response) {
    return media;
  }
  const textField = (field: string): string | null => (typeof body[field] === "string" ? body[field] : null);
  const pin: Pin = {
    id: sim.newId(18),
    login: token.login,
    boardId,
    title: textField("title"),
    description: textField("description"),
    link: textField("link"),
    altText: textField("alt_text"),
    kind: media.kind,
    createdAt: sim.now(),
    serial: nextSerialNumber(sim),
    deleted: false,
  };
  PINS.save(sim, pin.id, { ...pin });
  sim.recordPublishedPost({
    id: pin.id,
    url: `https://www.pinterest.com/pin/${pin.id}/`,
    account: TEST_USERS[token.login]?.id ?? "",
    kind: media.kind === "image" ? "pin" : media.kind,
    text: pin.description ?? "",
    title: pin.title,
    media: media.sha256s.map((sha256) => ({ type: media.kind === "video" ? "video" : "image", sha256 })),
    options: {
      board_id: boardId,
      link: pin.link,
      cover: media.cover,
      ...(section !== undefined && { board_section_id: section }),
      ...(color !== undefined && { dominant_color: color }),
      ...(pin.altText !== null && { alt_text: pin.altText }),
    },
    accepted_at: toIsoInstant(pin.createdAt),
  });
  return jsonResponse(sim, 201, pinJson(pin));
}
