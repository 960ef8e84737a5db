import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { SimulatorContext, Simulator } from "./contract.ts";
import { bearerToken, findValidToken, type Token } from "./oauth-server.ts";
import { envelope, invalidParams, missingScope, unauthorized } from "./tiktok/responses.ts";
import { readCreatorInfo } from "./tiktok/creator-info.ts";
import { type Creator, CREATORS } from "./tiktok/creators.ts";
import { initPhotos, initVideo } from "./tiktok/init.ts";
import { authorize, revokeEndpoint, tokenEndpoint } from "./tiktok/login.ts";
import { rules } from "./tiktok/operations.ts";
import { operatorApp } from "./tiktok/operator-app.ts";
import { publishProcessed, revokeAccess } from "./tiktok/publishes.ts";
import { listVideos, queryVideos, readUserInfo } from "./tiktok/profile-and-videos.ts";
import { cancelPublish, readStatus } from "./tiktok/publish-status.ts";
import { receiveChunk } from "./tiktok/upload.ts";

/* Simulates the login at www.tiktok.com, open.tiktokapis.com and its upload hosts (platforms/tiktok.md part 6). */

const WWW = "www.tiktok.com";
const API = "open.tiktokapis.com";
const UPLOAD_HOSTS = ["open-upload.tiktokapis.com", "upload.us.tiktokapis.com"];

interface ApiCall {
  readonly url: URL;
  readonly sim: SimulatorContext;
  readonly token: Token;
  readonly creator: Creator;
  readonly body: JsonObject;
}

interface Endpoint {
  /** The scope that the endpoint needs; null if the endpoint checks its scopes itself. */
  readonly scope: string | null;
  /** The name of the endpoint's rate limit per minute. Endpoints with the same name share one limit. */
  readonly bucket?: "init" | "creator" | "status";
  readonly handle: (call: ApiCall) => Response | Promise<Response>;
}

/** Calls per token and minute. */
const CALLS_PER_MINUTE = { init: 6, creator: 20, status: 30 } as const;

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "GET /v2/user/info/": {
    scope: "user.info.basic",
    handle: ({ sim, token, creator, url }) => readUserInfo(sim, token, creator, url),
  },
  "POST /v2/post/publish/creator_info/query/": {
    scope: "video.publish",
    bucket: "creator",
    handle: ({ sim, token, creator }) => readCreatorInfo(sim, token, creator),
  },
  "POST /v2/post/publish/video/init/": {
    scope: "video.publish",
    bucket: "init",
    handle: ({ sim, token, creator, body }) => initVideo(sim, token, creator, body, false),
  },
  "POST /v2/post/publish/inbox/video/init/": {
    scope: "video.upload",
    bucket: "init",
    handle: ({ sim, token, creator, body }) => initVideo(sim, token, creator, body, true),
  },
  "POST /v2/post/publish/content/init/": {
    scope: null,
    bucket: "init",
    handle: ({ sim, token, creator, body }) => initPhotos(sim, token, creator, body),
  },
  "POST /v2/post/publish/status/fetch/": {
    scope: null,
    bucket: "status",
    handle: ({ sim, token, body }) => readStatus(sim, token, body),
  },
  "POST /v2/post/publish/cancel/": { scope: null, handle: ({ sim, token, body }) => cancelPublish(sim, token, body) },
  "POST /v2/video/list/": {
    scope: "video.list",
    handle: ({ sim, token, url, body }) => listVideos(sim, token, url, body),
  },
  "POST /v2/video/query/": {
    scope: "video.list",
    handle: ({ sim, token, url, body }) => queryVideos(sim, token, url, body),
  },
};

/** Counts the call. True if it exceeds the limit of the current minute. */
function exceedsRateLimit(sim: SimulatorContext, token: Token, bucket: keyof typeof CALLS_PER_MINUTE): boolean {
  const minute = Math.floor(sim.now() / 60_000);
  const key = `rate:${bucket}:${token.login}`;
  const stored = sim.store.get<{ minute: number; count: number }>(key);
  const count = stored?.minute === minute ? stored.count + 1 : 1;
  sim.store.put(key, { minute, count });
  return count > CALLS_PER_MINUTE[bucket] && sim.settings.extra["unlimited_rate"] !== true;
}

async function readJsonObject(request: Request): Promise<JsonObject | null> {
  try {
    const text = await request.text();
    const body: unknown = text === "" ? {} : JSON.parse(text);
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}

async function handleApiCall(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  const route = `${request.method} ${url.pathname.replace(/\/?$/, "/")}`;
  if (route === "POST /v2/oauth/token/") {
    return tokenEndpoint(request, sim);
  }
  if (route === "POST /v2/oauth/revoke/") {
    return revokeEndpoint(request, sim);
  }
  const endpoint = ENDPOINTS[route];
  if (!endpoint) {
    return envelope(sim, 404, "unsupported_path", "The path does not exist.");
  }
  const token = findValidToken(sim, bearerToken(request) ?? "", "access");
  const creator = token && CREATORS[token.login];
  if (!creator) {
    return unauthorized(sim);
  }
  if (endpoint.scope !== null && !token.scopes.includes(endpoint.scope)) {
    return missingScope(sim);
  }
  if (endpoint.bucket && exceedsRateLimit(sim, token, endpoint.bucket)) {
    return envelope(sim, 429, "rate_limit_exceeded", "The API rate limit was exceeded.");
  }
  const body = await readJsonObject(request);
  return body
    ? endpoint.handle({ url, sim, token, creator, body })
    : invalidParams(sim, "The body is not a JSON object.");
}

export const simulator: Simulator = {
  platform: "tiktok",
  hosts: [WWW, API, ...UPLOAD_HOSTS],
  logins: [
    { name: "ada", accounts: ["_000ada"], description: "a public account" },
    { name: "ben", accounts: ["_000ben"], description: "a private account, without duets and stitches" },
  ],
  operatorApp,
  rules,
  async handle(request, sim) {
    const url = new URL(request.url);
    switch (true) {
      case url.hostname === API:
        return handleApiCall(request, url, sim);
      case UPLOAD_HOSTS.includes(url.hostname) && request.method === "PUT":
        return receiveChunk(request, url, sim);
      case `${request.method} ${url.hostname}${url.pathname}` === `GET ${WWW}/v2/auth/authorize/`:
        return authorize(url, sim, simulator.logins);
      default:
        return new Response("not found", { status: 404 });
    }
  },
  publishProcessed: publishProcessed,
  revoke(account, sim) {
    const login = Object.keys(CREATORS).find((name) => name === account || CREATORS[name]?.openId === account);
    return login !== undefined && revokeAccess(sim, login);
  },
};
