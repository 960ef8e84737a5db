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
import { readLittleText } from "./little-text.ts";

/* Plays www.linkedin.com (login, uploads) and api.linkedin.com (versioned REST), by platforms/linkedin.md part 6. */

const WWW = "www.linkedin.com";
const API = "api.linkedin.com";
const PART = 4 * 1024 * 1024;
const ACCESS_SECONDS = 5_184_000;
const REFRESH_SECONDS = 31_536_000;
const COMMENTARY_MAX = 3000;
const DUPLICATE_WINDOW_MS = 10 * 60_000;
const VIDEO_MAX_BYTES = 500 * 1024 * 1024;
const MONTHS_SUPPORTED = 12;

interface Person {
  readonly sub: string;
  readonly name: string;
  readonly organizations: readonly {
    readonly id: number;
    readonly name: string;
    readonly vanity: string;
    readonly role: string;
  }[];
}

const PEOPLE: Readonly<Record<string, Person>> = {
  ada: {
    sub: "AbC123xyz",
    name: "Ada Example",
    organizations: [{ id: 5_515_715, name: "Example GmbH", vanity: "example-gmbh", role: "ADMINISTRATOR" }],
  },
  ben: { sub: "BeN456uvw", name: "Ben Example", organizations: [] },
};

interface Asset {
  readonly kind: "image" | "video";
  readonly owner: string;
  readonly login: string;
  readonly size: number;
  readonly parts: readonly { readonly first: number; readonly last: number; readonly etag: string | null }[];
  readonly expiresAt: number;
  readonly readyAt: number | null;
  readonly fails: boolean;
}

interface Share {
  readonly urn: string;
  readonly author: string;
  readonly body: string;
  readonly commentary: string;
  readonly content: JsonValue;
  readonly createdAt: number;
  readonly deleted: boolean;
}

function problem(status: number, code: string, message: string, serviceErrorCode?: number): Response {
  return Response.json(
    { status, code, message, ...(serviceErrorCode !== undefined && { serviceErrorCode }) },
    { status },
  );
}

const oauthProblem = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status });

const forbidden = (what: string): Response =>
  problem(403, "ACCESS_DENIED", `Not enough permissions to access: ${what}`, 100);

// ---------------------------------------------------------------- login

function authorize(url: URL, sim: Sim): Response {
  const query = url.searchParams;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (
    query.get("client_id") !== sim.app.clientId ||
    query.get("response_type") !== "code" ||
    !URL.canParse(redirectUri)
  ) {
    return new Response("The redirect_uri, client_id or response_type does not match", { status: 400 });
  }
  const login = query.get("login");
  if (login === null) {
    return consentPage("LinkedIn (sandbox)", url, simulator.logins);
  }
  const state = query.get("state") ?? "";
  if (!PEOPLE[login]) {
    return redirect(redirectUri, {
      error: "user_cancelled_authorize",
      error_description: "The user cancelled the authorization",
      state,
    });
  }
  const scopes = (query.get("scope") ?? "").split(/[ ,]+/).filter(Boolean);
  return redirect(redirectUri, {
    code: issueCode(sim, "AQ", { login, scopes, redirectUri, challenge: null }, 1800),
    state,
  });
}

async function token(request: Request, sim: Sim): Promise<Response> {
  const form = await readForm(request);
  if (form.get("client_id") !== sim.app.clientId || form.get("client_secret") !== sim.app.clientSecret) {
    return oauthProblem(401, "invalid_client", "Client authentication failed");
  }
  const partner = sim.settings.extra["partner"] === true;
  const answer = (grant: Omit<Token, "kind" | "expiresAt" | "revoked">, refresh: JsonObject): Response =>
    Response.json({
      access_token: issueToken(sim, "AQX", { ...grant, kind: "access" }, ACCESS_SECONDS),
      expires_in: sim.settings.token_lifetime_s ?? ACCESS_SECONDS,
      scope: grant.scopes.join(","),
      token_type: "Bearer",
      ...refresh,
    });
  if (form.get("grant_type") === "authorization_code") {
    const code = await redeemCode(sim, form.get("code") ?? "", form.get("redirect_uri") ?? "", null);
    if (!code) {
      return oauthProblem(
        400,
        "invalid_request",
        "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired.",
      );
    }
    const grant = { login: code.login, scopes: code.scopes, grant: sim.id(12), extra: {} };
    const refresh: JsonObject = partner
      ? {
          refresh_token: issueToken(sim, "AQW", { ...grant, kind: "refresh" }, REFRESH_SECONDS),
          refresh_token_expires_in: REFRESH_SECONDS,
        }
      : {};
    return answer(grant, refresh);
  }
  if (form.get("grant_type") === "refresh_token") {
    const secret = form.get("refresh_token") ?? "";
    const known = liveToken(sim, secret, "refresh");
    if (!known || known.expiresAt === null) {
      return oauthProblem(400, "invalid_grant", "The provided refresh token is invalid, expired or revoked");
    }
    // Refreshing gives the same refresh token back and never extends its life.
    const left = Math.floor((known.expiresAt - sim.now()) / 1000);
    return answer(
      { login: known.login, scopes: known.scopes, grant: known.grant, extra: {} },
      { refresh_token: secret, refresh_token_expires_in: left },
    );
  }
  return oauthProblem(400, "invalid_request", "Unsupported grant_type");
}

async function revoke(request: Request, sim: Sim): Promise<Response> {
  const form = await readForm(request);
  if (form.get("client_id") !== sim.app.clientId || form.get("client_secret") !== sim.app.clientSecret) {
    return oauthProblem(401, "invalid_client", "Client authentication failed");
  }
  const secret = form.get("token") ?? "";
  const known = liveToken(sim, secret, "access");
  if (known) {
    revokeLogin(sim, known.login);
  }
  spendToken(sim, secret);
  return new Response(null, { status: 200 });
}

// ---------------------------------------------------------------- who may what

const personUrn = (login: string): string => `urn:li:person:${PEOPLE[login]?.sub ?? ""}`;

function organizationsOf(sim: Sim, login: string): Person["organizations"] {
  return sim.settings.extra["lost_admin"] === true ? [] : (PEOPLE[login]?.organizations ?? []);
}

/** Null when the session may act for the author; the refusal otherwise. */
function mayPostAs(sim: Sim, session: Token, author: JsonValue | undefined): Response | null {
  if (author === personUrn(session.login)) {
    return session.scopes.includes("w_member_social") ? null : forbidden("partnerApiPostsExternal.CREATE");
  }
  const owns = organizationsOf(sim, session.login).some((one) => author === `urn:li:organization:${one.id}`);
  return owns && session.scopes.includes("w_organization_social") ? null : forbidden("partnerApiPostsExternal.CREATE");
}

// ---------------------------------------------------------------- uploads

const urnOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const asset = (sim: Sim, urn: string): Asset | undefined => sim.store.get(`asset:${urn}`) as Asset | undefined;

function saveAsset(sim: Sim, urn: string, value: Asset): void {
  sim.store.put(`asset:${urn}`, { ...value, parts: value.parts.map((part) => ({ ...part })) });
}

const uploadUrl = (urn: string, part: number): string =>
  `https://${WWW}/dms-uploads/${encodeURIComponent(urn)}/${part}`;

function initialize(sim: Sim, session: Token, kind: Asset["kind"], body: JsonObject): Response {
  const asked = body["initializeUploadRequest"];
  const request = (asked !== null && typeof asked === "object" && !Array.isArray(asked) ? asked : {}) as JsonObject;
  const owner = request["owner"];
  if (typeof owner !== "string") {
    return problem(400, "MISSING_FIELD", "ERROR :: /initializeUploadRequest/owner :: field is required but not found");
  }
  const refused = mayPostAs(sim, session, owner);
  if (refused) {
    return refused;
  }
  const size = kind === "video" ? request["fileSizeBytes"] : 0;
  if (typeof size !== "number" || size < 0 || size > VIDEO_MAX_BYTES) {
    return problem(
      400,
      "INVALID_VALUE_FOR_FIELD",
      "ERROR :: /initializeUploadRequest/fileSizeBytes :: is missing or over the maximum",
    );
  }
  const urn = `urn:li:${kind}:C${sim.secret("")}`;
  const count = kind === "video" ? Math.max(1, Math.ceil(size / PART)) : 1;
  const parts = Array.from({ length: count }, (_, index) => ({
    first: index * PART,
    last: Math.min(size, (index + 1) * PART) - 1,
    etag: null,
  }));
  const expiresAt = sim.now() + 3_600_000;
  const fails = sim.settings.extra["fail_processing"] === true;
  saveAsset(sim, urn, { kind, owner, login: session.login, size, parts, expiresAt, readyAt: null, fails });
  return Response.json({
    value:
      kind === "image"
        ? { uploadUrlExpiresAt: expiresAt, uploadUrl: uploadUrl(urn, 0), image: urn }
        : {
            uploadUrlsExpireAt: expiresAt,
            video: urn,
            uploadToken: "",
            uploadInstructions: parts.map((part, index) => ({
              firstByte: part.first,
              lastByte: part.last,
              uploadUrl: uploadUrl(urn, index),
            })),
          },
  });
}

const blobKey = (urn: string, part: number): string => `sandbox/${simulator.platform}/${urn}/${part}`;

async function receive(request: Request, url: URL, sim: Sim): Promise<Response> {
  const [, , encoded = "", index = ""] = url.pathname.split("/");
  const urn = decodeURIComponent(encoded);
  const known = asset(sim, urn);
  const number = Number(index);
  const part = known?.parts[number];
  if (!known || !part) {
    return problem(404, "NOT_FOUND", "Unknown upload");
  }
  if (known.expiresAt <= sim.now()) {
    return problem(400, "EXPIRED_UPLOAD_URL", "The upload URL has expired");
  }
  if (known.kind === "image" && !liveToken(sim, bearer(request) ?? "", "access")) {
    return problem(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token");
  }
  const length = request.headers.get("content-length");
  if (length === null || !request.body) {
    return problem(411, "LENGTH_REQUIRED", "A Content-Length is required");
  }
  if (known.kind === "video" && Number(length) !== part.last - part.first + 1) {
    return problem(400, "ILLEGAL_ARGUMENT", `Expected bytes ${part.first}-${part.last}`);
  }
  const fixed = new FixedLengthStream(Number(length));
  await Promise.all([request.body.pipeTo(fixed.writable), sim.blobs.put(blobKey(urn, number), fixed.readable)]);
  const etag = `/ambry-videoei/${sim.secret("")}`;
  const parts = known.parts.map((one, at) => (at === number ? { ...one, etag } : one));
  saveAsset(sim, urn, {
    ...known,
    parts,
    ...(known.kind === "image" && { readyAt: sim.now() + sim.settings.processing_ms }),
  });
  return new Response(null, { status: 201, headers: { etag: `"${etag}"` } });
}

function finalize(sim: Sim, session: Token, body: JsonObject): Response {
  const asked = body["finalizeUploadRequest"];
  const request = (asked !== null && typeof asked === "object" && !Array.isArray(asked) ? asked : {}) as JsonObject;
  const urn = urnOf(request["video"]);
  const known = asset(sim, urn);
  if (!known || known.login !== session.login) {
    return problem(400, "INVALID_VIDEO_ID", "Unknown video");
  }
  const ids = request["uploadedPartIds"];
  const wanted = known.parts.map((part) => part.etag);
  if (
    request["uploadToken"] !== "" ||
    !Array.isArray(ids) ||
    wanted.includes(null) ||
    JSON.stringify(ids) !== JSON.stringify(wanted)
  ) {
    return problem(400, "ILLEGAL_ARGUMENT", "uploadedPartIds do not match the uploaded parts in order");
  }
  saveAsset(sim, urn, { ...known, readyAt: sim.now() + sim.settings.processing_ms });
  return new Response(null, { status: 200 });
}

function assetStatus(known: Asset, now: number): string {
  if (known.readyAt === null) {
    return "WAITING_UPLOAD";
  }
  if (known.readyAt > now) {
    return "PROCESSING";
  }
  return known.fails ? "PROCESSING_FAILED" : "AVAILABLE";
}

function readAsset(sim: Sim, session: Token, kind: Asset["kind"], urn: string): Response {
  const known = asset(sim, urn);
  if (!known || known.kind !== kind || known.login !== session.login) {
    return problem(404, "NOT_FOUND", "Not found");
  }
  if (kind === "image" && !session.scopes.includes("r_organization_social")) {
    return problem(403, "ACCESS_DENIED", "Accessing this image resource is forbidden");
  }
  const status = assetStatus(known, sim.now());
  return Response.json({
    id: urn,
    owner: known.owner,
    status,
    ...(status === "PROCESSING_FAILED" && { processingFailureReason: "Unsupported codec" }),
  });
}

// ---------------------------------------------------------------- posts

const shares = (sim: Sim): readonly Share[] => sim.store.list("share:").map(([, share]) => share as unknown as Share);

/** The media URNs a post names, or the refusal its `content` earns. */
function mediaOf(sim: Sim, author: string, content: JsonValue | undefined): readonly string[] | Response {
  if (content === undefined) {
    return [];
  }
  const object = (
    content !== null && typeof content === "object" && !Array.isArray(content) ? content : {}
  ) as JsonObject;
  const single = object["media"] as JsonObject | undefined;
  const multi = object["multiImage"] as JsonObject | undefined;
  const images = multi && Array.isArray(multi["images"]) ? (multi["images"] as JsonObject[]) : null;
  if (images && (images.length < 2 || images.length > 20)) {
    return problem(400, "INVALID_VALUE_FOR_FIELD", "multiImage takes 2 to 20 images");
  }
  const urns = single ? [urnOf(single["id"])] : images ? images.map((image) => urnOf(image["id"])) : null;
  if (!urns) {
    return problem(400, "INVALID_VALUE_FOR_FIELD", "ERROR :: /content :: unknown content type");
  }
  for (const urn of urns) {
    const known = asset(sim, urn);
    if (!known || known.owner !== author || (images !== null && known.kind !== "image")) {
      return problem(400, "INVALID_URN_ID", `${urn} is not media of the author`);
    }
    const status = assetStatus(known, sim.now());
    if (status === "PROCESSING_FAILED") {
      return problem(400, "MEDIA_ASSET_PROCESSING_FAILED", `${urn} failed to process`);
    }
    if (status !== "AVAILABLE") {
      return problem(400, "MEDIA_ASSET_WAITING_UPLOAD", `${urn} is not ready`);
    }
  }
  return urns;
}

function duplicateOf(sim: Sim, author: string, body: string): Share | undefined {
  return shares(sim).find(
    (share) => share.author === author && share.body === body && share.createdAt > sim.now() - DUPLICATE_WINDOW_MS,
  );
}

async function createPost(sim: Sim, session: Token, body: JsonObject, raw: string): Promise<Response> {
  const author = body["author"];
  if (typeof author !== "string") {
    return problem(
      422,
      "MISSING_FIELD",
      "ERROR :: /author :: field is required but not found and has no default value",
    );
  }
  const refused = mayPostAs(sim, session, author);
  if (refused) {
    return refused;
  }
  const commentary = body["commentary"];
  const distribution = body["distribution"] as JsonObject | undefined;
  if (
    typeof commentary !== "string" ||
    body["visibility"] === undefined ||
    distribution?.["feedDistribution"] === undefined
  ) {
    return problem(400, "MISSING_FIELD", "commentary, visibility and distribution.feedDistribution are required");
  }
  if (body["lifecycleState"] !== "PUBLISHED") {
    return problem(400, "INVALID_VALUE_FOR_FIELD", "ERROR :: /lifecycleState :: only PUBLISHED can be created");
  }
  if (readLittleText(commentary, false).length > COMMENTARY_MAX) {
    return problem(400, "FIELD_LENGTH_TOO_LONG", "ERROR :: /commentary :: is longer than 3000 characters");
  }
  const urns = mediaOf(sim, author, body["content"]);
  if (urns instanceof Response) {
    return urns;
  }
  if (urns.length === 0 && commentary === "") {
    return problem(400, "MISSING_FIELD", "A post needs text or media");
  }
  const day = Math.floor(sim.now() / 86_400_000);
  const used = sim.store.get<number>(`quota:${author}:${day}`) ?? 0;
  if (used >= (sim.settings.quota ?? 150)) {
    return problem(
      429,
      "TOO_MANY_REQUESTS",
      "Resource level throttle MEMBER DAY limit for calls to this resource is reached.",
      101,
    );
  }
  const twin = duplicateOf(sim, author, raw);
  if (twin) {
    return Response.json(
      {
        errorDetailType: "com.linkedin.common.error.BadRequest",
        message: `Content is a duplicate of ${twin.urn}`,
        errorDetails: {
          inputErrors: [{ description: "Duplicate post is detected", input: {}, code: "DUPLICATE_POST" }],
        },
        status: 422,
      },
      { status: 422 },
    );
  }
  sim.store.put(`quota:${author}:${day}`, used + 1);
  const first = urns[0];
  const video = first !== undefined && asset(sim, first)?.kind === "video";
  const urn = `urn:li:${video ? "ugcPost" : "share"}:${sim.id(19)}`;
  const shown = readLittleText(commentary, true);
  sim.store.put(`share:${urn}`, {
    urn,
    author,
    body: raw,
    commentary,
    content: body["content"] ?? null,
    createdAt: sim.now(),
    deleted: false,
  });
  const media = await Promise.all(
    urns.map(async (one) => {
      const known = asset(sim, one);
      const { sha256 } = await sim.digestBlobs((known?.parts ?? []).map((_, index) => blobKey(one, index)));
      return { type: known?.kind ?? ("image" as const), sha256 };
    }),
  );
  sim.publish({
    id: urn,
    url: `https://${WWW}/feed/update/${urn}/`,
    account: author,
    kind: video ? "video" : urns.length > 1 ? "carousel" : urns.length === 1 ? "image" : "text",
    text: shown,
    title: null,
    media,
    options: { visibility: body["visibility"] ?? null, feedDistribution: distribution["feedDistribution"] },
    accepted_at: new Date(sim.now()).toISOString(),
  });
  return new Response(null, { status: 201, headers: { "x-restli-id": urn } });
}

function finder(sim: Sim, session: Token, request: Request, url: URL): Response {
  const author = url.searchParams.get("author") ?? "";
  const owns = organizationsOf(sim, session.login).some((one) => author === `urn:li:organization:${one.id}`);
  if (!owns || !session.scopes.includes("r_organization_social")) {
    return forbidden("partnerApiPostsExternal.FINDER-author");
  }
  if (request.headers.get("x-restli-method") !== "FINDER") {
    return problem(400, "ILLEGAL_ARGUMENT", "X-RestLi-Method: FINDER is required");
  }
  const start = Number(url.searchParams.get("start") ?? "0");
  const count = Number(url.searchParams.get("count") ?? "10");
  const found = shares(sim)
    .filter(
      (share) => share.author === author && !share.deleted && share.createdAt + sim.settings.verify_lag_ms <= sim.now(),
    )
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return Response.json({
    paging: { start, count, links: [] },
    elements: found.slice(start, start + count).map((share) => ({
      id: share.urn,
      author: share.author,
      commentary: share.commentary,
      createdAt: share.createdAt,
      publishedAt: share.createdAt,
      lifecycleState: "PUBLISHED",
      ...(share.content !== null && { content: share.content }),
    })),
  });
}

// ---------------------------------------------------------------- routes

/** Versions are months; each is answered for a year. */
function versionRefusal(request: Request, sim: Sim): Response | null {
  const version = request.headers.get("linkedin-version");
  if (version === null) {
    return problem(
      400,
      "VERSION_MISSING",
      "A version must be present. Please specify a version by adding the LinkedIn-Version header.",
    );
  }
  const now = new Date(sim.now());
  const age =
    now.getUTCFullYear() * 12 +
    now.getUTCMonth() -
    (Number(version.slice(0, 4)) * 12 + Number(version.slice(4, 6)) - 1);
  const window = sim.settings.extra["version_months"];
  if (!/^\d{6}$/.test(version) || age < 0 || age > (typeof window === "number" ? window : MONTHS_SUPPORTED)) {
    return problem(426, "NONEXISTENT_VERSION", `Requested version ${version} is not active`);
  }
  return request.headers.get("x-restli-protocol-version") === "2.0.0"
    ? null
    : problem(404, "RESOURCE_NOT_FOUND", "No root resource defined for path; check X-Restli-Protocol-Version");
}

function sessionOf(request: Request, sim: Sim): Token | Response {
  const secret = bearer(request);
  if (secret === null) {
    return problem(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token", 65_600);
  }
  const known = sim.store.get(`token:${secret}`) as Token | undefined;
  if (known?.kind !== "access") {
    return problem(401, "INVALID_ACCESS_TOKEN", "Invalid access token", 65_600);
  }
  if (known.revoked) {
    return problem(401, "REVOKED_ACCESS_TOKEN", "The token used in the request has been revoked by the user", 65_601);
  }
  return (
    liveToken(sim, secret, "access") ??
    problem(401, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired", 65_602)
  );
}

function organizationAcls(sim: Sim, session: Token): Response {
  if (!session.scopes.includes("rw_organization_admin") && !session.scopes.includes("r_organization_social")) {
    return forbidden("organizationAcls.FINDER-roleAssignee");
  }
  const elements = organizationsOf(sim, session.login).map((one) => ({
    role: one.role,
    state: "APPROVED",
    organization: `urn:li:organization:${one.id}`,
    roleAssignee: personUrn(session.login),
  }));
  return Response.json({ paging: { start: 0, count: 100, links: [] }, elements });
}

function readOrganization(sim: Sim, session: Token, id: string): Response {
  const found = organizationsOf(sim, session.login).find((one) => String(one.id) === id);
  return found
    ? Response.json({ id: found.id, localizedName: found.name, vanityName: found.vanity })
    : problem(404, "NOT_FOUND", "Organization not found");
}

async function rest(request: Request, url: URL, sim: Sim, session: Token): Promise<Response> {
  const [, , resource = "", rawId] = url.pathname.split("/");
  const id = rawId === undefined ? undefined : decodeURIComponent(rawId);
  const raw = request.method === "POST" ? await request.text() : "";
  let body: JsonObject = {};
  if (request.method === "POST") {
    try {
      body = JSON.parse(raw) as JsonObject;
    } catch {
      return problem(400, "ILLEGAL_ARGUMENT", "The body is not JSON");
    }
  }
  const action = url.searchParams.get("action");
  switch (`${request.method} ${resource}`) {
    case "POST images":
      return initialize(sim, session, "image", body);
    case "POST videos":
      return action === "finalizeUpload" ? finalize(sim, session, body) : initialize(sim, session, "video", body);
    case "GET images":
      return readAsset(sim, session, "image", id ?? "");
    case "GET videos":
      return readAsset(sim, session, "video", id ?? "");
    case "GET organizationAcls":
      return organizationAcls(sim, session);
    case "GET organizations":
      return readOrganization(sim, session, id ?? "");
    case "POST posts":
      return createPost(sim, session, body, raw);
    case "GET posts":
      return url.searchParams.get("q") === "author"
        ? finder(sim, session, request, url)
        : forbidden("partnerApiPostsExternal.GET");
    case "DELETE posts": {
      const share = sim.store.get(`share:${id ?? ""}`) as Share | undefined;
      if (share && mayPostAs(sim, session, share.author) === null) {
        sim.store.put(`share:${share.urn}`, { ...share, deleted: true });
      }
      return new Response(null, { status: 204 });
    }
    default:
      return problem(404, "RESOURCE_NOT_FOUND", `No resource for ${request.method} ${resource}`);
  }
}

async function api(request: Request, url: URL, sim: Sim): Promise<Response> {
  const session = sessionOf(request, sim);
  if (session instanceof Response) {
    return session;
  }
  const person = PEOPLE[session.login];
  if (url.pathname === "/v2/userinfo") {
    return session.scopes.includes("openid") && session.scopes.includes("profile")
      ? Response.json({
          sub: person?.sub,
          name: person?.name,
          picture: `https://media.licdn.com/dms/image/${person?.sub}`,
          email_verified: true,
        })
      : forbidden("GET /userinfo");
  }
  if (url.pathname === "/v2/me") {
    return session.scopes.includes("r_basicprofile")
      ? Response.json({ id: person?.sub, vanityName: `${session.login}-example`, localizedFirstName: person?.name })
      : forbidden("GET /me");
  }
  if (!url.pathname.startsWith("/rest/")) {
    return problem(404, "RESOURCE_NOT_FOUND", "No such resource");
  }
  return versionRefusal(request, sim) ?? rest(request, url, sim, session);
}

export const simulator: Simulator = {
  platform: "linkedin",
  hosts: [WWW, API],
  logins: [
    {
      name: "ada",
      accounts: ["urn:li:person:AbC123xyz", "urn:li:organization:5515715"],
      description: "a member who administers one organisation",
    },
    { name: "ben", accounts: ["urn:li:person:BeN456uvw"], description: "a member without an organisation" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname === API) {
      return api(request, url, sim);
    }
    switch (`${request.method} ${url.pathname}`) {
      case "GET /oauth/v2/authorization":
        return authorize(url, sim);
      case "POST /oauth/v2/accessToken":
        return token(request, sim);
      case "POST /oauth/v2/revoke":
        return revoke(request, sim);
      default:
        return request.method === "PUT" && url.pathname.startsWith("/dms-uploads/")
          ? receive(request, url, sim)
          : problem(404, "RESOURCE_NOT_FOUND", "No such page");
    }
  },
  revoke(account, sim) {
    const login = Object.keys(PEOPLE).find(
      (name) =>
        name === account ||
        personUrn(name) === account ||
        PEOPLE[name]?.organizations.some((one) => `urn:li:organization:${one.id}` === account),
    );
    return login !== undefined && revokeLogin(sim, login);
  },
};
