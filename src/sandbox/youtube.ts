import type { JsonObject } from "#core/json.ts";
import type { Sim, Simulator } from "./contract.ts";
import {
  bearer,
  consentPage,
  issueCode,
  issueToken,
  liveToken,
  readForm,
  redeemCode,
  redirect,
  revokeLogin,
  type Token,
} from "./grants.ts";

/* Plays Google's login, the YouTube Data API v3 and its resumable uploads, by platforms/youtube.md part 6. */

const ACCOUNTS = "accounts.google.com";
const OAUTH = "oauth2.googleapis.com";
const API = "www.googleapis.com";
const API_ALIAS = "youtube.googleapis.com";

const SCOPE = "https://www.googleapis.com/auth/";
const CHUNK = 262_144;
const UPLOADS_PER_DAY = 100;
const UNITS_PER_DAY = 10_000;
const TITLE_MAX = 100;
const DESCRIPTION_MAX_BYTES = 5000;
const SESSION_MS = 7 * 86_400_000;

interface Channel {
  readonly id: string;
  readonly title: string;
  readonly handle: string;
  readonly longUploads: "allowed" | "eligible";
}

const CHANNELS: Readonly<Record<string, readonly Channel[]>> = {
  ada: [{ id: "UCada0000000000000000000", title: "Ada Makes", handle: "@adamakes", longUploads: "allowed" }],
  ben: [{ id: "UCben0000000000000000000", title: "Ben Films", handle: "@benfilms", longUploads: "eligible" }],
  cleo: [],
};

interface Session {
  readonly login: string;
  readonly channel: string;
  readonly body: JsonObject;
  readonly contentType: string;
  readonly total: number;
  readonly stored: number;
  readonly chunks: number;
  readonly expiresAt: number;
  readonly videoId: string | null;
}

interface Video {
  readonly id: string;
  readonly channel: string;
  readonly login: string;
  readonly title: string;
  readonly description: string;
  readonly privacy: string;
  readonly madeForKids: boolean | null;
  readonly createdAt: number;
  readonly deleted: boolean;
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
};

function problem(code: number, reason: string, message: string, domain = "youtube.video"): Response {
  return Response.json(
    { error: { code, message, errors: [{ message, domain, reason }], status: STATUS_WORDS[code] ?? "UNKNOWN" } },
    { status: code },
  );
}

const badGrant = (description: string): Response =>
  Response.json({ error: "invalid_grant", error_description: description }, { status: 400 });

// ---------------------------------------------------------------- login

function authorize(url: URL, sim: Sim): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (
    query.get("client_id") !== sim.app.clientId ||
    query.get("response_type") !== "code" ||
    !URL.canParse(redirectUri)
  ) {
    return new Response("Error 400: redirect_uri_mismatch or invalid_client", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Google (sandbox)", url, simulator.logins);
  }
  const state = query.get("state") ?? "";
  if (!CHANNELS[login]) {
    return redirect(redirectUri, { error: "access_denied", state });
  }
  const unticked = new Set((query.get("untick") ?? "").split(" "));
  const scopes = (query.get("scope") ?? "").split(" ").filter((scope) => scope !== "" && !unticked.has(scope));
  const offline = query.get("access_type") === "offline" && (query.get("prompt") ?? "").split(" ").includes("consent");
  const challenge = query.get("code_challenge");
  return redirect(redirectUri, {
    state,
    code: issueCode(sim, offline ? "4/o-" : "4/n-", { login, scopes, redirectUri, challenge }, 600),
    scope: scopes.join(" "),
  });
}

async function token(request: Request, sim: Sim): Promise<Response> {
  const form = await readForm(request);
  if (form.get("client_id") !== sim.app.clientId || form.get("client_secret") !== sim.app.clientSecret) {
    return Response.json({ error: "invalid_client", error_description: "Unauthorized" }, { status: 401 });
  }
  const access = (grant: Omit<Token, "kind" | "expiresAt" | "revoked">): JsonObject => ({
    access_token: issueToken(sim, "ya29.", { ...grant, kind: "access" }, 3599),
    expires_in: sim.settings.token_lifetime_s ?? 3599,
    scope: grant.scopes.join(" "),
    token_type: "Bearer",
  });
  if (form.get("grant_type") === "authorization_code") {
    const secret = form.get("code") ?? "";
    const code = await redeemCode(sim, secret, form.get("redirect_uri") ?? "", form.get("code_verifier"));
    if (!code) {
      return badGrant("Malformed auth code.");
    }
    const grant = { login: code.login, scopes: code.scopes, grant: sim.id(12), extra: {} };
    const testing = sim.settings.extra["testing"] === true;
    const refresh = secret.startsWith("4/o-")
      ? {
          refresh_token: issueToken(sim, "1//0", { ...grant, kind: "refresh" }, testing ? 604_799 : null),
          ...(testing && { refresh_token_expires_in: 604_799 }),
        }
      : {};
    return Response.json({ ...access(grant), ...refresh });
  }
  if (form.get("grant_type") === "refresh_token") {
    const known = liveToken(sim, form.get("refresh_token") ?? "", "refresh");
    return known
      ? Response.json(access({ login: known.login, scopes: known.scopes, grant: known.grant, extra: {} }))
      : badGrant("Token has been expired or revoked.");
  }
  return Response.json({ error: "unsupported_grant_type" }, { status: 400 });
}

async function revoke(request: Request, sim: Sim): Promise<Response> {
  const form = await readForm(request);
  const secret = form.get("token") ?? new URL(request.url).searchParams.get("token") ?? "";
  const known = liveToken(sim, secret, "access") ?? liveToken(sim, secret, "refresh");
  if (!known) {
    return Response.json({ error: "invalid_token" }, { status: 400 });
  }
  // The whole grant of that Google user for the project goes, not one token.
  revokeLogin(sim, known.login);
  return Response.json({});
}

// ---------------------------------------------------------------- quota

/** Days end at midnight Pacific; -8 h the year round is near enough for a counter. */
const quotaDay = (now: number): number => Math.floor((now - 8 * 3_600_000) / 86_400_000);

function spend(sim: Sim, bucket: string, amount: number, most: number): boolean {
  const key = `quota:${bucket}:${quotaDay(sim.now())}`;
  const used = sim.store.get<number>(key) ?? 0;
  if (used + amount > most) {
    return false;
  }
  sim.store.put(key, used + amount);
  return true;
}

const quotaExceeded = (): Response =>
  problem(
    403,
    "quotaExceeded",
    "The request cannot be completed because you have exceeded your quota.",
    "youtube.quota",
  );

const units = (sim: Sim, amount: number): Response | null =>
  spend(sim, "units", amount, UNITS_PER_DAY) ? null : quotaExceeded();

// ---------------------------------------------------------------- uploads

function metadataProblem(body: JsonObject, parts: readonly string[]): Response | null {
  const snippet = body["snippet"] as JsonObject | undefined;
  const title = snippet?.["title"];
  if (
    !parts.includes("snippet") ||
    typeof title !== "string" ||
    title.trim() === "" ||
    [...title].length > TITLE_MAX ||
    /[<>]/.test(title)
  ) {
    return problem(400, "invalidTitle", "The request metadata specifies an invalid or empty video title.");
  }
  const description = snippet?.["description"] ?? "";
  if (
    typeof description !== "string" ||
    new TextEncoder().encode(description).length > DESCRIPTION_MAX_BYTES ||
    /[<>]/.test(description)
  ) {
    return problem(400, "invalidDescription", "The request metadata specifies an invalid video description.");
  }
  const unwritten = Object.keys(body).find((part) => !parts.includes(part));
  return unwritten === undefined ? null : problem(400, "invalidVideoMetadata", `part does not name ${unwritten}`);
}

const hasAny = (session: Token, names: readonly string[]): boolean =>
  names.some((name) => session.scopes.includes(SCOPE + name));

const insufficient = (): Response =>
  problem(403, "insufficientPermissions", "Request had insufficient authentication scopes.", "global");

async function startSession(request: Request, url: URL, sim: Sim, session: Token): Promise<Response> {
  if (!hasAny(session, ["youtube.upload", "youtube", "youtube.force-ssl"])) {
    return insufficient();
  }
  let body: JsonObject;
  try {
    body = JSON.parse(await request.text()) as JsonObject;
  } catch {
    return problem(400, "parseError", "Parse Error", "global");
  }
  const wrong = metadataProblem(body, (url.searchParams.get("part") ?? "").split(","));
  if (wrong) {
    return wrong;
  }
  const channel = CHANNELS[session.login]?.[0];
  if (!channel) {
    return problem(401, "youtubeSignupRequired", "The user has not signed up for YouTube.", "youtube.header");
  }
  const total = Number(request.headers.get("x-upload-content-length"));
  const contentType = request.headers.get("x-upload-content-type") ?? "";
  if (!Number.isSafeInteger(total) || total <= 0 || !/^(?:video\/|application\/octet-stream)/.test(contentType)) {
    return problem(400, "mediaBodyRequired", "The request does not include the video content.");
  }
  if (!spend(sim, `channel:${channel.id}`, 1, sim.settings.quota ?? UPLOADS_PER_DAY)) {
    return problem(400, "uploadLimitExceeded", "The user has exceeded the number of videos they may upload.");
  }
  if (!spend(sim, "uploads", 1, UPLOADS_PER_DAY * 100)) {
    return problem(
      429,
      "rateLimitExceeded",
      "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:1'.",
      "global",
    );
  }
  const uploadId = sim.secret("AD");
  const stored: Session = {
    login: session.login,
    channel: channel.id,
    body,
    contentType,
    total,
    stored: 0,
    chunks: 0,
    expiresAt: sim.now() + SESSION_MS,
    videoId: null,
  };
  sim.store.put(`session:${uploadId}`, { ...stored });
  const location = `https://${API}/upload/youtube/v3/videos?uploadType=resumable&part=${encodeURIComponent(url.searchParams.get("part") ?? "")}&upload_id=${uploadId}`;
  return new Response(null, { status: 200, headers: { location } });
}

const more = (stored: number): Response =>
  new Response(null, { status: 308, headers: stored === 0 ? {} : { range: `bytes=0-${stored - 1}` } });

const blobKey = (uploadId: string, chunk: number): string => `sandbox/${simulator.platform}/${uploadId}/${chunk}`;

function videoJson(video: Video, sim: Sim): JsonObject {
  const processed = video.createdAt + sim.settings.processing_ms <= sim.now();
  const marker = /#sim-(?<kind>failed|rejected)-(?<reason>\w+)/.exec(video.title)?.groups;
  const outcome: JsonObject = !processed
    ? { uploadStatus: "uploaded" }
    : marker?.["kind"] === "failed"
      ? { uploadStatus: "failed", failureReason: marker["reason"] ?? "codec" }
      : marker
        ? { uploadStatus: "rejected", rejectionReason: marker["reason"] ?? "duplicate" }
        : { uploadStatus: "processed" };
  return {
    kind: "youtube#video",
    id: video.id,
    snippet: {
      title: video.title,
      description: video.description,
      channelId: video.channel,
      publishedAt: new Date(video.createdAt).toISOString(),
    },
    status: {
      ...outcome,
      privacyStatus: video.privacy,
      license: "youtube",
      embeddable: true,
      publicStatsViewable: true,
      ...(video.madeForKids !== null && { selfDeclaredMadeForKids: video.madeForKids }),
    },
    processingDetails: { processingStatus: processed ? "succeeded" : "processing" },
  };
}

async function complete(sim: Sim, uploadId: string, session: Session): Promise<Response> {
  const snippet = session.body["snippet"] as JsonObject;
  const status = (session.body["status"] ?? {}) as JsonObject;
  const privacy = status["privacyStatus"];
  const kids = status["selfDeclaredMadeForKids"];
  const video: Video = {
    id: sim
      .secret("")
      .replaceAll(/[^\w-]/g, "")
      .slice(0, 11),
    channel: session.channel,
    login: session.login,
    title: typeof snippet["title"] === "string" ? snippet["title"] : "",
    description: typeof snippet["description"] === "string" ? snippet["description"] : "",
    privacy: typeof privacy === "string" ? privacy : sim.settings.extra["lock_private"] === true ? "private" : "public",
    madeForKids: typeof kids === "boolean" ? kids : null,
    createdAt: sim.now(),
    deleted: false,
  };
  // Both are written before anything is awaited: a lost answer finds the video in its session.
  sim.store.put(`video:${video.id}`, { ...video });
  sim.store.put(`session:${uploadId}`, { ...session, stored: session.total, videoId: video.id });
  const { sha256 } = await sim.digestBlobs(
    Array.from({ length: session.chunks }, (_, chunk) => blobKey(uploadId, chunk)),
  );
  sim.publish({
    id: video.id,
    url: `https://www.youtube.com/watch?v=${video.id}`,
    account: video.channel,
    kind: "video",
    text: video.description,
    title: video.title,
    media: [{ type: "video", sha256 }],
    options: {
      privacyStatus: video.privacy,
      selfDeclaredMadeForKids: video.madeForKids,
      categoryId: snippet["categoryId"] ?? null,
    },
    accepted_at: new Date(video.createdAt).toISOString(),
  });
  return Response.json(videoJson(video, sim), { status: 201 });
}

async function receive(request: Request, url: URL, sim: Sim): Promise<Response> {
  const uploadId = url.searchParams.get("upload_id") ?? "";
  const session = sim.store.get(`session:${uploadId}`) as Session | undefined;
  if (!session || session.expiresAt <= sim.now() || sim.settings.extra["sessions_gone"] === true) {
    return problem(404, "notFound", "Upload session not found", "global");
  }
  if (session.videoId !== null) {
    const video = sim.store.get(`video:${session.videoId}`) as Video | undefined;
    return video ? Response.json(videoJson(video, sim)) : problem(404, "videoNotFound", "The video cannot be found.");
  }
  const header = request.headers.get("content-range");
  const length = Number(request.headers.get("content-length") ?? "NaN");
  const probe = /^bytes \*\/(?<total>\d+|\*)$/.exec(header ?? "");
  if (probe) {
    return more(session.stored);
  }
  const range = /^bytes (?<first>\d+)-(?<last>\d+)\/(?<total>\d+)$/.exec(
    header ?? `bytes 0-${session.total - 1}/${session.total}`,
  )?.groups;
  if (!range || Number(range["total"]) !== session.total || !request.body) {
    return problem(400, "badContent", "Content-Range does not fit the declared length", "global");
  }
  const first = Number(range["first"]);
  const last = Number(range["last"]);
  if (length !== last - first + 1) {
    return problem(400, "badContent", "Content-Length does not fit Content-Range", "global");
  }
  if (first !== session.stored) {
    return more(session.stored);
  }
  const final = last === session.total - 1;
  if (!final && length % CHUNK !== 0) {
    return problem(400, "badContent", "Chunks must be multiples of 262144 bytes", "global");
  }
  const kept =
    sim.settings.extra["half_chunks"] === true && !final
      ? Math.max(CHUNK, Math.floor(length / 2 / CHUNK) * CHUNK)
      : length;
  const fixed = new FixedLengthStream(kept);
  const put = sim.blobs.put(blobKey(uploadId, session.chunks), fixed.readable);
  const writer = fixed.writable.getWriter();
  let left = kept;
  for await (const chunk of request.body) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0) {
      await writer.write(part);
    }
  }
  await writer.close();
  await put;
  const grown: Session = { ...session, stored: first + kept, chunks: session.chunks + 1 };
  if (grown.stored === session.total) {
    return complete(sim, uploadId, grown);
  }
  sim.store.put(`session:${uploadId}`, { ...grown });
  return more(grown.stored);
}

// ---------------------------------------------------------------- reading

const READ = ["youtube.readonly", "youtube", "youtube.force-ssl"];

function channels(sim: Sim, session: Token): Response {
  if (!hasAny(session, READ)) {
    return insufficient();
  }
  const items = (CHANNELS[session.login] ?? []).map((channel) => ({
    kind: "youtube#channel",
    id: channel.id,
    snippet: {
      title: channel.title,
      customUrl: channel.handle,
      thumbnails: { default: { url: `https://yt3.ggpht.com/${channel.id}` } },
    },
    contentDetails: { relatedPlaylists: { uploads: channel.id.replace("UC", "UU") } },
    statistics: { subscriberCount: "12" },
    status: { longUploadsStatus: channel.longUploads },
  }));
  const empty = items.length === 0;
  return (
    units(sim, 1) ??
    Response.json({
      kind: "youtube#channelListResponse",
      pageInfo: { totalResults: items.length, resultsPerPage: 5 },
      ...(!empty && { items }),
    })
  );
}

function videos(sim: Sim, session: Token, url: URL): Response {
  if (!hasAny(session, READ)) {
    return insufficient();
  }
  const items = (url.searchParams.get("id") ?? "").split(",").flatMap((id) => {
    const video = sim.store.get(`video:${id}`) as Video | undefined;
    return video && !video.deleted ? [videoJson(video, sim)] : [];
  });
  return units(sim, 1) ?? Response.json({ kind: "youtube#videoListResponse", items });
}

function deleteVideo(sim: Sim, session: Token, url: URL): Response {
  if (!hasAny(session, ["youtube", "youtube.force-ssl"])) {
    return insufficient();
  }
  const video = sim.store.get(`video:${url.searchParams.get("id") ?? ""}`) as Video | undefined;
  if (!video || video.deleted || video.login !== session.login) {
    return problem(404, "videoNotFound", "The video that you are trying to delete cannot be found.");
  }
  sim.store.put(`video:${video.id}`, { ...video, deleted: true });
  return units(sim, 50) ?? new Response(null, { status: 204 });
}

function playlistItems(sim: Sim, session: Token, url: URL): Response {
  if (!hasAny(session, READ)) {
    return insufficient();
  }
  const playlist = url.searchParams.get("playlistId") ?? "";
  const channel = (CHANNELS[session.login] ?? []).find((one) => one.id.replace("UC", "UU") === playlist);
  if (!channel) {
    return problem(404, "playlistNotFound", "The playlist cannot be found.", "youtube.playlistItem");
  }
  const most = Math.min(50, Number(url.searchParams.get("maxResults") ?? "5"));
  const items = sim.store
    .list("video:")
    .map(([, video]) => video as unknown as Video)
    .filter(
      (video) =>
        video.channel === channel.id && !video.deleted && video.createdAt + sim.settings.verify_lag_ms <= sim.now(),
    )
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, most)
    .map((video) => ({
      kind: "youtube#playlistItem",
      id: `PLI${video.id}`,
      snippet: {
        title: video.title,
        description: video.description,
        publishedAt: new Date(video.createdAt).toISOString(),
        resourceId: { kind: "youtube#video", videoId: video.id },
      },
      contentDetails: { videoId: video.id, videoPublishedAt: new Date(video.createdAt).toISOString() },
      status: { privacyStatus: video.privacy },
    }));
  return units(sim, 1) ?? Response.json({ kind: "youtube#playlistItemListResponse", items });
}

// ---------------------------------------------------------------- routes

async function api(request: Request, url: URL, sim: Sim): Promise<Response> {
  const session = liveToken(sim, bearer(request) ?? "", "access");
  if (!session) {
    return problem(401, "authError", "Request had invalid authentication credentials.", "global");
  }
  switch (`${request.method} ${url.pathname}`) {
    case "POST /upload/youtube/v3/videos":
      return startSession(request, url, sim, session);
    case "PUT /upload/youtube/v3/videos":
      return receive(request, url, sim);
    case "GET /youtube/v3/channels":
      return channels(sim, session);
    case "GET /youtube/v3/videos":
      return videos(sim, session, url);
    case "DELETE /youtube/v3/videos":
      return deleteVideo(sim, session, url);
    case "GET /youtube/v3/playlistItems":
      return playlistItems(sim, session, url);
    default:
      return problem(404, "notFound", "Not Found", "global");
  }
}

export const simulator: Simulator = {
  platform: "youtube",
  hosts: [ACCOUNTS, OAUTH, API, API_ALIAS],
  logins: [
    { name: "ada", accounts: ["UCada0000000000000000000"], description: "a verified channel" },
    {
      name: "ben",
      accounts: ["UCben0000000000000000000"],
      description: "a channel without phone verification: at most 15 minutes a video",
    },
    { name: "cleo", accounts: [], description: "a Google user without a channel" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname === ACCOUNTS) {
      return `${request.method} ${url.pathname}` === "GET /o/oauth2/v2/auth"
        ? authorize(url, sim)
        : new Response("not found", { status: 404 });
    }
    if (url.hostname === OAUTH) {
      switch (`${request.method} ${url.pathname}`) {
        case "POST /token":
          return token(request, sim);
        case "POST /revoke":
          return revoke(request, sim);
        default:
          return new Response("not found", { status: 404 });
      }
    }
    return api(request, url, sim);
  },
  revoke(account, sim) {
    const login = Object.keys(CHANNELS).find(
      (name) => name === account || CHANNELS[name]?.some((channel) => channel.id === account),
    );
    return login !== undefined && revokeLogin(sim, login);
  },
};
