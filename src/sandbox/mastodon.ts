import type { Simulator, SimulatorContext } from "./contract.ts";
import { registerApp, verifyApp } from "./mastodon/apps.ts";
import { type Caller, requireApp, requireTokenIfGiven, requireUser } from "./mastodon/authorization.ts";
import { authorize } from "./mastodon/authorize.ts";
import { type Call, instanceStore } from "./mastodon/call.ts";
import {
  bodyTooLarge,
  fixedError,
  invalidOauthRequest,
  missingUserAgent,
  routeNotFound,
  tooManyRequests,
} from "./mastodon/error-responses.ts";
import { metadata, readInstance, readInstanceV1, webfinger } from "./mastodon/instance-endpoints.ts";
import { findInstance, HOSTS } from "./mastodon/instances.ts";
import { deleteMedia, exceedsBodyLimit, readMedia, updateMedia, uploadMedia } from "./mastodon/media.ts";
import { acceptedNames, rules } from "./mastodon/operations.ts";
import { ParamError, type Params, queryParams, readParams } from "./mastodon/params.ts";
import { readSettings } from "./mastodon/settings.ts";
import { deleteStatus, listStatuses, readOwnAccount, readSource, readStatus } from "./mastodon/status-reads.ts";
import { publishPending } from "./mastodon/status-store.ts";
import { createStatus } from "./mastodon/statuses.ts";
import { accountIdsOf, findUserByLogin, platformAccountId } from "./mastodon/test-users.ts";
import { countRequest, postsThrottle, type Throttle, throttleHeaders, throttlesOf } from "./mastodon/throttles.ts";
import { requestToken, revokeEndpoint, revokeTokensOf, tokenEndpoint } from "./mastodon/tokens.ts";
import { findOperation, type Operation } from "./operation.ts";

/* Simulates four instances of Mastodon or of similar servers, each with its own apps, accounts and statuses. */

interface EndpointCall {
  readonly call: Call;
  readonly params: Params;
  /** The id in the path. */
  readonly id: string;
}

type Handler = (endpointCall: EndpointCall) => Response | Promise<Response>;

interface Endpoint {
  readonly pattern: RegExp;
  /** Checks the token before the body is read. Returns the handler, or the error response. */
  readonly authorize: (call: Call) => Handler | Response;
}

const isPublic = (handle: Handler) => (): Handler => handle;

const needsUser =
  (scopes: readonly string[], handle: (caller: Caller, endpointCall: EndpointCall) => Response | Promise<Response>) =>
  (call: Call): Handler | Response => {
    const caller = requireUser(call, scopes);
    return caller instanceof Response ? caller : (endpointCall) => handle(caller, endpointCall);
  };

const STATUS_READ_SCOPES = ["read:statuses"];

/** The endpoints with the scopes that Mastodon's controllers require (M app/controllers; 6.7 in the facts). */
const ENDPOINTS: readonly Endpoint[] = [
  {
    pattern: /^POST \/api\/v1\/apps$/,
    authorize: isPublic(({ call, params }) => registerApp(call, params)),
  },
  {
    pattern: /^GET \/api\/v1\/apps\/verify_credentials$/,
    authorize: (call) => {
      const app = requireApp(call);
      return app instanceof Response ? app : () => verifyApp(call, app);
    },
  },
  {
    pattern: /^GET \/api\/v1\/accounts\/verify_credentials$/,
    authorize: needsUser(["profile", "read:accounts", "read"], (caller, { call }) => readOwnAccount(call, caller)),
  },
  {
    pattern: /^GET \/api\/v1\/accounts\/(?<id>\w+)\/statuses$/,
    authorize: (call) => {
      const viewer = requireTokenIfGiven(call, STATUS_READ_SCOPES);
      return viewer instanceof Response ? viewer : ({ params, id }) => listStatuses(call, viewer, id, params);
    },
  },
  { pattern: /^GET \/api\/v2\/instance$/, authorize: isPublic(({ call }) => readInstance(call)) },
  { pattern: /^GET \/api\/v1\/instance$/, authorize: isPublic(({ call }) => readInstanceV1(call)) },
  {
    pattern: /^GET \/\.well-known\/oauth-authorization-server$/,
    authorize: isPublic(({ call }) => metadata(call)),
  },
  {
    pattern: /^GET \/\.well-known\/webfinger$/,
    authorize: isPublic(({ call, params }) => webfinger(call, params)),
  },
  {
    pattern: /^POST \/api\/v2\/media$/,
    authorize: needsUser(["write:media"], (caller, { call, params }) => uploadMedia(call, caller, params)),
  },
  {
    pattern: /^GET \/api\/v1\/media\/(?<id>\w+)$/,
    authorize: needsUser(["write:media"], (caller, { call, id }) => readMedia(call, caller, id)),
  },
  {
    pattern: /^PUT \/api\/v1\/media\/(?<id>\w+)$/,
    authorize: needsUser(["write:media"], (caller, { call, id, params }) => updateMedia(call, caller, id, params)),
  },
  {
    pattern: /^DELETE \/api\/v1\/media\/(?<id>\w+)$/,
    authorize: needsUser(["write:media"], (caller, { call, id }) => deleteMedia(call, caller, id)),
  },
  {
    pattern: /^POST \/api\/v1\/statuses$/,
    authorize: needsUser(["write:statuses"], (caller, { call, params }) => createStatus(call, caller, params)),
  },
  {
    pattern: /^GET \/api\/v1\/statuses\/(?<id>\w+)$/,
    authorize: (call) => {
      const viewer = requireTokenIfGiven(call, STATUS_READ_SCOPES);
      return viewer instanceof Response ? viewer : ({ id }) => readStatus(call, viewer, id);
    },
  },
  {
    pattern: /^GET \/api\/v1\/statuses\/(?<id>\w+)\/source$/,
    authorize: needsUser(STATUS_READ_SCOPES, (caller, { call, id }) => readSource(call, caller, id)),
  },
  {
    pattern: /^DELETE \/api\/v1\/statuses\/(?<id>\w+)$/,
    authorize: needsUser(["write:statuses"], (caller, { call, id }) => deleteStatus(call, caller, id)),
  },
];

/** Refuses unknown and repeated members and query fields, to find mistakes; real servers ignore them. */
function refuseUnknown(call: Call, operation: Operation | undefined, params: Params): void {
  if (call.settings.isLenient("unknown_params")) {
    return;
  }
  const unknown = params.unknownName(operation ? acceptedNames(call, operation) : []);
  if (unknown !== undefined) {
    throw new ParamError(`Unknown parameter: ${unknown}`);
  }
  const repeated = params.repeatedName();
  if (repeated !== undefined) {
    throw new ParamError(`Repeated parameter: ${repeated}`);
  }
}

async function handleEndpoint(call: Call): Promise<Response> {
  const { request, url } = call;
  const methodAndPath = `${request.method} ${url.pathname}`;
  const endpoint = ENDPOINTS.find(({ pattern }) => pattern.test(methodAndPath));
  if (!endpoint) {
    return routeNotFound(call);
  }
  const handler = endpoint.authorize(call);
  if (handler instanceof Response) {
    return handler;
  }
  const operation = findOperation(rules.operations, request.method, url);
  const isMultipart = operation?.body?.types.every((type) => type === "multipart");
  if (isMultipart && !request.headers.get("content-type")?.startsWith("multipart/form-data")) {
    throw new ParamError("The body must be multipart/form-data", 415);
  }
  const params = request.method === "GET" ? queryParams(url) : await readParams(request, url);
  refuseUnknown(call, operation, params);
  return handler({ call, params, id: endpoint.pattern.exec(methodAndPath)?.groups?.["id"] ?? "" });
}

/**
 * Handles a call to the API. Mastodon checks its rate limits before anything else, and sends their headers with every
 * response.
 */
async function handleApiCall(call: Call): Promise<Response> {
  const { request, url, sim, instance } = call;
  const token = requestToken(call);
  const accountId = findUserByLogin(instance.host, token?.login ?? null)?.id ?? null;
  const ip = request.headers.get("cf-connecting-ip") ?? "127.0.0.1";
  const throttles = throttlesOf(call, { ip, tokenSecret: token?.secret ?? null, accountId });
  const isAllowed = throttles.map((throttle) => countRequest(call, throttle)).every(Boolean);
  const response = isAllowed ? await refuseBadParams(call, () => handleEndpoint(call)) : tooManyRequests(call);
  const isPost = request.method === "POST" && url.pathname === "/api/v1/statuses" && accountId !== null;
  const described: readonly Throttle[] = isPost ? [...throttles, postsThrottle(sim, accountId)] : throttles;
  for (const [name, value] of Object.entries(throttleHeaders(call, described))) {
    response.headers.set(name, value);
  }
  return response;
}

async function refuseBadParams(call: Call, handle: () => Promise<Response>): Promise<Response> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof ParamError) {
      return fixedError(call, error.status, error.message);
    }
    throw error;
  }
}

/** Handles a request to /oauth, whose responses have no rate limit headers. */
async function handleOauthCall(call: Call): Promise<Response> {
  const { request, url } = call;
  const operation = findOperation(rules.operations, request.method, url);
  if (request.method !== "POST" || !operation) {
    return routeNotFound(call);
  }
  try {
    const params = await readParams(request, url);
    refuseUnknown(call, operation, params);
    return await (operation.path === "/oauth/token" ? tokenEndpoint(call, params) : revokeEndpoint(call, params));
  } catch (error) {
    if (error instanceof ParamError) {
      return invalidOauthRequest(call, error.message);
    }
    throw error;
  }
}

function createCall(request: Request, sim: SimulatorContext): Call | null {
  const url = new URL(request.url);
  const settings = readSettings(sim);
  const instance = findInstance(url.hostname, settings);
  return instance ? { request, url, sim, settings, instance, store: instanceStore(sim, instance.host) } : null;
}

export const simulator: Simulator = {
  platform: "mastodon",
  hosts: HOSTS,
  logins: [
    {
      name: "ada",
      description: "posts publicly by default",
      accounts: accountIdsOf("ada"),
      connectInput: { server: "mastodon.example" },
    },
    {
      name: "ben",
      description: "posts privately by default; restricted by a setting",
      accounts: accountIdsOf("ben"),
      connectInput: { server: "mastodon.example" },
    },
  ],
  rules,
  async handle(request, sim) {
    publishPending(sim);
    const call = createCall(request, sim);
    if (!call) {
      return new Response("not found", { status: 404 });
    }
    const { url, settings } = call;
    if (`${request.method} ${url.pathname}` === "GET /oauth/authorize") {
      return authorize(call, simulator.logins);
    }
    // GoToSocial refuses a request without a user agent (GTS internal/middleware/useragent.go). Browsers always send
    // one, so pages do not check it.
    if ((request.headers.get("user-agent") ?? "") === "" && !settings.isLenient("user_agent")) {
      return missingUserAgent(call);
    }
    if (exceedsBodyLimit(call)) {
      return bodyTooLarge();
    }
    return url.pathname.startsWith("/oauth/") ? handleOauthCall(call) : handleApiCall(call);
  },
  publishProcessed: publishPending,
  revoke: (account, sim) =>
    revokeTokensOf(sim, (host, login) => {
      const user = findUserByLogin(host, login);
      return login === account || (user !== undefined && platformAccountId(host, user.id) === account);
    }),
};
