import type { JsonObject, JsonValue } from "#core/json.ts";
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
  spendToken,
  type Token,
} from "./grants.ts";

/* Plays www.tiktok.com's login, open.tiktokapis.com and its upload host, by platforms/tiktok.md part 6. */

const WWW = "www.tiktok.com";
const API = "open.tiktokapis.com";
const UPLOAD = "open-upload.tiktokapis.com";

const ACCESS_SECONDS = 7200;
const REFRESH_SECONDS = 15_552_000;
const MB = 1_000_000;
const CHUNK_MIN = 5 * MB;
const CHUNK_MAX = 64 * MB;
const LAST_CHUNK_MAX = 128 * MB;
const UPLOAD_MS = 3_600_000;
const POSTS_PER_DAY = 15;
const DRAFTS_PENDING = 5;
const PER_MINUTE = { init: 6, creator: 20, status: 30 } as const;

interface Creator {
  readonly openId: string;
  readonly username: string;
  readonly nickname: string;
  readonly privateAccount: boolean;
  readonly maxSeconds: number;
  readonly duetDisabled: boolean;
  /** Whether this creator signs in to an app that passed its audit. */
  readonly audited: boolean;
}

const CREATORS: Readonly<Record<string, Creator>> = {
  ada: {
    openId: "_000ada",
    username: "ada_moves",
    nickname: "Ada",
    privateAccount: false,
    maxSeconds: 600,
    duetDisabled: false,
    audited: true,
  },
  ben: {
    openId: "_000ben",
    username: "ben_alone",
    nickname: "Ben",
    privateAccount: true,
    maxSeconds: 300,
    duetDisabled: true,
    audited: false,
  },
};

interface Publish {
  readonly id: string;
  readonly login: string;
  readonly kind: "video" | "photo";
  readonly draft: boolean;
  readonly info: JsonObject;
  readonly size: number;
  readonly chunkSize: number;
  readonly chunkCount: number;
  readonly stored: number;
  readonly chunks: number;
  readonly uploadToken: string | null;
  readonly createdAt: number;
  /** When processing ends; null while bytes are missing. */
  readonly doneAt: number | null;
  readonly failReason: string | null;
  readonly cancelled: boolean;
  /** 19 digits: does not fit a JavaScript number. */
  readonly publicId: string;
  readonly media: readonly { readonly type: "image" | "video"; readonly sha256: string }[];
  readonly booked: boolean;
}

function envelope(sim: Sim, status: number, code: string, message: string, data: JsonObject = {}): Response {
  return Response.json({ data, error: { code, message, log_id: `2026${sim.id(20)}` } }, { status });
}

const ok = (sim: Sim, data: JsonObject): Response => envelope(sim, 200, "ok", "", data);

const savePublish = (sim: Sim, publish: Publish): void =>
  sim.store.put(`publish:${publish.id}`, { ...publish, media: publish.media.map((item) => ({ ...item })) });

const publishes = (sim: Sim, login: string): readonly Publish[] =>
  sim.store
    .list("publish:")
    .map(([, publish]) => publish as unknown as Publish)
    .filter((publish) => publish.login === login);

// ---------------------------------------------------------------- login

function authorize(url: URL, sim: Sim): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (
    query.get("client_key") !== sim.app.clientId ||
    query.get("response_type") !== "code" ||
    !URL.canParse(redirectUri)
  ) {
    return new Response("client_key, response_type or redirect_uri is wrong", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("TikTok (sandbox)", url, simulator.logins);
  }
  const state = query.get("state") ?? "";
  if (!CREATORS[login]) {
    return redirect(redirectUri, { error: "access_denied", error_description: "The user denied the request", state });
  }
  const unticked = new Set((query.get("untick") ?? "").split(","));
  const scopes = (query.get("scope") ?? "").split(",").filter((scope) => scope !== "" && !unticked.has(scope));
  const code = issueCode(sim, "co*", { login, scopes, redirectUri, challenge: null }, 600);
  return redirect(redirectUri, { code: `${code}!`, scopes: scopes.join(","), state });
}

function oauthProblem(sim: Sim, status: number, error: string, description: string): Response {
  const softly = sim.settings.extra["errors_as_200"] === true;
  return Response.json(
    { error, error_description: description, log_id: `2026${sim.id(20)}` },
    { status: softly ? 200 : status },
  );
}

async function token(request: Request, sim: Sim): Promise<Response> {
  if (!(request.headers.get("content-type") ?? "").startsWith("application/x-www-form-urlencoded")) {
    return oauthProblem(
      sim,
      400,
      "invalid_request",
      "Only `application/x-www-form-urlencoded` is supported as Content-Type.",
    );
  }
  const form = await readForm(request);
  if (form.get("client_key") !== sim.app.clientId || form.get("client_secret") !== sim.app.clientSecret) {
    return oauthProblem(sim, 401, "invalid_client", "Client key or secret is incorrect.");
  }
  const answer = (grant: Omit<Token, "kind" | "expiresAt" | "revoked">): Response =>
    Response.json({
      open_id: CREATORS[grant.login]?.openId,
      scope: grant.scopes.join(","),
      access_token: issueToken(sim, "act.", { ...grant, kind: "access" }, ACCESS_SECONDS),
      expires_in: sim.settings.token_lifetime_s ?? ACCESS_SECONDS,
      refresh_token: issueToken(sim, "rft.", { ...grant, kind: "refresh" }, REFRESH_SECONDS),
      refresh_expires_in: REFRESH_SECONDS,
      token_type: "Bearer",
    });
  if (form.get("grant_type") === "authorization_code") {
    const code = await redeemCode(
      sim,
      (form.get("code") ?? "").replace(/!$/, ""),
      form.get("redirect_uri") ?? "",
      null,
    );
    return code
      ? answer({ login: code.login, scopes: code.scopes, grant: sim.id(12), extra: {} })
      : oauthProblem(sim, 400, "invalid_grant", "Authorization code is expired.");
  }
  if (form.get("grant_type") === "refresh_token") {
    const secret = form.get("refresh_token") ?? "";
    const known = liveToken(sim, secret, "refresh");
    if (!known) {
      return oauthProblem(sim, 400, "invalid_grant", "Refresh token is invalid or expired.");
    }
    spendToken(sim, secret);
    return answer({ login: known.login, scopes: known.scopes, grant: known.grant, extra: {} });
  }
  return oauthProblem(sim, 400, "unsupported_grant_type", "Unsupported grant_type.");
}

async function revoke(request: Request, sim: Sim): Promise<Response> {
  const form = await readForm(request);
  const known = liveToken(sim, form.get("token") ?? "", "access");
  if (form.get("client_key") !== sim.app.clientId || !known) {
    return oauthProblem(sim, 400, "invalid_request", "The token is not valid.");
  }
  revokeLogin(sim, known.login);
  return Response.json({});
}

// ---------------------------------------------------------------- limits

/** Null while the creator is within the bucket's calls of this minute. */
function overRate(sim: Sim, session: Token, bucket: keyof typeof PER_MINUTE): Response | null {
  const most = sim.settings.extra["unlimited_rate"] === true ? Number.POSITIVE_INFINITY : PER_MINUTE[bucket];
  const minute = Math.floor(sim.now() / 60_000);
  const key = `rate:${bucket}:${session.login}`;
  const seen = sim.store.get<{ minute: number; count: number }>(key);
  const count = seen?.minute === minute ? seen.count + 1 : 1;
  sim.store.put(key, { minute, count });
  return count > most ? envelope(sim, 429, "rate_limit_exceeded", "The API rate limit was exceeded.") : null;
}

function dayRefusal(sim: Sim, session: Token, draft: boolean): Response | null {
  const recent = publishes(sim, session.login).filter(
    (publish) => publish.createdAt > sim.now() - 86_400_000 && publish.failReason === null && !publish.cancelled,
  );
  if (draft) {
    return recent.filter((publish) => publish.draft).length >= DRAFTS_PENDING
      ? envelope(
          sim,
          403,
          "spam_risk_too_many_pending_share",
          "There may be at most 5 pending shares within any 24-hour period.",
        )
      : null;
  }
  return recent.filter((publish) => !publish.draft).length >= (sim.settings.quota ?? POSTS_PER_DAY)
    ? envelope(sim, 403, "spam_risk_too_many_posts", "Daily post cap from the API is reached for the current user.")
    : null;
}

const privacyOptions = (creator: Creator): string[] =>
  creator.privateAccount
    ? ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
    : ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"];

function creatorInfo(sim: Sim, session: Token, creator: Creator): Response {
  const slow = overRate(sim, session, "creator");
  if (slow) {
    return slow;
  }
  const word = sim.settings.extra["creator_error"];
  if (typeof word === "string") {
    return envelope(sim, 200, word, "The creator cannot post now.");
  }
  if (dayRefusal(sim, session, false)) {
    return envelope(
      sim,
      200,
      "spam_risk_too_many_posts",
      "Daily post cap from the API is reached for the current user.",
    );
  }
  return ok(sim, {
    creator_avatar_url: `https://p16.tiktokcdn.com/${creator.openId}`,
    creator_username: creator.username,
    creator_nickname: creator.nickname,
    privacy_level_options: privacyOptions(creator),
    comment_disabled: false,
    duet_disabled: creator.duetDisabled,
    stitch_disabled: creator.duetDisabled,
    max_video_post_duration_sec: creator.maxSeconds,
  });
}

/** What an unaudited app, a wrong privacy level or a too long text earns; null when the post may go on. */
function infoRefusal(sim: Sim, creator: Creator, info: JsonObject, kind: Publish["kind"]): Response | null {
  const level = info["privacy_level"];
  const audited = sim.settings.extra["audited"] ?? creator.audited;
  if (audited !== true && !creator.privateAccount) {
    return envelope(
      sim,
      403,
      "unaudited_client_can_only_post_to_private_accounts",
      "Unaudited clients can only post to private accounts.",
    );
  }
  if (
    typeof level !== "string" ||
    !privacyOptions(creator).includes(level) ||
    (audited !== true && level !== "SELF_ONLY")
  ) {
    return envelope(
      sim,
      403,
      "privacy_level_option_mismatch",
      "The privacy level is not one of the creator's options.",
    );
  }
  const title = info["title"] ?? "";
  const description = info["description"] ?? "";
  const titleMax = kind === "video" ? 2200 : 90;
  if (
    typeof title !== "string" ||
    title.length > titleMax ||
    typeof description !== "string" ||
    description.length > 4000
  ) {
    return envelope(sim, 400, "invalid_params", `title takes ${titleMax} and description 4000 UTF-16 units`);
  }
  return null;
}

// ---------------------------------------------------------------- posting

function fileProblem(
  size: JsonValue | undefined,
  chunkSize: JsonValue | undefined,
  count: JsonValue | undefined,
): string | null {
  if (typeof size !== "number" || typeof chunkSize !== "number" || typeof count !== "number" || size <= 0) {
    return "video_size, chunk_size and total_chunk_count are required";
  }
  if (size > 4 * 1024 * MB) {
    return "the video is larger than 4 GB";
  }
  if (count < 1 || count > 1000 || count !== Math.max(1, Math.floor(size / chunkSize))) {
    return "total_chunk_count must be floor(video_size / chunk_size)";
  }
  if (count === 1) {
    return size > CHUNK_MAX || chunkSize !== size ? "one chunk carries the whole video, up to 64 MB" : null;
  }
  const last = size - (count - 1) * chunkSize;
  return chunkSize < CHUNK_MIN || chunkSize > CHUNK_MAX || last > LAST_CHUNK_MAX
    ? "chunks must be 5 to 64 MB, the last up to 128 MB"
    : null;
}

function newPublish(
  sim: Sim,
  session: Token,
  prefix: string,
  rest: Partial<Publish> & Pick<Publish, "kind" | "draft" | "info">,
): Publish {
  return {
    id: `${prefix}${sim.id(19)}`,
    login: session.login,
    size: 0,
    chunkSize: 0,
    chunkCount: 0,
    stored: 0,
    chunks: 0,
    uploadToken: null,
    createdAt: sim.now(),
    doneAt: null,
    failReason: null,
    cancelled: false,
    publicId: `7${sim.id(18)}`,
    media: [],
    booked: false,
    ...rest,
  };
}

async function initVideo(
  sim: Sim,
  session: Token,
  creator: Creator,
  body: JsonObject,
  draft: boolean,
): Promise<Response> {
  const info = (body["post_info"] ?? {}) as JsonObject;
  const source = (body["source_info"] ?? {}) as JsonObject;
  const refused =
    overRate(sim, session, "init") ??
    (draft ? null : infoRefusal(sim, creator, info, "video")) ??
    dayRefusal(sim, session, draft);
  if (refused) {
    return refused;
  }
  const kept = draft ? {} : info;
  if (source["source"] === "FILE_UPLOAD") {
    const wrong = fileProblem(source["video_size"], source["chunk_size"], source["total_chunk_count"]);
    if (wrong !== null) {
      return envelope(sim, 400, "invalid_params", wrong);
    }
    const uploadToken = sim.secret("X");
    const publish = newPublish(sim, session, draft ? "v_inbox_file~v2." : "v_pub_file~v2-1.", {
      kind: "video",
      draft,
      info: kept,
      size: source["video_size"] as number,
      chunkSize: source["chunk_size"] as number,
      chunkCount: source["total_chunk_count"] as number,
      uploadToken,
    });
    savePublish(sim, publish);
    return ok(sim, {
      publish_id: publish.id,
      upload_url: `https://${UPLOAD}/video/?upload_id=${encodeURIComponent(publish.id)}&upload_token=${uploadToken}`,
    });
  }
  if (source["source"] === "PULL_FROM_URL" && typeof source["video_url"] === "string") {
    const publish = newPublish(sim, session, draft ? "v_inbox_url~v2." : "v_pub_url~v2-1.", {
      kind: "video",
      draft,
      info: kept,
    });
    return pulled(sim, publish, [source["video_url"]]);
  }
  return envelope(sim, 400, "invalid_params", "source_info.source must be FILE_UPLOAD or PULL_FROM_URL");
}

function ownership(sim: Sim, url: string): boolean {
  const domains = sim.settings.extra["verified_domains"];
  return !Array.isArray(domains) || domains.some((domain) => new URL(url).hostname === domain);
}

const isPhoto = (head: Uint8Array): boolean =>
  (head[0] === 0xff && head[1] === 0xd8) || new TextDecoder("latin1").decode(head.subarray(8, 12)) === "WEBP";

async function pulled(sim: Sim, publish: Publish, urls: readonly string[]): Promise<Response> {
  if (urls.some((url) => !URL.canParse(url) || !ownership(sim, url))) {
    return envelope(sim, 403, "url_ownership_unverified", "The URL ownership is not verified.");
  }
  const media: { type: "image" | "video"; sha256: string }[] = [];
  let failReason: string | null = null;
  for (const url of urls) {
    const response = await sim.pull(url);
    if (response.status !== 200 || response.redirected || !response.body) {
      failReason = publish.kind === "photo" ? "photo_pull_failed" : "video_pull_failed";
      break;
    }
    const { sha256, head } = await sim.digest(response.body);
    if (publish.kind === "photo" && !isPhoto(head)) {
      failReason = "file_format_check_failed";
    }
    media.push({ type: publish.kind === "photo" ? "image" : "video", sha256 });
  }
  savePublish(sim, { ...publish, media, failReason, doneAt: sim.now() + sim.settings.processing_ms });
  return ok(sim, { publish_id: publish.id });
}

async function initPhotos(sim: Sim, session: Token, creator: Creator, body: JsonObject): Promise<Response> {
  const info = (body["post_info"] ?? {}) as JsonObject;
  const source = (body["source_info"] ?? {}) as JsonObject;
  const mode = body["post_mode"];
  if (
    body["media_type"] !== "PHOTO" ||
    (mode !== "DIRECT_POST" && mode !== "MEDIA_UPLOAD") ||
    source["source"] !== "PULL_FROM_URL"
  ) {
    return envelope(sim, 400, "invalid_params", "media_type, post_mode or source_info.source is wrong");
  }
  const draft = mode === "MEDIA_UPLOAD";
  if (!session.scopes.includes(draft ? "video.upload" : "video.publish")) {
    return envelope(
      sim,
      401,
      "scope_not_authorized",
      "The user did not authorize the scope required for completing this request.",
    );
  }
  const images = source["photo_images"];
  const cover = source["photo_cover_index"];
  if (
    !Array.isArray(images) ||
    images.length < 1 ||
    images.length > 35 ||
    typeof cover !== "number" ||
    cover >= images.length
  ) {
    return envelope(
      sim,
      400,
      "invalid_params",
      "photo_images takes 1 to 35 URLs and photo_cover_index must point at one",
    );
  }
  const unknown = ["disable_duet", "disable_stitch", "is_aigc"].find((field) => field in info);
  if (unknown !== undefined) {
    return envelope(sim, 400, "invalid_params", `${unknown} does not exist for photos`);
  }
  const refused =
    overRate(sim, session, "init") ??
    (draft ? null : infoRefusal(sim, creator, info, "photo")) ??
    dayRefusal(sim, session, draft);
  if (refused) {
    return refused;
  }
  const kept: JsonObject = draft ? { title: info["title"] ?? "", description: info["description"] ?? "" } : info;
  const publish = newPublish(sim, session, "p_pub_url~v2.", { kind: "photo", draft, info: kept });
  return pulled(sim, publish, images as string[]);
}

// ---------------------------------------------------------------- bytes

const blobKey = (id: string, chunk: number): string => `sandbox/${simulator.platform}/${id}/${chunk}`;

async function receive(request: Request, url: URL, sim: Sim): Promise<Response> {
  const id = url.searchParams.get("upload_id") ?? "";
  const publish = sim.store.get(`publish:${id}`) as Publish | undefined;
  if (!publish || publish.uploadToken === null || publish.uploadToken !== url.searchParams.get("upload_token")) {
    return new Response("unknown upload", { status: 404 });
  }
  if (publish.createdAt + UPLOAD_MS <= sim.now()) {
    return new Response("upload_url expired", { status: 403 });
  }
  if (request.headers.has("authorization")) {
    return new Response("no Authorization here", { status: 400 });
  }
  const progress = (): Record<string, string> => ({
    "content-range": `bytes 0-${Math.max(0, publish.stored - 1)}/${publish.size}`,
  });
  const range = /^bytes (?<first>\d+)-(?<last>\d+)\/(?<total>\d+)$/.exec(
    request.headers.get("content-range") ?? "",
  )?.groups;
  const length = Number(request.headers.get("content-length") ?? "NaN");
  const type = request.headers.get("content-type") ?? "";
  if (
    !range ||
    !/^video\/(?:mp4|quicktime|webm)$/.test(type) ||
    Number(range["total"]) !== publish.size ||
    !request.body
  ) {
    return new Response("Content-Type or Content-Range is wrong", { status: 400 });
  }
  const first = Number(range["first"]);
  const last = Number(range["last"]);
  if (length !== last - first + 1) {
    return new Response("Content-Length does not fit Content-Range", { status: 400 });
  }
  if (publish.doneAt !== null || first !== publish.stored) {
    return new Response("range does not match progress", { status: 416, headers: progress() });
  }
  const lastChunk = publish.chunks === publish.chunkCount - 1;
  const expected = lastChunk ? publish.size - publish.stored : publish.chunkSize;
  if (length !== expected) {
    return new Response("the chunk has the wrong size", { status: 400 });
  }
  const fixed = new FixedLengthStream(length);
  await Promise.all([request.body.pipeTo(fixed.writable), sim.blobs.put(blobKey(id, publish.chunks), fixed.readable)]);
  const grown: Publish = { ...publish, stored: last + 1, chunks: publish.chunks + 1 };
  const header = { "content-range": `bytes 0-${last}/${publish.size}` };
  if (!lastChunk) {
    savePublish(sim, grown);
    return new Response(null, { status: 206, headers: header });
  }
  const reason = sim.settings.extra["fail_reason"];
  savePublish(sim, {
    ...grown,
    doneAt: sim.now() + sim.settings.processing_ms,
    failReason: typeof reason === "string" ? reason : null,
  });
  const { sha256 } = await sim.digestBlobs(Array.from({ length: grown.chunks }, (_, chunk) => blobKey(id, chunk)));
  savePublish(sim, { ...(sim.store.get(`publish:${id}`) as unknown as Publish), media: [{ type: "video", sha256 }] });
  return new Response(null, { status: 201, headers: header });
}

// ---------------------------------------------------------------- what became of it

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** Processing ends by the clock, so the book is brought up to date whenever anybody looks. */
function settle(sim: Sim): void {
  for (const [, value] of sim.store.list("publish:")) {
    const publish = value as unknown as Publish;
    const over = publish.doneAt !== null && publish.doneAt <= sim.now() && publish.media.length > 0;
    if (!over || publish.booked || publish.failReason !== null || publish.cancelled) {
      continue;
    }
    const creator = CREATORS[publish.login];
    savePublish(sim, { ...publish, booked: true });
    const photo = publish.kind === "photo";
    sim.publish({
      id: publish.publicId,
      url: `https://${WWW}/@${creator?.username}/${photo ? "photo" : "video"}/${publish.publicId}`,
      account: creator?.openId ?? "",
      kind: publish.draft ? "draft" : publish.kind,
      text: textOf(photo ? publish.info["description"] : publish.info["title"]),
      title: photo ? textOf(publish.info["title"]) : null,
      media: publish.media,
      options: { ...publish.info, publish_id: publish.id },
      accepted_at: new Date(publish.doneAt ?? sim.now()).toISOString(),
    });
  }
}

const isPublic = (publish: Publish): boolean =>
  publish.info["privacy_level"] === "PUBLIC_TO_EVERYONE" && !publish.draft;

function moderated(sim: Sim, publish: Publish): boolean {
  const endless = sim.settings.extra["moderation_never_ends"] === true;
  return (
    publish.booked && isPublic(publish) && !endless && (publish.doneAt ?? 0) + sim.settings.verify_lag_ms <= sim.now()
  );
}

function status(sim: Sim, session: Token, body: JsonObject): Response {
  settle(sim);
  const publish = sim.store.get(`publish:${textOf(body["publish_id"])}`) as Publish | undefined;
  if (!publish) {
    return envelope(sim, 400, "invalid_publish_id", "The publish_id does not exist.");
  }
  if (publish.login !== session.login) {
    return envelope(sim, 400, "token_not_authorized_for_specified_publish_id", "The token is not of the creator.");
  }
  const bytes = { uploaded_bytes: publish.stored, downloaded_bytes: 0 };
  if (publish.cancelled) {
    return ok(sim, { status: "FAILED", fail_reason: "publish_cancelled", ...bytes });
  }
  if (publish.doneAt === null || publish.doneAt > sim.now() || (publish.failReason === null && !publish.booked)) {
    return ok(sim, { status: publish.uploadToken === null ? "PROCESSING_DOWNLOAD" : "PROCESSING_UPLOAD", ...bytes });
  }
  if (publish.failReason !== null) {
    return ok(sim, { status: "FAILED", fail_reason: publish.failReason, ...bytes });
  }
  if (publish.draft) {
    return ok(sim, { status: "SEND_TO_USER_INBOX", ...bytes });
  }
  // The id is a bare number that JavaScript cannot hold, so the answer is written by hand.
  const ids = moderated(sim, publish) ? publish.publicId : "";
  const text = JSON.stringify({
    data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["@"], ...bytes },
    error: { code: "ok", message: "", log_id: `2026${sim.id(20)}` },
  }).replace('["@"]', `[${ids}]`);
  return new Response(text, { headers: { "content-type": "application/json; charset=utf-8" } });
}

function cancel(sim: Sim, session: Token, body: JsonObject): Response {
  settle(sim);
  const publish = sim.store.get(`publish:${textOf(body["publish_id"])}`) as Publish | undefined;
  if (!publish || publish.login !== session.login) {
    return envelope(sim, 400, "invalid_publish_id", "The publish_id does not exist.");
  }
  if (publish.booked || publish.uploadToken !== null) {
    return envelope(sim, 400, "publish_not_cancellable", "The publish cannot be cancelled.");
  }
  savePublish(sim, { ...publish, cancelled: true });
  return ok(sim, {});
}

/** Public videos only, text cut at 150 characters; ids as text here. */
function listVideos(sim: Sim, session: Token, wanted: readonly JsonValue[] | null, most: number): Response {
  settle(sim);
  const found = publishes(sim, session.login)
    .filter(
      (publish) =>
        publish.kind === "video" && moderated(sim, publish) && (wanted === null || wanted.includes(publish.publicId)),
    )
    .toSorted((a, b) => (b.doneAt ?? 0) - (a.doneAt ?? 0))
    .slice(0, most);
  return ok(sim, {
    videos: found.map((publish) => ({
      id: publish.publicId,
      title: textOf(publish.info["title"]).slice(0, 150),
      video_description: textOf(publish.info["title"]).slice(0, 150),
      create_time: Math.floor((publish.doneAt ?? 0) / 1000),
      share_url: `https://${WWW}/@${CREATORS[session.login]?.username}/video/${publish.publicId}`,
    })),
    has_more: false,
    cursor: 0,
  });
}

// ---------------------------------------------------------------- routes

const SCOPE_OF: Readonly<Record<string, string>> = {
  "GET /v2/user/info/": "user.info.basic",
  "POST /v2/post/publish/creator_info/query/": "video.publish",
  "POST /v2/post/publish/video/init/": "video.publish",
  "POST /v2/post/publish/inbox/video/init/": "video.upload",
  "POST /v2/video/list/": "video.list",
  "POST /v2/video/query/": "video.list",
};

async function api(request: Request, url: URL, sim: Sim): Promise<Response> {
  const route = `${request.method} ${url.pathname.replace(/\/?$/, "/")}`;
  if (route === "POST /v2/oauth/token/") {
    return token(request, sim);
  }
  if (route === "POST /v2/oauth/revoke/") {
    return revoke(request, sim);
  }
  const session = liveToken(sim, bearer(request) ?? "", "access");
  const creator = session && CREATORS[session.login];
  if (!session || !creator) {
    return envelope(sim, 401, "access_token_invalid", "The access token is invalid or not found in the request.");
  }
  const scope = SCOPE_OF[route];
  if (scope !== undefined && !session.scopes.includes(scope)) {
    return envelope(
      sim,
      401,
      "scope_not_authorized",
      "The user did not authorize the scope required for completing this request.",
    );
  }
  if (route === "GET /v2/user/info/") {
    const profile: JsonObject = session.scopes.includes("user.info.profile") ? { username: creator.username } : {};
    return ok(sim, {
      user: {
        open_id: creator.openId,
        union_id: `u${creator.openId}`,
        avatar_url: `https://p16.tiktokcdn.com/${creator.openId}`,
        display_name: creator.nickname,
        ...profile,
      },
    });
  }
  let body: JsonObject;
  try {
    const text = await request.text();
    body = (text === "" ? {} : JSON.parse(text)) as JsonObject;
  } catch {
    return envelope(sim, 400, "invalid_params", "The body is not JSON.");
  }
  switch (route) {
    case "POST /v2/post/publish/creator_info/query/":
      return creatorInfo(sim, session, creator);
    case "POST /v2/post/publish/video/init/":
      return initVideo(sim, session, creator, body, false);
    case "POST /v2/post/publish/inbox/video/init/":
      return initVideo(sim, session, creator, body, true);
    case "POST /v2/post/publish/content/init/":
      return initPhotos(sim, session, creator, body);
    case "POST /v2/post/publish/status/fetch/":
      return overRate(sim, session, "status") ?? status(sim, session, body);
    case "POST /v2/post/publish/cancel/":
      return cancel(sim, session, body);
    case "POST /v2/video/list/":
      return listVideos(sim, session, null, Math.min(20, Number(body["max_count"] ?? 10)));
    case "POST /v2/video/query/": {
      const ids = ((body["filters"] ?? {}) as JsonObject)["video_ids"];
      return listVideos(sim, session, Array.isArray(ids) ? ids : [], 20);
    }
    default:
      return envelope(sim, 404, "unsupported_path", "The path does not exist.");
  }
}

export const simulator: Simulator = {
  platform: "tiktok",
  hosts: [WWW, API, UPLOAD],
  logins: [
    { name: "ada", accounts: ["_000ada"], description: "a public account, posting through an audited app" },
    { name: "ben", accounts: ["_000ben"], description: "a private account, posting through an app without an audit" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname === WWW) {
      return request.method === "GET" && url.pathname === "/v2/auth/authorize/"
        ? authorize(url, sim)
        : new Response("not found", { status: 404 });
    }
    if (url.hostname === UPLOAD) {
      return request.method === "PUT" ? receive(request, url, sim) : new Response("not found", { status: 404 });
    }
    return api(request, url, sim);
  },
  settle,
  revoke(account, sim) {
    const login = Object.keys(CREATORS).find((name) => name === account || CREATORS[name]?.openId === account);
    return login !== undefined && revokeLogin(sim, login);
  },
};
