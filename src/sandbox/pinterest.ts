import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim, Simulator } from "./contract.ts";
import {
  basicAuth,
  bearer,
  consentPage,
  issueCode,
  issueToken,
  liveToken,
  readForm,
  redeemCode,
  redirect,
  revokeLogin,
  spendToken,
  type Token,
} from "./grants.ts";

/* Plays api.pinterest.com v5, its browser login and the S3 form it hands out for videos, by platforms/pinterest.md part 6. */

const API = "api.pinterest.com";
const SANDBOX_API = "api-sandbox.pinterest.com";
const LOGIN = "www.pinterest.com";
const UPLOAD = "pinterest-media-upload.s3-accelerate.amazonaws.com";

const WRITE_SCOPES = ["boards:read", "boards:write", "pins:read", "pins:write"];
const ACCESS_SECONDS = 30 * 24 * 3600;
const REFRESH_SECONDS = 60 * 24 * 3600;
const CREATES_PER_MINUTE = 60;
const BOARD_PAGE_MAX = 250;

interface Person {
  readonly id: string;
  readonly username: string;
  readonly business: string | null;
}

interface BoardRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly privacy: "PUBLIC" | "PROTECTED" | "SECRET";
  readonly adsOnly: boolean;
  readonly owner: string;
}

const PEOPLE: Readonly<Record<string, Person>> = {
  ada: { id: "2783136121146311751", username: "ada_makes", business: "Ada Makes" },
  ben: { id: "2783136121146311999", username: "ben_pins", business: null },
};

const BOARDS: Readonly<Record<string, readonly BoardRow[]>> = {
  ada: [
    { id: "549755885175", name: "Glazes", description: null, privacy: "PUBLIC", adsOnly: false, owner: "ada_makes" },
    {
      id: "549755885176",
      name: "Kiln log",
      description: "Every firing",
      privacy: "PUBLIC",
      adsOnly: false,
      owner: "ada_makes",
    },
    {
      id: "549755885177",
      name: "Studio friends",
      description: "A group board",
      privacy: "PUBLIC",
      adsOnly: false,
      owner: "ben_pins",
    },
    {
      id: "549755885178",
      name: "Hidden drafts",
      description: null,
      privacy: "SECRET",
      adsOnly: false,
      owner: "ada_makes",
    },
    { id: "549755885179", name: "Promoted", description: null, privacy: "PUBLIC", adsOnly: true, owner: "ada_makes" },
  ],
  ben: [{ id: "549755886001", name: "Wood", description: null, privacy: "PUBLIC", adsOnly: false, owner: "ben_pins" }],
};

interface Media {
  readonly login: string;
  readonly upload: Readonly<Record<string, string>>;
  readonly blob: string | null;
  readonly size: number;
  readonly readyAt: number | null;
  readonly fails: boolean;
}

interface Pin {
  readonly id: string;
  readonly login: string;
  readonly boardId: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly link: string | null;
  readonly createdAt: number;
  readonly deleted: boolean;
}

function answer(sim: Sim, status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { "x-pinterest-rid": sim.id(16) } });
}

const fail = (sim: Sim, status: number, code: number, message: string): Response =>
  answer(sim, status, { code, message });

const invalid = (sim: Sim, message: string): Response => fail(sim, 400, 1, `Invalid parameters ${message}`);

const s3Error = (status: number, code: string): Response =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`, {
    status,
    headers: { "content-type": "application/xml" },
  });

// ---------------------------------------------------------------- login

function authorize(url: URL, sim: Sim): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (
    query.get("client_id") !== sim.app.clientId ||
    query.get("response_type") !== "code" ||
    !URL.canParse(redirectUri)
  ) {
    return new Response("invalid client_id, response_type or redirect_uri", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Pinterest (sandbox)", url, simulator.logins);
  }
  const state = query.get("state") ?? "";
  if (!PEOPLE[login]) {
    return redirect(redirectUri, { error: "access_denied", state });
  }
  const scopes = (query.get("scope") ?? "").split(",").filter(Boolean);
  return redirect(redirectUri, {
    code: issueCode(sim, "", { login, scopes, redirectUri, challenge: null }, 600),
    state,
  });
}

function tokenAnswer(sim: Sim, login: string, scopes: readonly string[], grant: string): Response {
  const base = { login, scopes, grant, extra: {} };
  return answer(sim, 200, {
    response_type: "authorization_code",
    token_type: "bearer",
    access_token: issueToken(sim, "pina_", { ...base, kind: "access" }, ACCESS_SECONDS),
    expires_in: sim.settings.token_lifetime_s ?? ACCESS_SECONDS,
    refresh_token: issueToken(sim, "pinr.", { ...base, kind: "refresh" }, REFRESH_SECONDS),
    refresh_token_expires_in: REFRESH_SECONDS,
    refresh_token_expires_at: Math.floor(sim.now() / 1000) + REFRESH_SECONDS,
    scope: scopes.join(" "),
  });
}

async function token(request: Request, sim: Sim): Promise<Response> {
  const basic = basicAuth(request);
  if (basic?.id !== sim.app.clientId || basic.secret !== sim.app.clientSecret) {
    return fail(sim, 401, 2, "Authentication failed.");
  }
  const form = await readForm(request);
  if (form.get("grant_type") === "authorization_code") {
    const code = await redeemCode(sim, form.get("code") ?? "", form.get("redirect_uri") ?? "", null);
    return code
      ? tokenAnswer(sim, code.login, code.scopes, sim.id(12))
      : fail(sim, 400, 283, "The authorization code is invalid.");
  }
  if (form.get("grant_type") === "refresh_token") {
    const old = form.get("refresh_token") ?? "";
    const known = liveToken(sim, old, "refresh");
    if (!known) {
      return fail(sim, 401, 2, "Authentication failed.");
    }
    const narrower = form.get("scope")?.split(",") ?? known.scopes;
    if (narrower.some((scope) => !known.scopes.includes(scope))) {
      return fail(sim, 400, 1, "Invalid parameters: scope is wider than granted");
    }
    spendToken(sim, old);
    return tokenAnswer(sim, known.login, narrower, known.grant);
  }
  return fail(sim, 400, 1, "Invalid parameters: grant_type");
}

// ---------------------------------------------------------------- reading

const boardJson = (board: BoardRow): JsonObject => ({
  id: board.id,
  name: board.name,
  description: board.description,
  privacy: board.privacy,
  owner: { username: board.owner },
  pin_count: 5,
  follower_count: 1,
  collaborator_count: 0,
  is_ads_only: board.adsOnly,
  created_at: "2026-01-02T03:04:05",
  board_pins_modified_at: "2026-02-02T03:04:05",
  media: { image_cover_url: null, pin_thumbnail_urls: [] },
});

function boardsOf(session: Token): readonly BoardRow[] {
  const all = BOARDS[session.login] ?? [];
  return session.scopes.includes("boards:read_secret") ? all : all.filter((board) => board.privacy !== "SECRET");
}

function page<T>(sim: Sim, url: URL, items: readonly T[], toJson: (item: T) => JsonValue): Response {
  const size = Number(url.searchParams.get("page_size") ?? "25");
  if (!Number.isInteger(size) || size < 1 || size > BOARD_PAGE_MAX) {
    return invalid(sim, "page_size must be 1 to 250");
  }
  const bookmark = url.searchParams.get("bookmark");
  const start = bookmark === null ? 0 : Number(atob(bookmark));
  const next = start + size;
  return answer(sim, 200, {
    items: items.slice(start, next).map(toJson),
    bookmark: next < items.length ? btoa(String(next)) : null,
  });
}

/** `created_at` has no zone suffix at this platform; it is UTC. */
const bareInstant = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

const pinJson = (pin: Pin): JsonObject => ({
  id: pin.id,
  created_at: bareInstant(pin.createdAt),
  board_id: pin.boardId,
  board_section_id: null,
  board_owner: { username: PEOPLE[pin.login]?.username ?? "" },
  title: pin.title,
  description: pin.description,
  link: pin.link,
  alt_text: null,
  dominant_color: "#6E7874",
  creative_type: "REGULAR",
  is_owner: true,
  is_standard: true,
  parent_pin_id: null,
  media: { media_type: "image", images: {} },
});

const pins = (sim: Sim): readonly Pin[] => sim.store.list("pin:").map(([, pin]) => pin as unknown as Pin);

function boardPins(sim: Sim, url: URL, session: Token, boardId: string): Response {
  if (!boardsOf(session).some((board) => board.id === boardId)) {
    return fail(sim, 404, 40, "Board not found.");
  }
  const visible = pins(sim)
    .filter((pin) => pin.boardId === boardId && !pin.deleted && pin.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return page(sim, url, visible, pinJson);
}

// ---------------------------------------------------------------- media

function registerMedia(sim: Sim, session: Token, body: JsonObject): Response {
  if (body["media_type"] !== "video") {
    return invalid(sim, "'media_type' is not one of ['video']");
  }
  const id = sim.id(12);
  const upload = {
    "x-amz-date": new Date(sim.now()).toISOString(),
    "x-amz-signature": sim.secret("sig"),
    "x-amz-security-token": sim.secret("tok"),
    "x-amz-algorithm": "AWS4-HMAC-SHA256",
    key: `uploads/${id}`,
    policy: sim.secret("pol"),
    "x-amz-credential": "sandbox/aws4_request",
    "Content-Type": "multipart/form-data",
  };
  sim.store.put(`media:${id}`, { login: session.login, upload, blob: null, size: 0, readyAt: null, fails: false });
  return answer(sim, 201, {
    media_id: id,
    media_type: "video",
    upload_url: `https://${UPLOAD}/`,
    upload_parameters: upload,
  });
}

/** The bytes between the `file` part's header and the closing boundary, without holding more than a chunk. */
async function receiveForm(request: Request, sim: Sim): Promise<Response> {
  const length = request.headers.get("content-length");
  if (length === null) {
    return s3Error(411, "MissingContentLength");
  }
  if (request.headers.has("authorization")) {
    return s3Error(400, "InvalidRequest");
  }
  const boundary = /boundary="?(?<mark>[^";]+)"?/.exec(request.headers.get("content-type") ?? "")?.groups?.["mark"];
  if (boundary === undefined || !request.body) {
    return s3Error(400, "MalformedPOSTRequest");
  }
  const reader = request.body.getReader();
  const decoder = new TextDecoder("latin1");
  let head = new Uint8Array();
  let fileAt = -1;
  while (fileAt < 0) {
    const { value, done } = await reader.read();
    if (done || head.length > 256 * 1024) {
      return s3Error(400, "MalformedPOSTRequest");
    }
    const joined = new Uint8Array(head.length + value.length);
    joined.set(head);
    joined.set(value, head.length);
    head = joined;
    const named = /name="file"[^]*?\r\n\r\n/.exec(decoder.decode(head));
    fileAt = named ? named.index + named[0].length : -1;
  }
  const headText = new TextDecoder().decode(head.subarray(0, fileAt));
  const fields = new Map<string, string>();
  for (const match of headText.matchAll(/name="(?<name>[^"]+)"\r\n(?:[^\r\n]+\r\n)*\r\n(?<value>[^]*?)\r\n--/g)) {
    fields.set(match.groups?.["name"] ?? "", match.groups?.["value"] ?? "");
  }
  const id = (fields.get("key") ?? "").replace("uploads/", "");
  const media = sim.store.get(`media:${id}`) as Media | undefined;
  if (
    !media ||
    media.blob !== null ||
    Object.entries(media.upload).some(([name, value]) => fields.get(name) !== value)
  ) {
    return s3Error(403, "AccessDenied");
  }
  // The closing mark may or may not end with a line break, so everything is kept and the file's size is known at the end.
  const blob = `sandbox/${simulator.platform}/${id}`;
  const fixed = new FixedLengthStream(Number(length) - fileAt);
  const stored = sim.blobs.put(blob, fixed.readable);
  const writer = fixed.writable.getWriter();
  let last = new Uint8Array();
  const keep = async (chunk: Uint8Array<ArrayBuffer>): Promise<void> => {
    await writer.write(chunk);
    last = chunk.length > 1 ? chunk.slice(-2) : Uint8Array.of(...last.slice(-1), ...chunk);
  };
  await keep(head.slice(fileAt));
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    await keep(next.value.slice());
  }
  await writer.close();
  await stored;
  const lineBreak = decoder.decode(last) === "\r\n" ? 2 : 0;
  const size = Number(length) - fileAt - `\r\n--${boundary}--`.length - lineBreak;
  sim.store.put(`media:${id}`, {
    ...media,
    blob,
    size,
    readyAt: sim.now() + sim.settings.processing_ms,
    fails: sim.settings.extra["fail_processing"] === true,
  });
  return new Response(null, { status: 204 });
}

function mediaStatus(media: Media, now: number): string {
  if (media.readyAt === null) {
    return "registered";
  }
  if (media.readyAt > now) {
    return "processing";
  }
  return media.fails ? "failed" : "succeeded";
}

// ---------------------------------------------------------------- pins

const DIGITS = /^\d+$/;

function tooLong(sim: Sim, body: JsonObject): Response | null {
  for (const [field, max] of [
    ["title", 100],
    ["description", 800],
    ["alt_text", 500],
    ["link", 2048],
  ] as const) {
    const value = body[field];
    if (typeof value === "string" && [...value].length > max) {
      return invalid(sim, `'${field}' is too long, maxLength=${max}`);
    }
    if (value !== undefined && value !== null && typeof value !== "string") {
      return invalid(sim, `'${field}' is not of type 'string'`);
    }
  }
  const link = body["link"];
  return typeof link === "string" && !/^https?:\/\//.test(link) ? invalid(sim, "'link' is not a valid URL") : null;
}

interface TakenMedia {
  readonly kind: string;
  readonly media: readonly { readonly type: "image" | "video"; readonly sha256: string }[];
  readonly cover: JsonValue;
}

async function pullImage(sim: Sim, url: JsonValue | undefined): Promise<string | null> {
  if (typeof url !== "string" || !URL.canParse(url)) {
    return null;
  }
  const response = await sim.pull(url);
  if (!response.ok || !(response.headers.get("content-type") ?? "").startsWith("image/") || !response.body) {
    return null;
  }
  return (await sim.digest(response.body)).sha256;
}

async function takeMedia(sim: Sim, session: Token, source: JsonObject): Promise<TakenMedia | Response> {
  switch (source["source_type"]) {
    case "image_url": {
      const sha256 = await pullImage(sim, source["url"]);
      return sha256 === null
        ? fail(sim, 400, 1, "Unable to reach the URL. Please check the URL and try again.")
        : { kind: "image", media: [{ type: "image", sha256 }], cover: null };
    }
    case "image_base64": {
      const type = source["content_type"];
      const data = source["data"];
      if ((type !== "image/jpeg" && type !== "image/png") || typeof data !== "string") {
        return invalid(sim, "'content_type' is not one of ['image/jpeg', 'image/png']");
      }
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const { sha256 } = await sim.digest(new Blob([bytes]).stream());
      return { kind: "image", media: [{ type: "image", sha256 }], cover: null };
    }
    case "multiple_image_urls": {
      const items = Array.isArray(source["items"]) ? (source["items"] as JsonObject[]) : [];
      if (items.length < 2 || items.length > 5) {
        return invalid(sim, items.length > 5 ? "constraint: maxItems=5" : "constraint: minItems=2");
      }
      const hashes = await Promise.all(items.map((item) => pullImage(sim, item["url"])));
      const media = hashes.flatMap((sha256) => (sha256 === null ? [] : [{ type: "image" as const, sha256 }]));
      return media.length < items.length
        ? fail(sim, 400, 1, "Unable to reach the URL. Please check the URL and try again.")
        : { kind: "carousel", media, cover: null };
    }
    case "video_id": {
      const id = source["media_id"];
      const media = typeof id === "string" ? (sim.store.get(`media:${id}`) as Media | undefined) : undefined;
      if (
        !media ||
        media.login !== session.login ||
        mediaStatus(media, sim.now()) !== "succeeded" ||
        media.blob === null
      ) {
        return invalid(sim, "media_id is not a succeeded upload of this user");
      }
      const cover = source["cover_image_url"] ?? source["cover_image_key_frame_time"] ?? source["cover_image_data"];
      if (cover === undefined) {
        return fail(sim, 400, 1, "Video pins need a cover: cover_image_url or cover_image_content_type is required");
      }
      const stored = await sim.blobs.get(media.blob, { range: { offset: 0, length: media.size } });
      if (!stored) {
        return fail(sim, 500, 500, "Lost the upload.");
      }
      const { sha256 } = await sim.digest(stored.body);
      return { kind: "video", media: [{ type: "video", sha256 }], cover };
    }
    default:
      return invalid(sim, "'media_source.source_type' is not one of the known forms");
  }
}

function throttled(sim: Sim, login: string): Response | null {
  const minute = Math.floor(sim.now() / 60_000);
  const key = `rate:${login}`;
  const seen = sim.store.get<{ minute: number; count: number }>(key);
  const count = seen?.minute === minute ? seen.count + 1 : 1;
  sim.store.put(key, { minute, count });
  const most = sim.settings.quota ?? CREATES_PER_MINUTE;
  return count > most
    ? fail(sim, 403, 9, "Sorry! You've hit a block (Pins) we have in place to combat spam. Please try again later!")
    : null;
}

async function createPin(sim: Sim, host: string, session: Token, body: JsonObject): Promise<Response> {
  if (WRITE_SCOPES.some((scope) => !session.scopes.includes(scope))) {
    return fail(sim, 403, 3, "Your application consumer does not have the required scopes.");
  }
  if (host === API && sim.settings.extra["access"] === "trial") {
    return fail(
      sim,
      403,
      29,
      `Apps with Trial access may not create Pins in production https://${API} - use API Sandbox https://${SANDBOX_API} instead.`,
    );
  }
  const boardId = body["board_id"];
  if (typeof boardId !== "string" || !DIGITS.test(boardId)) {
    return invalid(sim, `${JSON.stringify(boardId)} does not match '^\\d+$'`);
  }
  const long = tooLong(sim, body);
  if (long) {
    return long;
  }
  const source = body["media_source"];
  if (source === null || typeof source !== "object" || Array.isArray(source)) {
    return invalid(sim, "'media_source' is a required property");
  }
  const board = boardsOf(session).find((one) => one.id === boardId && !one.adsOnly);
  if (!board) {
    return fail(sim, 404, 40, "Board not found.");
  }
  const blocked = throttled(sim, session.login);
  if (blocked) {
    return blocked;
  }
  const taken = await takeMedia(sim, session, source as JsonObject);
  if (taken instanceof Response) {
    return taken;
  }
  const textOf = (field: string): string | null => {
    const value = body[field];
    return typeof value === "string" ? value : null;
  };
  const pin: Pin = {
    id: sim.id(18),
    login: session.login,
    boardId,
    title: textOf("title"),
    description: textOf("description"),
    link: textOf("link"),
    createdAt: sim.now(),
    deleted: false,
  };
  sim.store.put(`pin:${pin.id}`, { ...pin });
  sim.publish({
    id: pin.id,
    url: `https://${LOGIN}/pin/${pin.id}/`,
    account: PEOPLE[session.login]?.id ?? "",
    kind: taken.kind === "image" ? "pin" : taken.kind,
    text: pin.description ?? "",
    title: pin.title,
    media: taken.media,
    options: { board_id: boardId, link: pin.link, cover: taken.cover },
    accepted_at: new Date(sim.now()).toISOString(),
  });
  return answer(sim, 201, pinJson(pin));
}

// ---------------------------------------------------------------- routes

async function jsonBody(request: Request): Promise<JsonObject | null> {
  const text = await request.text();
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

async function api(request: Request, url: URL, sim: Sim): Promise<Response> {
  const path = url.pathname.replace(/\/$/, "");
  const route = `${request.method} ${path}`;
  if (route === "POST /v5/oauth/token") {
    return token(request, sim);
  }
  if (route === "POST /v5/oauth/token/revoke") {
    return fail(sim, 403, 29, "Client is not allowed to revoke token.");
  }
  const session = liveToken(sim, bearer(request) ?? "", "access");
  if (!session) {
    return fail(sim, 401, 2, "Authentication failed.");
  }
  const needs = (scope: string): Response | null =>
    session.scopes.includes(scope)
      ? null
      : fail(sim, 403, 3, "Your application consumer does not have the required scopes.");
  const person = PEOPLE[session.login];
  if (route === "GET /v5/user_account") {
    return (
      needs("user_accounts:read") ??
      answer(sim, 200, {
        id: person?.id,
        username: person?.username,
        account_type: person?.business ? "BUSINESS" : "PINNER",
        business_name: person?.business ?? null,
        profile_image: `https://i.pinimg.com/${person?.username}.jpg`,
        about: "",
        website_url: null,
        board_count: boardsOf(session).length,
        pin_count: pins(sim).filter((pin) => pin.login === session.login).length,
        follower_count: 10,
        following_count: 3,
        monthly_views: 163,
      })
    );
  }
  if (route === "GET /v5/boards") {
    return needs("boards:read") ?? page(sim, url, boardsOf(session), boardJson);
  }
  const ofBoard = /^GET \/v5\/boards\/(?<id>\d+)\/pins$/.exec(route)?.groups?.["id"];
  if (ofBoard !== undefined) {
    return needs("boards:read") ?? needs("pins:read") ?? boardPins(sim, url, session, ofBoard);
  }
  const mediaId = /^GET \/v5\/media\/(?<id>\d+)$/.exec(route)?.groups?.["id"];
  if (mediaId !== undefined) {
    const media = sim.store.get(`media:${mediaId}`) as Media | undefined;
    return media && media.login === session.login
      ? answer(sim, 200, { media_id: mediaId, media_type: "video", status: mediaStatus(media, sim.now()) })
      : fail(sim, 404, 1, "Media not found.");
  }
  const pinId = /^(?:GET|DELETE) \/v5\/pins\/(?<id>\d+)$/.exec(route)?.groups?.["id"];
  if (pinId !== undefined) {
    const pin = sim.store.get(`pin:${pinId}`) as Pin | undefined;
    if (!pin || pin.login !== session.login || pin.deleted) {
      return fail(sim, 404, 50, "Pin not found.");
    }
    if (request.method === "DELETE") {
      sim.store.put(`pin:${pinId}`, { ...pin, deleted: true });
      return new Response(null, { status: 204 });
    }
    return answer(sim, 200, pinJson(pin));
  }
  if (route === "POST /v5/media" || route === "POST /v5/pins") {
    const body = await jsonBody(request);
    if (!body) {
      return invalid(sim, "the body is not a JSON object");
    }
    return route === "POST /v5/media"
      ? (needs("pins:write") ?? registerMedia(sim, session, body))
      : createPin(sim, url.hostname, session, body);
  }
  return fail(sim, 404, 404, "Not found.");
}

export const simulator: Simulator = {
  platform: "pinterest",
  hosts: [API, SANDBOX_API, LOGIN, UPLOAD],
  logins: [
    {
      name: "ada",
      accounts: ["2783136121146311751"],
      description: "a business with three boards of her own choosing, a secret one and one for ads",
    },
    { name: "ben", accounts: ["2783136121146311999"], description: "a person with one board" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname === LOGIN) {
      return request.method === "GET" && url.pathname === "/oauth/"
        ? authorize(url, sim)
        : new Response("not found", { status: 404 });
    }
    if (url.hostname === UPLOAD) {
      return request.method === "POST" ? receiveForm(request, sim) : s3Error(405, "MethodNotAllowed");
    }
    return api(request, url, sim);
  },
  revoke(account, sim) {
    const login = Object.keys(PEOPLE).find((name) => name === account || PEOPLE[name]?.id === account);
    return login !== undefined && revokeLogin(sim, login);
  },
};
