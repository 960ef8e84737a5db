import { toInstant } from "#core/clock.ts";
import { toHex } from "#core/encoding.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { lookAt, type Looks } from "#sandbox/bytes.ts";
import type { Sim } from "#sandbox/contract.ts";
import { fetchMedia } from "#sandbox/fetching.ts";
import { fromBase64OrEmpty, type Token } from "#sandbox/grants.ts";
import { serial } from "#sandbox/serial.ts";
import { answer, fail, invalid, noBoard, noPin, scopeMissing, unreachable } from "./answers.ts";
import { isTrial, spamRefusal } from "./limits.ts";
import { findMedia, statusOf } from "./media.ts";
import { boardsOf, PEOPLE } from "./people.ts";

/* Pins: platforms/pinterest.md parts 2 and 3. */

const PRODUCTION = "api.pinterest.com";
const SANDBOX = "api-sandbox.pinterest.com";
const AGENT = "Pinterestbot/1.0";
const WRITE_SCOPES = ["boards:read", "boards:write", "pins:read", "pins:write"];
const SECRET_SCOPES = ["boards:write_secret", "pins:write_secret"];
const ITEMS_MIN = 2;
const ITEMS_MAX = 5;
const IMAGE_MAX_BYTES = 20 * 1024 * 1024;
const LENGTHS = { title: 100, description: 800, alt_text: 500, link: 2048 };
const IMAGES: ReadonlySet<Looks["type"]> = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);
/** What may come inside the call. */
const INLINE: ReadonlySet<JsonValue | undefined> = new Set(["image/jpeg", "image/png"]);

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

const allPins = (sim: Sim): readonly Pin[] => sim.store.list("pin:").map(([, pin]) => pin as unknown as Pin);

/** What reads show of a login's pins, newest first. */
export const pinsOf = (sim: Sim, login: string): readonly Pin[] =>
  allPins(sim)
    .filter((pin) => pin.login === login && !pin.deleted && pin.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.createdAt - a.createdAt || b.serial - a.serial);

/** `created_at` has no zone suffix at this platform; it is UTC. */
const bareInstant = (ms: number): string => toInstant(ms).slice(0, 19);

export const pinJson = (pin: Pin): JsonObject => ({
  id: pin.id,
  created_at: bareInstant(pin.createdAt),
  board_id: pin.boardId,
  board_section_id: null,
  board_owner: { username: PEOPLE[pin.login]?.username ?? "" },
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

/** GET and DELETE /v5/pins/{id} */
export function onePin(sim: Sim, session: Token, method: string, id: string): Response {
  const pin = sim.store.get(`pin:${id}`) as Pin | undefined;
  if (pin?.login !== session.login || pin.deleted) {
    return noPin(sim);
  }
  if (method === "DELETE") {
    sim.store.put(`pin:${id}`, { ...pin, deleted: true });
    return new Response(null, { status: 204 });
  }
  return answer(sim, 200, pinJson(pin));
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textProblem(sim: Sim, body: JsonObject): Response | null {
  for (const [field, max] of Object.entries(LENGTHS)) {
    const value = body[field] ?? null;
    if (value !== null && typeof value !== "string") {
      return invalid(sim, `'${field}' is not of type 'string'`);
    }
    if (value !== null && [...value].length > max) {
      return invalid(sim, `'${field}' is too long, maxLength=${max}`);
    }
  }
  const { link, dominant_color: color } = body;
  if (typeof link === "string" && !/^https?:$/.test(URL.parse(link)?.protocol ?? "")) {
    return invalid(sim, "'link' is not a valid URL");
  }
  const isColor = typeof color === "string" && /^#[0-9A-Fa-f]{6}$/.test(color);
  return isColor || (color ?? null) === null
    ? null
    : invalid(sim, "'dominant_color' does not match '^#[0-9A-Fa-f]{6}$'");
}

interface Image {
  readonly sha256: string;
  readonly looks: Looks;
}

async function pulled(sim: Sim, url: JsonValue | undefined): Promise<Image | Response> {
  const found = typeof url === "string" ? await fetchMedia(sim, url, AGENT) : null;
  const isImage = found !== null && found.contentType.startsWith("image/") && IMAGES.has(found.looks.type);
  return isImage && found.size <= IMAGE_MAX_BYTES ? found : unreachable(sim);
}

async function inline(sim: Sim, item: JsonObject): Promise<Image | Response> {
  const { content_type: type, data } = item;
  if (!INLINE.has(type) || typeof data !== "string") {
    return invalid(sim, "'content_type' is not one of ['image/jpeg', 'image/png']");
  }
  const bytes = fromBase64OrEmpty(data);
  const looks = lookAt(bytes.subarray(0, 64 * 1024));
  return looks.type === type
    ? { sha256: toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))), looks }
    : invalid(sim, "'data' is not an image of that type");
}

interface TakenMedia {
  readonly kind: "image" | "carousel" | "video";
  readonly sha256s: readonly string[];
  readonly cover: JsonValue;
}

async function carousel(sim: Sim, items: JsonValue | undefined, isInline: boolean): Promise<TakenMedia | Response> {
  const list = Array.isArray(items) ? (items as readonly JsonValue[]).filter(isObject) : [];
  if (list.length < ITEMS_MIN || list.length > ITEMS_MAX) {
    return invalid(sim, list.length > ITEMS_MAX ? `constraint: maxItems=${ITEMS_MAX}` : `constraint: minItems=2`);
  }
  const images: Image[] = [];
  for (const item of list) {
    const image = isInline ? await inline(sim, item) : await pulled(sim, item["url"]);
    if (image instanceof Response) {
      return image;
    }
    images.push(image);
  }
  const sizes = new Set(images.map(({ looks }) => `${looks.width}x${looks.height}`));
  return sizes.size > 1
    ? invalid(sim, "the images of a carousel must have the same dimensions")
    : { kind: "carousel", sha256s: images.map(({ sha256 }) => sha256), cover: null };
}

function video(sim: Sim, session: Token, source: JsonObject): TakenMedia | Response {
  const { media_id: id, cover_image_url: url, cover_image_key_frame_time: frame } = source;
  const media = typeof id === "string" ? findMedia(sim, id) : undefined;
  if (media?.login !== session.login || statusOf(media, sim.now()) !== "succeeded" || media.sha256 === null) {
    return invalid(sim, "'media_id' is not a succeeded upload of this user");
  }
  const data = INLINE.has(source["cover_image_content_type"]) ? source["cover_image_data"] : undefined;
  const cover = url ?? data ?? frame;
  return cover === undefined
    ? fail(sim, 400, 1, "Invalid request: cover_image_url or cover_image_content_type is required for video pins")
    : { kind: "video", sha256s: [media.sha256], cover };
}

const single = (image: Image | Response): TakenMedia | Response =>
  image instanceof Response ? image : { kind: "image", sha256s: [image.sha256], cover: null };

async function takeMedia(sim: Sim, session: Token, source: JsonObject): Promise<TakenMedia | Response> {
  switch (source["source_type"]) {
    case "image_url":
      return single(await pulled(sim, source["url"]));
    case "image_base64":
      return single(await inline(sim, source));
    case "multiple_image_urls":
      return carousel(sim, source["items"], false);
    case "multiple_image_base64":
      return carousel(sim, source["items"], true);
    case "video_id":
      return video(sim, session, source);
    default:
      return invalid(sim, "'media_source.source_type' is not one of the known forms");
  }
}

/** What keeps this person from pinning to that board; null when nothing does. */
function boardRefusal(sim: Sim, session: Token, boardId: string): Response | null {
  const board = boardsOf(session).find((one) => one.id === boardId);
  if (!board || board.adsOnly) {
    return noBoard(sim);
  }
  const isOpen = board.privacy !== "SECRET" || SECRET_SCOPES.every((scope) => session.scopes.includes(scope));
  return isOpen ? null : fail(sim, 403, 7, "You are not permitted to access that resource.");
}

/** POST /v5/pins */
export async function createPin(sim: Sim, host: string, session: Token, body: JsonObject): Promise<Response> {
  if (WRITE_SCOPES.some((scope) => !session.scopes.includes(scope))) {
    return scopeMissing(sim);
  }
  if (host === PRODUCTION && isTrial(sim)) {
    return fail(
      sim,
      403,
      29,
      `Apps with Trial access may not create Pins in production https://${PRODUCTION} - use API Sandbox https://${SANDBOX} instead.`,
    );
  }
  const { board_id: boardId, media_source: source } = body;
  if (typeof boardId !== "string" || !/^\d+$/.test(boardId)) {
    return invalid(sim, `${JSON.stringify(boardId)} does not match '^\\d+$'`);
  }
  if (!isObject(source)) {
    return invalid(sim, "'media_source' is a required property");
  }
  const refused = textProblem(sim, body) ?? boardRefusal(sim, session, boardId) ?? spamRefusal(sim, session.login);
  if (refused) {
    return refused;
  }
  const taken = await takeMedia(sim, session, source);
  if (taken instanceof Response) {
    return taken;
  }
  const textOf = (field: string): string | null => (typeof body[field] === "string" ? body[field] : null);
  const pin: Pin = {
    id: sim.id(18),
    login: session.login,
    boardId,
    title: textOf("title"),
    description: textOf("description"),
    link: textOf("link"),
    altText: textOf("alt_text"),
    kind: taken.kind,
    createdAt: sim.now(),
    serial: serial(sim),
    deleted: false,
  };
  sim.store.put(`pin:${pin.id}`, { ...pin });
  sim.publish({
    id: pin.id,
    url: `https://www.pinterest.com/pin/${pin.id}/`,
    account: PEOPLE[session.login]?.id ?? "",
    kind: taken.kind === "image" ? "pin" : taken.kind,
    text: pin.description ?? "",
    title: pin.title,
    media: taken.sha256s.map((sha256) => ({ type: taken.kind === "video" ? "video" : "image", sha256 })),
    options: {
      board_id: boardId,
      link: pin.link,
      cover: taken.cover,
      ...(pin.altText !== null && { alt_text: pin.altText }),
    },
    accepted_at: toInstant(pin.createdAt),
  });
  return answer(sim, 201, pinJson(pin));
}
