import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim, Simulator } from "./contract.ts";
import { flagOf, graphError, graphSession, jsonOf, pageOf, type Params, readParams, select, textOf } from "./graph.ts";
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

/* Plays threads.net's login and graph.threads.net v1.0, by platforms/threads.md part 6. */

const DAY_MS = 86_400_000;
const SHORT_SECONDS = 3600;
const LONG_SECONDS = 5_183_944;
const VISIBLE_AFTER_MS = 3000;
const TEXT_MAX = 500;
const LINKS_MAX = 5;
const POSTS_PER_DAY = 250;
const IMAGE_MAX_BYTES = 8 * 1024 * 1024;

interface Profile {
  /** Over 2^53 and odd, so that a number loses its last digit. */
  readonly id: string;
  readonly username: string;
  readonly name: string;
}

const PROFILES: Readonly<Record<string, Profile>> = {
  ada: { id: "17841405793187219", username: "ada_threads", name: "Ada Example" },
  ben: { id: "17841405793187333", username: "ben_threads", name: "Ben Example" },
};

interface Container {
  readonly id: string;
  readonly login: string;
  readonly type: "TEXT" | "IMAGE" | "VIDEO" | "CAROUSEL";
  readonly text: string;
  readonly child: boolean;
  readonly children: readonly string[];
  readonly media: readonly { readonly type: "image" | "video"; readonly sha256: string }[];
  readonly createdAt: number;
  readonly readyAt: number;
  readonly problem: string | null;
  readonly mediaId: string | null;
}

interface Post {
  readonly id: string;
  readonly login: string;
  readonly type: Container["type"];
  readonly text: string;
  readonly shortcode: string;
  readonly at: number;
  readonly deleted: boolean;
}

const container = (sim: Sim, id: string): Container | undefined =>
  sim.store.get(`container:${id}`) as Container | undefined;

function saveContainer(sim: Sim, value: Container): void {
  sim.store.put(`container:${value.id}`, {
    ...value,
    children: [...value.children],
    media: value.media.map((item) => ({ ...item })),
  });
}

const invalid = (sim: Sim, message: string): Response =>
  graphError(sim, { code: 100, type: "THApiException", message });

const notFound = (sim: Sim, id: string): Response =>
  graphError(sim, {
    code: 24,
    subcode: 4_279_009,
    message: "The requested resource does not exist",
    title: "Media Not Found",
    userMessage: `The media with id ${id} cannot be found.`,
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
    return new Response("Invalid client_id, response_type or redirect_uri", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("Threads (sandbox)", url, simulator.logins);
  }
  const state = query.get("state") ?? "";
  if (!PROFILES[login]) {
    return redirect(redirectUri, {
      error: "access_denied",
      error_reason: "user_denied",
      error_description: "The user denied your request.",
      state,
    });
  }
  const unticked = new Set((query.get("untick") ?? "").split(","));
  const scopes = (query.get("scope") ?? "").split(",").filter((scope) => scope !== "" && !unticked.has(scope));
  return redirect(
    redirectUri,
    { code: issueCode(sim, "AQB", { login, scopes, redirectUri, challenge: null }, 3600), state },
    "#_",
  );
}

async function codeForToken(sim: Sim, params: Params): Promise<Response> {
  if (textOf(params, "client_id") !== sim.app.clientId || textOf(params, "client_secret") !== sim.app.clientSecret) {
    return graphError(sim, { code: 101, message: "Error validating client secret." });
  }
  const code = await redeemCode(sim, textOf(params, "code") ?? "", textOf(params, "redirect_uri") ?? "", null);
  if (!code || textOf(params, "grant_type") !== "authorization_code") {
    return graphError(sim, {
      code: 100,
      message: "This authorization code has been used, has expired, or does not fit the redirect_uri.",
    });
  }
  const grant = { login: code.login, scopes: code.scopes, grant: sim.id(12), extra: { long: false, at: sim.now() } };
  const accessToken = issueToken(sim, "TH", { ...grant, kind: "access" }, SHORT_SECONDS);
  // A bare number, as the platform sends it: whoever parses it as one has lost it.
  const text = JSON.stringify({ access_token: accessToken, user_id: "@" }).replace(
    '"@"',
    PROFILES[code.login]?.id ?? "0",
  );
  return new Response(text, { headers: { "content-type": "application/json" } });
}

function longToken(sim: Sim, login: Token): Response {
  return Response.json({
    access_token: issueToken(
      sim,
      "TH",
      {
        login: login.login,
        scopes: login.scopes,
        grant: login.grant,
        kind: "access",
        extra: { long: true, at: sim.now() },
      },
      LONG_SECONDS,
    ),
    token_type: "bearer",
    expires_in: sim.settings.token_lifetime_s ?? LONG_SECONDS,
  });
}

function exchange(sim: Sim, params: Params): Response {
  const short = liveToken(sim, textOf(params, "access_token") ?? "", "access");
  if (
    textOf(params, "client_secret") !== sim.app.clientSecret ||
    textOf(params, "grant_type") !== "th_exchange_token"
  ) {
    return graphError(sim, { code: 101, message: "Error validating client secret." });
  }
  return short
    ? longToken(sim, short)
    : graphError(sim, { status: 401, code: 190, subcode: 463, message: "Session has expired." });
}

function refresh(sim: Sim, params: Params): Response {
  const known = liveToken(sim, textOf(params, "access_token") ?? "", "access");
  if (!known || textOf(params, "grant_type") !== "th_refresh_token") {
    return graphError(sim, {
      status: 401,
      code: 190,
      subcode: 463,
      message: "Error validating access token: Session has expired.",
    });
  }
  const age = sim.now() - Number(known.extra["at"]);
  return known.extra["long"] !== true || (age < DAY_MS && sim.settings.token_lifetime_s === null)
    ? graphError(sim, { code: 100, message: "The access token must be a long-lived one and at least 24 hours old." })
    : longToken(sim, known);
}

function debugToken(sim: Sim, params: Params): Response {
  const secret = textOf(params, "input_token") ?? "";
  const known = sim.store.get(`token:${secret}`) as Token | undefined;
  return Response.json({
    data: {
      type: "USER",
      application: "sandbox",
      is_valid: liveToken(sim, secret, "access") !== undefined,
      expires_at: known?.expiresAt ? Math.floor(known.expiresAt / 1000) : 0,
      scopes: known ? [...known.scopes] : [],
      user_id: PROFILES[known?.login ?? ""]?.id ?? "0",
    },
  });
}

// ---------------------------------------------------------------- text

/** Every emoji costs its UTF-8 bytes, every other character one. */
function countText(text: string): number {
  let count = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)) {
    count += /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(segment)
      ? new TextEncoder().encode(segment).length
      : [...segment].length;
  }
  return count;
}

function textProblem(sim: Sim, text: string): Response | null {
  if (countText(text) > TEXT_MAX) {
    return invalid(sim, "Param text must be at most 500 characters long.");
  }
  const links = new Set(Array.from(text.matchAll(/https?:\/\/\S+/g), (match) => match[0]));
  return links.size > LINKS_MAX ? invalid(sim, "THREADS_API__LINK_LIMIT_EXCEEDED") : null;
}

// ---------------------------------------------------------------- containers

async function look(sim: Sim, type: "IMAGE" | "VIDEO", url: string): Promise<Pick<Container, "media" | "problem">> {
  const response = URL.canParse(url) ? await sim.pull(url, { "user-agent": "facebookexternalhit/1.1" }) : null;
  if (!response?.ok || !response.body) {
    return { media: [], problem: type === "VIDEO" ? "FAILED_DOWNLOADING_VIDEO" : "UNKNOWN" };
  }
  const { sha256, size, head } = await sim.digest(response.body);
  const latin = new TextDecoder("latin1").decode(head.subarray(0, 16));
  if (type === "IMAGE") {
    const known = latin.startsWith("\u00FF\u00D8") || latin.startsWith("\u0089PNG");
    return { media: [{ type: "image", sha256 }], problem: known && size <= IMAGE_MAX_BYTES ? null : "UNKNOWN" };
  }
  return {
    media: [{ type: "video", sha256 }],
    problem: latin.slice(4, 8) === "ftyp" ? null : "FAILED_PROCESSING_VIDEO",
  };
}

async function createContainer(sim: Sim, session: Token, params: Params): Promise<Response> {
  const type = textOf(params, "media_type");
  const text = textOf(params, "text") ?? "";
  const child = flagOf(params, "is_carousel_item") === true;
  const wrong = textProblem(sim, text);
  if (wrong) {
    return wrong;
  }
  const base = {
    id: sim.id(17),
    login: session.login,
    text,
    child,
    children: [],
    media: [],
    createdAt: sim.now(),
    readyAt: sim.now(),
    problem: null,
    mediaId: null,
  };
  if (type === "TEXT") {
    if (text.trim() === "") {
      return invalid(sim, "Param text is required for TEXT.");
    }
    saveContainer(sim, { ...base, type });
    return Response.json({ id: base.id });
  }
  if (type === "IMAGE" || type === "VIDEO") {
    const url = textOf(params, type === "IMAGE" ? "image_url" : "video_url");
    if (url === null || (child && text !== "")) {
      return invalid(sim, url === null ? `${type} needs its URL.` : "A carousel item has no text.");
    }
    const readyAt = sim.now() + sim.settings.processing_ms;
    saveContainer(sim, { ...base, type, readyAt, ...(await look(sim, type, url)) });
    return Response.json({ id: base.id });
  }
  if (type === "CAROUSEL") {
    const given = jsonOf(params, "children");
    const ids = Array.isArray(given) ? given.map(String) : typeof given === "string" ? given.split(",") : [];
    const children = ids.map((id) => container(sim, id));
    if (ids.length < 2 || ids.length > 20) {
      return invalid(sim, "A carousel takes 2 to 20 children.");
    }
    const unfit = children.some(
      (one) => !one?.child || one.login !== session.login || statusOf(sim, one) !== "FINISHED",
    );
    if (unfit) {
      return invalid(sim, "Every child must be a FINISHED carousel item of this user.");
    }
    saveContainer(sim, { ...base, type, children: ids, media: children.flatMap((one) => one?.media ?? []) });
    return Response.json({ id: base.id });
  }
  return invalid(sim, "Param media_type must be one of TEXT, IMAGE, VIDEO, CAROUSEL.");
}

function statusOf(sim: Sim, value: Container): string {
  if (value.mediaId !== null) {
    return "PUBLISHED";
  }
  if (value.createdAt + DAY_MS <= sim.now()) {
    return "EXPIRED";
  }
  if (value.readyAt > sim.now()) {
    return "IN_PROGRESS";
  }
  return value.problem === null ? "FINISHED" : "ERROR";
}

const publishedToday = (sim: Sim, login: string): number =>
  posts(sim).filter((post) => post.login === login && post.at > sim.now() - DAY_MS).length;

const posts = (sim: Sim): readonly Post[] => sim.store.list("post:").map(([, post]) => post as unknown as Post);

function publish(sim: Sim, session: Token, params: Params): Response {
  const id = textOf(params, "creation_id") ?? "";
  const value = container(sim, id);
  const lag = sim.settings.extra["visibility_ms"];
  const visible = value && value.createdAt + (typeof lag === "number" ? lag : VISIBLE_AFTER_MS) <= sim.now();
  if (!value || value.login !== session.login || !visible || sim.settings.extra["lost_containers"] === true) {
    return notFound(sim, id);
  }
  if (value.child || value.mediaId !== null || statusOf(sim, value) !== "FINISHED") {
    return notFound(sim, id);
  }
  if (publishedToday(sim, session.login) >= (sim.settings.quota ?? POSTS_PER_DAY)) {
    return graphError(sim, {
      code: 9,
      subcode: 2_207_042,
      message: "The user has reached the maximum number of posts per day.",
    });
  }
  const profile = PROFILES[session.login];
  const post: Post = {
    id: sim.id(17),
    login: session.login,
    type: value.type,
    text: value.text,
    shortcode: sim.secret("D").replaceAll(/\W/g, "").slice(0, 11),
    at: sim.now(),
    deleted: false,
  };
  sim.store.put(`post:${post.id}`, { ...post });
  saveContainer(sim, { ...value, mediaId: post.id });
  sim.publish({
    id: post.id,
    url: permalink(post),
    account: profile?.id ?? "",
    kind: value.type.toLowerCase(),
    text: value.text,
    title: null,
    media: value.media,
    options: {},
    accepted_at: new Date(post.at).toISOString(),
  });
  return Response.json({ id: post.id });
}

const permalink = (post: Post): string =>
  `https://www.threads.com/@${PROFILES[post.login]?.username}/post/${post.shortcode}`;

const READ_TYPES: Readonly<Record<Container["type"], string>> = {
  TEXT: "TEXT_POST",
  IMAGE: "IMAGE",
  VIDEO: "VIDEO",
  CAROUSEL: "CAROUSEL_ALBUM",
};

const postJson = (post: Post): JsonObject => ({
  id: post.id,
  text: post.text,
  media_type: READ_TYPES[post.type],
  permalink: permalink(post),
  shortcode: post.shortcode,
  timestamp: new Date(post.at).toISOString().replace(/\.\d+Z$/, "+0000"),
  username: PROFILES[post.login]?.username ?? "",
});

function list(sim: Sim, session: Token, url: URL): Response {
  const since = Number(url.searchParams.get("since") ?? "0") * 1000;
  const found = posts(sim)
    .filter((post) => post.login === session.login && !post.deleted && post.at >= since)
    .filter((post) => post.at + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.at - a.at)
    .map((post) => select(postJson(post), url.searchParams.get("fields")));
  return pageOf(url, found, 25);
}

function readOne(sim: Sim, session: Token, id: string, fields: string | null): Response {
  const value = container(sim, id);
  if (value?.login === session.login) {
    const problem: Record<string, JsonValue> = value.problem === null ? {} : { error_message: value.problem };
    return Response.json(select({ id, status: statusOf(sim, value), ...problem }, fields));
  }
  const post = sim.store.get(`post:${id}`) as Post | undefined;
  if (!post || post.deleted || post.login !== session.login) {
    return notFound(sim, id);
  }
  const object = postJson(post);
  const missing = (fields ?? "").split(",").find((field) => field !== "" && !(field in object));
  return missing === undefined
    ? Response.json(select(object, fields))
    : invalid(sim, `Tried accessing nonexisting field (${missing})`);
}

// ---------------------------------------------------------------- routes

async function graph(request: Request, url: URL, sim: Sim): Promise<Response> {
  let params: Params;
  try {
    params = await readParams(request, url);
  } catch {
    return invalid(sim, "The body cannot be parsed.");
  }
  switch (`${request.method} ${url.pathname}`) {
    case "POST /oauth/access_token":
      return codeForToken(sim, params);
    case "GET /access_token":
      return exchange(sim, params);
    case "GET /refresh_access_token":
      return refresh(sim, params);
    case "GET /debug_token":
      return debugToken(sim, params);
    default:
  }
  const [, version, rawNode = "", edge] = url.pathname.split("/");
  if (version !== "v1.0") {
    return graphError(sim, { code: 2635, message: "You are calling a deprecated or unknown version." });
  }
  const session = graphSession(sim, request, params);
  if (session instanceof Response) {
    return session;
  }
  const own = PROFILES[session.login];
  const node = rawNode === "me" ? (own?.id ?? "") : rawNode;
  const fields = url.searchParams.get("fields");
  const need = (scope: string): Response | null =>
    session.scopes.includes(scope)
      ? null
      : graphError(sim, {
          status: 403,
          code: 10,
          message: `Application does not have permission for this action: ${scope}`,
        });
  const basic = need("threads_basic");
  if (basic) {
    return basic;
  }
  if (node !== own?.id) {
    if (request.method === "GET") {
      return readOne(sim, session, node, fields);
    }
    const post = sim.store.get(`post:${node}`) as Post | undefined;
    if (request.method !== "DELETE" || !post || post.login !== session.login) {
      return notFound(sim, node);
    }
    const refused = need("threads_delete");
    if (refused) {
      return refused;
    }
    sim.store.put(`post:${node}`, { ...post, deleted: true });
    return Response.json({ success: true, deleted_id: node });
  }
  switch (`${request.method} ${edge ?? ""}`) {
    case "GET ":
      return Response.json(
        select(
          {
            id: own.id,
            username: own.username,
            name: own.name,
            threads_profile_picture_url: `https://scontent.threads.net/${own.username}.jpg`,
            threads_biography: "",
            is_verified: false,
          },
          fields,
        ),
      );
    case "POST threads":
      return need("threads_content_publish") ?? createContainer(sim, session, params);
    case "POST threads_publish":
      return need("threads_content_publish") ?? publish(sim, session, params);
    case "GET threads":
      return list(sim, session, url);
    case "GET threads_publishing_limit":
      return Response.json({
        data: [
          {
            quota_usage: publishedToday(sim, session.login),
            config: { quota_total: sim.settings.quota ?? POSTS_PER_DAY, quota_duration: 86_400 },
          },
        ],
      });
    default:
      return invalid(sim, `Unknown path components: /${edge}`);
  }
}

export const simulator: Simulator = {
  platform: "threads",
  hosts: ["threads.net", "www.threads.net", "threads.com", "www.threads.com", "graph.threads.net", "graph.threads.com"],
  logins: [
    { name: "ada", accounts: ["17841405793187219"], description: "a profile" },
    { name: "ben", accounts: ["17841405793187333"], description: "another profile" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname.startsWith("graph.")) {
      return graph(request, url, sim);
    }
    return request.method === "GET" && url.pathname === "/oauth/authorize"
      ? authorize(url, sim)
      : new Response("not found", { status: 404 });
  },
  revoke(account, sim) {
    const login = Object.keys(PROFILES).find((name) => name === account || PROFILES[name]?.id === account);
    return login !== undefined && revokeLogin(sim, login);
  },
};
