import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim, Simulator } from "./contract.ts";
import {
  flagOf,
  graphError,
  graphSession,
  jsonOf,
  pageOf,
  type Params,
  readParams,
  select,
  textOf,
  withUsage,
} from "./graph.ts";
import {
  consentPage,
  issueCode,
  issueToken,
  liveToken,
  redeemCode,
  redirect,
  revokeLogin,
  type Token,
} from "./grants.ts";

/* Plays the Facebook dialog, the Graph API's Page edges and rupload, by platforms/facebook.md part 6. */

const VERSIONS = /^v(?:21|22|23|24|25|26)\.0$/;
const LONG_SECONDS = 5_183_944;
const SHORT_SECONDS = 5400;
const DAY_MS = 86_400_000;
const REELS_PER_DAY = 30;
const MESSAGE_MAX = 63_206;
const CRAWLER = "facebookexternalhit/1.1";

interface Page {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly tasks: readonly string[];
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly pages: readonly Page[];
}

const PEOPLE: Readonly<Record<string, Person>> = {
  ada: {
    id: "122100000000000001",
    name: "Ada Example",
    pages: [
      {
        id: "110011001100110",
        name: "Shop",
        username: "shop",
        tasks: ["ANALYZE", "CREATE_CONTENT", "MODERATE", "MANAGE"],
      },
      { id: "110011001100220", name: "Workshop", username: "workshop", tasks: ["ANALYZE", "CREATE_CONTENT"] },
      { id: "110011001100330", name: "Read only", username: "readonly", tasks: ["ANALYZE"] },
    ],
  },
  ben: { id: "122100000000000002", name: "Ben Example", pages: [] },
};

interface Post {
  readonly id: string;
  readonly page: string;
  readonly message: string;
  readonly link: string | null;
  readonly photos: readonly string[];
  readonly at: number;
  readonly deleted: boolean;
}

interface Photo {
  readonly id: string;
  readonly page: string;
  readonly sha256: string;
  readonly published: boolean;
}

interface Video {
  readonly id: string;
  readonly page: string;
  readonly kind: "reel" | "video";
  readonly sha256: string | null;
  readonly uploadedAt: number | null;
  readonly finishedAt: number | null;
  readonly description: string;
  readonly title: string | null;
  readonly labels: JsonValue;
  readonly universalId: string | null;
  readonly problem: { readonly code: number; readonly message: string } | null;
  readonly booked: boolean;
}

const saveVideo = (sim: Sim, video: Video): void =>
  sim.store.put(`video:${video.id}`, { ...video, problem: video.problem === null ? null : { ...video.problem } });

const permission = (sim: Sim, message: string): Response =>
  graphError(sim, { status: 403, code: 200, message: `(#200) ${message}` });

const invalid = (sim: Sim, message: string): Response => graphError(sim, { code: 100, message: `(#100) ${message}` });

const missing = (sim: Sim, id: string): Response =>
  graphError(sim, {
    code: 100,
    subcode: 33,
    message: `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
  });

// ---------------------------------------------------------------- login

function dialog(url: URL, sim: Sim): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (query.get("client_id") !== sim.app.clientId || !URL.canParse(redirectUri)) {
    return new Response("Invalid app id or redirect_uri", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Facebook (sandbox)", url, simulator.logins);
  }
  const state = query.get("state") ?? "";
  if (!PEOPLE[login]) {
    return redirect(redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "Permissions error",
      state,
    });
  }
  const unticked = new Set((query.get("untick") ?? "").split(","));
  const scopes = (query.get("scope") ?? "").split(",").filter((scope) => scope !== "" && !unticked.has(scope));
  return redirect(
    redirectUri,
    { code: issueCode(sim, "AQ", { login, scopes, redirectUri, challenge: null }, 600), state },
    "#_=_",
  );
}

async function accessToken(sim: Sim, params: Params): Promise<Response> {
  if (textOf(params, "client_id") !== sim.app.clientId || textOf(params, "client_secret") !== sim.app.clientSecret) {
    return graphError(sim, { code: 1, message: "Error validating client secret." });
  }
  const answer = (grant: Omit<Token, "kind" | "expiresAt" | "revoked">, seconds: number): Response =>
    Response.json({
      access_token: issueToken(sim, "EAA", { ...grant, kind: "access" }, seconds),
      token_type: "bearer",
      expires_in: sim.settings.token_lifetime_s ?? seconds,
    });
  const kind = textOf(params, "grant_type");
  if (kind === "fb_exchange_token") {
    const known = liveToken(sim, textOf(params, "fb_exchange_token") ?? "", "access");
    return known
      ? answer({ login: known.login, scopes: known.scopes, grant: known.grant, extra: { long: true } }, LONG_SECONDS)
      : graphError(sim, { code: 190, subcode: 463, message: "Error validating access token: Session has expired." });
  }
  if (kind === "client_credentials") {
    return Response.json({ access_token: `${sim.app.clientId}|sandbox`, token_type: "bearer" });
  }
  const code = await redeemCode(sim, textOf(params, "code") ?? "", textOf(params, "redirect_uri") ?? "", null);
  return code
    ? answer({ login: code.login, scopes: code.scopes, grant: sim.id(12), extra: { long: false } }, SHORT_SECONDS)
    : graphError(sim, { code: 100, subcode: 36_009, message: "This authorization code has been used." });
}

function debugToken(sim: Sim, params: Params): Response {
  const secret = textOf(params, "input_token") ?? "";
  const known = sim.store.get(`token:${secret}`) as Token | undefined;
  return Response.json({
    data: {
      app_id: sim.app.clientId,
      type: known?.extra["page"] === undefined ? "USER" : "PAGE",
      is_valid: liveToken(sim, secret, "access") !== undefined,
      expires_at: known?.expiresAt ? Math.floor(known.expiresAt / 1000) : 0,
      scopes: known ? [...known.scopes] : [],
    },
  });
}

// ---------------------------------------------------------------- the person

function pageJson(sim: Sim, session: Token, page: Page): JsonObject {
  // A Page token from a long-lived user token has no expiry; from a short one it dies with it.
  const long = session.extra["long"] === true;
  const left = session.expiresAt === null ? null : Math.floor((session.expiresAt - sim.now()) / 1000);
  const key = `page-token:${session.grant}:${page.id}:${long ? "long" : "short"}`;
  let secret = sim.store.get<string>(key);
  if (secret === undefined || !liveToken(sim, secret, "access")) {
    const base = { login: session.login, scopes: session.scopes, grant: session.grant, kind: "access" as const };
    secret = issueToken(sim, "EAAPage", { ...base, extra: { page: page.id } }, long ? null : left);
    sim.store.put(key, secret);
  }
  return {
    id: page.id,
    name: page.name,
    username: page.username,
    access_token: secret,
    tasks: [...page.tasks],
    picture: { data: { url: `https://scontent.example/${page.username}.jpg` } },
  };
}

function me(request: Request, url: URL, sim: Sim, session: Token, edge: string | undefined): Response {
  const person = PEOPLE[session.login];
  const fields = url.searchParams.get("fields");
  switch (`${request.method} ${edge ?? ""}`) {
    case "GET ":
      return Response.json(
        select(
          {
            id: person?.id ?? "",
            name: person?.name ?? "",
            picture: { data: { url: "https://scontent.example/me.jpg" } },
          },
          fields,
        ),
      );
    case "GET permissions":
      return Response.json({
        data: session.scopes.map((permissionName) => ({ permission: permissionName, status: "granted" })),
      });
    case "DELETE permissions":
      revokeLogin(sim, session.login);
      return Response.json({ success: true });
    case "GET accounts":
      return session.scopes.includes("pages_show_list")
        ? pageOf(
            url,
            (person?.pages ?? []).map((page) => select(pageJson(sim, session, page), fields)),
            25,
          )
        : permission(sim, "Requires pages_show_list permission");
    case "GET businesses":
      return Response.json({ data: [] });
    default:
      return invalid(sim, `Unknown path components: /${edge}`);
  }
}

// ---------------------------------------------------------------- what stands on a Page

const posts = (sim: Sim): readonly Post[] => sim.store.list("post:").map(([, post]) => post as unknown as Post);

const fbInstant = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "+0000");

function postJson(sim: Sim, post: Post): JsonObject {
  const targets = post.photos.map((id) => ({ target: { id } }));
  return {
    id: post.id,
    message: post.message,
    created_time: fbInstant(post.at),
    permalink_url: `https://www.facebook.com/${post.id}`,
    is_published: true,
    status_type: post.photos.length > 0 ? "added_photos" : "mobile_status_update",
    application: { id: sim.app.clientId, name: "sandbox" },
    attachments: targets.length > 1 ? { data: [{ subattachments: { data: targets } }] } : { data: targets },
  };
}

function addPost(
  sim: Sim,
  page: string,
  message: string,
  link: string | null,
  photos: readonly Photo[],
  kind: string,
): Post {
  const post: Post = {
    id: `${page}_${sim.id(15)}`,
    page,
    message,
    link,
    photos: photos.map((photo) => photo.id),
    at: sim.now(),
    deleted: false,
  };
  sim.store.put(`post:${post.id}`, { ...post, photos: [...post.photos] });
  sim.publish({
    id: post.id,
    url: `https://www.facebook.com/${post.id}`,
    account: page,
    kind,
    text: message,
    title: null,
    media: photos.map((photo) => ({ type: "image", sha256: photo.sha256 })),
    options: { link },
    accepted_at: new Date(post.at).toISOString(),
  });
  return post;
}

function messageProblem(sim: Sim, page: string, message: string): Response | null {
  if (message.length > MESSAGE_MAX) {
    return invalid(sim, "Param message is too long.");
  }
  const last = posts(sim)
    .filter((post) => post.page === page && !post.deleted)
    .toSorted((a, b) => b.at - a.at)[0];
  return message !== "" && last?.message === message && last.photos.length === 0
    ? graphError(sim, { code: 506, message: "Duplicate status message" })
    : null;
}

function feed(sim: Sim, page: string, params: Params): Response {
  const message = textOf(params, "message") ?? "";
  const link = textOf(params, "link");
  const listed = jsonOf(params, "attached_media");
  const indexed = Array.from({ length: 80 }, (_, at) => jsonOf(params, `attached_media[${at}]`)).filter(
    (one) => one !== undefined,
  );
  const attached = (Array.isArray(listed) ? listed : indexed) as readonly JsonObject[];
  const photos: Photo[] = [];
  for (const one of attached) {
    const id = one["media_fbid"];
    const photo = sim.store.get(`photo:${typeof id === "string" ? id : ""}`) as Photo | undefined;
    if (!photo || photo.page !== page || photo.published) {
      return invalid(sim, `Param attached_media: ${JSON.stringify(id)} is not an unpublished photo of the Page`);
    }
    photos.push(photo);
  }
  if (message === "" && link === null && photos.length === 0) {
    return invalid(sim, "Param message, link or attached_media is required");
  }
  const wrong = photos.length === 0 ? messageProblem(sim, page, message) : null;
  if (wrong) {
    return wrong;
  }
  for (const photo of photos) {
    sim.store.put(`photo:${photo.id}`, { ...photo, published: true });
  }
  const post = addPost(
    sim,
    page,
    message,
    link,
    photos,
    photos.length > 1 ? "carousel" : photos.length === 1 ? "image" : "text",
  );
  return Response.json(select(postJson(sim, post), textOf(params, "fields") ?? "id"));
}

async function photo(sim: Sim, page: string, params: Params): Promise<Response> {
  const url = textOf(params, "url");
  const published = flagOf(params, "published") !== false;
  const response = url !== null && URL.canParse(url) ? await sim.pull(url, { "user-agent": CRAWLER }) : null;
  if (!response?.ok || !response.body) {
    return graphError(sim, { code: 100, subcode: 2_061_006, message: "(#100) The url could not be fetched" });
  }
  const { sha256, head } = await sim.digest(response.body);
  const latin = new TextDecoder("latin1").decode(head.subarray(0, 12));
  const known =
    latin.startsWith("\u00FF\u00D8") ||
    latin.startsWith("\u0089PNG") ||
    latin.startsWith("GIF8") ||
    latin.endsWith("WEBP");
  if (!known) {
    return graphError(sim, { code: 324, subcode: 1_366_046, message: "(#324) Missing or invalid image file" });
  }
  const added: Photo = { id: sim.id(15), page, sha256, published };
  sim.store.put(`photo:${added.id}`, { ...added });
  if (!published) {
    return Response.json({ id: added.id });
  }
  const post = addPost(sim, page, textOf(params, "message") ?? "", null, [added], "image");
  return Response.json({ id: added.id, post_id: post.id });
}

// ---------------------------------------------------------------- videos

function newVideo(sim: Sim, page: string, kind: Video["kind"], rest: Partial<Video> = {}): Video {
  return {
    id: sim.id(16),
    page,
    kind,
    sha256: null,
    uploadedAt: null,
    finishedAt: null,
    description: "",
    title: null,
    labels: null,
    universalId: null,
    problem: null,
    booked: false,
    ...rest,
  };
}

const videos = (sim: Sim): readonly Video[] => sim.store.list("video:").map(([, video]) => video as unknown as Video);

function reels(sim: Sim, page: string, params: Params, version: string): Response {
  const phase = textOf(params, "upload_phase");
  if (phase === "start") {
    const recent = videos(sim).filter(
      (video) => video.page === page && video.kind === "reel" && (video.finishedAt ?? 0) > sim.now() - DAY_MS,
    );
    if (recent.length >= (sim.settings.quota ?? REELS_PER_DAY)) {
      return graphError(sim, {
        code: 613,
        message: "(#613) Calls to this api have exceeded the rate limit of reels per day.",
      });
    }
    const video = newVideo(sim, page, "reel");
    saveVideo(sim, video);
    return Response.json({
      video_id: video.id,
      upload_url: `https://rupload.facebook.com/video-upload/${version}/${video.id}`,
    });
  }
  if (phase === "finish") {
    const video = sim.store.get(`video:${textOf(params, "video_id") ?? ""}`) as Video | undefined;
    if (!video || video.page !== page) {
      return missing(sim, textOf(params, "video_id") ?? "");
    }
    if (video.uploadedAt === null) {
      return graphError(sim, { code: 6000, message: "There was a problem uploading your video file." });
    }
    if (textOf(params, "video_state") !== "PUBLISHED") {
      return invalid(sim, "Param video_state must be PUBLISHED");
    }
    if (video.finishedAt === null) {
      saveVideo(sim, {
        ...video,
        finishedAt: sim.now(),
        description: textOf(params, "description") ?? "",
        title: textOf(params, "title"),
      });
    }
    return Response.json({ success: true });
  }
  return invalid(sim, "Param upload_phase must be start or finish");
}

const ruploadError = (type: string, message: string): Response =>
  Response.json({ debug_info: { retriable: false, type, message } }, { status: 400 });

async function rupload(request: Request, url: URL, sim: Sim): Promise<Response> {
  const id = url.pathname.split("/").at(-1) ?? "";
  const secret = /^OAuth (?<token>\S+)$/.exec(request.headers.get("authorization") ?? "")?.groups?.["token"] ?? "";
  const session = liveToken(sim, secret, "access");
  const video = sim.store.get(`video:${id}`) as Video | undefined;
  if (!session || !video || session.extra["page"] !== video.page) {
    return ruploadError("NotAuthorizedError", "The token may not upload to this video");
  }
  const fileUrl = request.headers.get("file_url");
  let body = request.body;
  if (fileUrl !== null) {
    if (sim.settings.extra["refuse_file_url"] === true) {
      return ruploadError("ParameterValidationError", "Header Offset not convertable");
    }
    const robots = sim.settings.extra["robots_deny"] === true;
    const response = robots || !URL.canParse(fileUrl) ? null : await sim.pull(fileUrl, { "user-agent": CRAWLER });
    body = response?.ok ? response.body : null;
  } else if (
    request.headers.get("offset") !== "0" ||
    request.headers.get("file_size") !== request.headers.get("content-length")
  ) {
    return ruploadError("OffsetInvalidError", "offset must be 0 and file_size the length of the body");
  }
  if (!body) {
    return ruploadError("ProcessingFailedError", "The file could not be fetched");
  }
  const { sha256, head } = await sim.digest(body);
  const mp4 = new TextDecoder("latin1").decode(head.subarray(4, 8)) === "ftyp";
  const code = sim.settings.extra["processing_error"];
  const chosen = typeof code === "number" ? { code, message: `Processing failed (${code})` } : null;
  const problem = mp4 ? chosen : { code: 352, message: "Video format not supported" };
  saveVideo(sim, { ...video, sha256, uploadedAt: sim.now(), problem });
  return Response.json({ success: true });
}

async function timelineVideo(sim: Sim, page: string, params: Params): Promise<Response> {
  const url = textOf(params, "file_url");
  const response = url !== null && URL.canParse(url) ? await sim.pull(url, { "user-agent": CRAWLER }) : null;
  if (!response?.ok || !response.body) {
    return graphError(sim, { code: 389, message: "(#389) Unable to fetch video file from URL." });
  }
  const { sha256, head } = await sim.digest(response.body);
  if (new TextDecoder("latin1").decode(head.subarray(4, 8)) !== "ftyp") {
    return graphError(sim, {
      code: 352,
      message: "(#352) The video file you selected is in a format that we don't support.",
    });
  }
  const video = newVideo(sim, page, "video", {
    sha256,
    uploadedAt: sim.now(),
    finishedAt: sim.now(),
    description: textOf(params, "description") ?? "",
    title: textOf(params, "title"),
    labels: jsonOf(params, "custom_labels") ?? null,
    universalId: textOf(params, "universal_video_id"),
  });
  saveVideo(sim, video);
  return Response.json({ id: video.id });
}

const isLive = (sim: Sim, video: Video): boolean =>
  video.finishedAt !== null && video.problem === null && video.finishedAt + sim.settings.processing_ms <= sim.now();

function settle(sim: Sim): void {
  for (const video of videos(sim)) {
    if (video.booked || !isLive(sim, video) || video.sha256 === null) {
      continue;
    }
    saveVideo(sim, { ...video, booked: true });
    sim.publish({
      id: video.id,
      url: videoUrl(video),
      account: video.page,
      kind: video.kind,
      text: video.description,
      title: video.title,
      media: [{ type: "video", sha256: video.sha256 }],
      options: { placement: video.kind === "reel" ? "reels" : "timeline" },
      accepted_at: new Date(video.finishedAt ?? sim.now()).toISOString(),
    });
  }
}

const videoUrl = (video: Video): string =>
  video.kind === "reel"
    ? `https://www.facebook.com/reel/${video.id}`
    : `https://www.facebook.com/${video.page}/videos/${video.id}/`;

function videoJson(sim: Sim, video: Video): JsonObject {
  const live = isLive(sim, video);
  const uploaded = video.uploadedAt !== null;
  const processed = uploaded && (video.uploadedAt ?? 0) + sim.settings.processing_ms <= sim.now();
  const failed = video.problem !== null && processed;
  const word = failed
    ? "error"
    : live
      ? "ready"
      : uploaded
        ? processed
          ? "upload_complete"
          : "processing"
        : "uploading";
  const problems: JsonObject =
    failed && video.problem ? { errors: [{ code: video.problem.code, message: video.problem.message }] } : {};
  return {
    id: video.id,
    status: {
      video_status: word,
      uploading_phase: { status: uploaded ? "complete" : "not_started", bytes_transferred: 0 },
      processing_phase: {
        status: failed ? "error" : processed ? "complete" : uploaded ? "in_progress" : "not_started",
        ...problems,
      },
      publishing_phase: {
        status: live ? "complete" : video.finishedAt === null ? "not_started" : "in_progress",
        ...(live && { publish_status: "published", publish_time: Math.floor((video.finishedAt ?? 0) / 1000) }),
      },
    },
    published: live,
    description: video.description,
    created_time: fbInstant(video.finishedAt ?? video.uploadedAt ?? sim.now()),
    permalink_url: video.kind === "reel" ? `/reel/${video.id}/` : `/${video.page}/videos/${video.id}/`,
    custom_labels: video.labels,
    universal_video_id: video.universalId,
  };
}

// ---------------------------------------------------------------- routes

function pageEdge(
  request: Request,
  url: URL,
  sim: Sim,
  page: string,
  edge: string,
  params: Params,
): Response | Promise<Response> {
  const fields = url.searchParams.get("fields");
  const version = url.pathname.split("/")[1] ?? "";
  switch (`${request.method} ${edge}`) {
    case "POST feed":
      return feed(sim, page, params);
    case "POST photos":
      return photo(sim, page, params);
    case "POST video_reels":
      return reels(sim, page, params, version);
    case "POST videos":
      return timelineVideo(sim, page, params);
    case "GET published_posts": {
      const since = Number(url.searchParams.get("since") ?? "0") * 1000;
      const found = posts(sim)
        .filter(
          (post) =>
            post.page === page &&
            !post.deleted &&
            post.at >= since &&
            post.at + sim.settings.verify_lag_ms <= sim.now(),
        )
        .toSorted((a, b) => b.at - a.at)
        .map((post) => select(postJson(sim, post), fields));
      return pageOf(url, found, 25);
    }
    case "GET videos": {
      const found = videos(sim)
        .filter((video) => video.page === page && isLive(sim, video))
        .toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0))
        .map((video) => select(videoJson(sim, video), fields));
      return pageOf(url, found, 25);
    }
    default:
      return invalid(sim, `Unknown path components: /${edge}`);
  }
}

function node(request: Request, url: URL, sim: Sim, session: Token, id: string): Response {
  const fields = url.searchParams.get("fields");
  const page = session.extra["page"];
  const post = sim.store.get(`post:${id}`) as Post | undefined;
  if (post && !post.deleted && post.page === page) {
    if (request.method === "DELETE") {
      sim.store.put(`post:${id}`, { ...post, photos: [...post.photos], deleted: true });
      return Response.json({ success: true });
    }
    return Response.json(select(postJson(sim, post), fields));
  }
  const video = sim.store.get(`video:${id}`) as Video | undefined;
  if (video && video.page === page) {
    return Response.json(select(videoJson(sim, video), fields));
  }
  const one = sim.store.get(`photo:${id}`) as Photo | undefined;
  if (one && one.page === page) {
    if (request.method === "DELETE") {
      sim.store.delete(`photo:${id}`);
      return Response.json({ success: true });
    }
    return Response.json(select({ id, link: `https://www.facebook.com/photo/?fbid=${id}` }, fields));
  }
  return missing(sim, id);
}

const PUBLISHING_SCOPES = ["pages_manage_posts", "pages_read_engagement"];

async function graph(request: Request, url: URL, sim: Sim): Promise<Response> {
  const [, version = "", id = "", edge] = url.pathname.split("/");
  if (!VERSIONS.test(version)) {
    return graphError(sim, { code: 2635, message: "You are calling a deprecated version of the API." });
  }
  let params: Params;
  try {
    params = await readParams(request, url);
  } catch {
    return invalid(sim, "The body cannot be parsed.");
  }
  if (id === "oauth" && edge === "access_token") {
    return accessToken(sim, params);
  }
  if (id === "debug_token") {
    return debugToken(sim, params);
  }
  const session = graphSession(sim, request, params);
  if (session instanceof Response) {
    return session;
  }
  const person = PEOPLE[session.login];
  if (session.extra["page"] === undefined && (id === "me" || id === person?.id)) {
    return me(request, url, sim, session, edge);
  }
  settle(sim);
  if (edge === undefined) {
    return node(request, url, sim, session, id);
  }
  if (session.extra["page"] !== id) {
    return permission(sim, "A Page access token of this Page is required to publish to it.");
  }
  const lacking = PUBLISHING_SCOPES.find((scope) => !session.scopes.includes(scope));
  if (lacking !== undefined) {
    return permission(sim, `Requires ${lacking} permission`);
  }
  return withUsage(await pageEdge(request, url, sim, id, edge, params), id, "pages");
}

export const simulator: Simulator = {
  platform: "facebook",
  hosts: ["www.facebook.com", "graph.facebook.com", "graph-video.facebook.com", "rupload.facebook.com"],
  logins: [
    {
      name: "ada",
      accounts: ["110011001100110", "110011001100220"],
      description: "two Pages she may post to, one she may only read",
    },
    { name: "ben", accounts: [], description: "a person without a Page" },
  ],
  settle,
  async handle(request, sim) {
    const url = new URL(request.url);
    switch (url.hostname) {
      case "www.facebook.com":
        return request.method === "GET" && /^\/v\d+\.0\/dialog\/oauth$/.test(url.pathname)
          ? dialog(url, sim)
          : new Response("not found", { status: 404 });
      case "rupload.facebook.com":
        return request.method === "POST" ? rupload(request, url, sim) : new Response("not found", { status: 404 });
      default:
        return graph(request, url, sim);
    }
  },
  revoke(account, sim) {
    const login = Object.keys(PEOPLE).find(
      (name) =>
        name === account || PEOPLE[name]?.id === account || PEOPLE[name]?.pages.some((page) => page.id === account),
    );
    return login !== undefined && revokeLogin(sim, login);
  },
};
