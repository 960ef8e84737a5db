import type { JsonObject } from "#core/json.ts";
import type { Sim, Simulator } from "./contract.ts";
import { bearer, liveToken, type Token } from "./grants.ts";
import { envelope, invalid, scopeMissing, unauthorized } from "./tiktok/answers.ts";
import { creatorInfo } from "./tiktok/creator-info.ts";
import { type Creator, CREATORS } from "./tiktok/creators.ts";
import { initPhotos, initVideo } from "./tiktok/init.ts";
import { authorize, revoke, token } from "./tiktok/login.ts";
import { settle, withdraw } from "./tiktok/publishes.ts";
import { cancel, listVideos, queryVideos, status, userInfo } from "./tiktok/reads.ts";
import { receive } from "./tiktok/upload.ts";

/* Plays www.tiktok.com's login, open.tiktokapis.com and its upload hosts, by platforms/tiktok.md part 6. */

const WWW = "www.tiktok.com";
const API = "open.tiktokapis.com";
const UPLOADS = ["open-upload.tiktokapis.com", "upload.us.tiktokapis.com"];

interface Call {
  readonly url: URL;
  readonly sim: Sim;
  readonly session: Token;
  readonly creator: Creator;
  readonly body: JsonObject;
}

interface Endpoint {
  /** Null where the call itself decides. */
  readonly scope: string | null;
  /** Calls of one name share the minute. */
  readonly bucket?: "init" | "creator" | "status";
  readonly answer: (call: Call) => Response | Promise<Response>;
}

/** Calls per token and minute. */
const PER_MINUTE = { init: 6, creator: 20, status: 30 } as const;

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "GET /v2/user/info/": {
    scope: "user.info.basic",
    answer: ({ sim, session, creator, url }) => userInfo(sim, session, creator, url),
  },
  "POST /v2/post/publish/creator_info/query/": {
    scope: "video.publish",
    bucket: "creator",
    answer: ({ sim, session, creator }) => creatorInfo(sim, session, creator),
  },
  "POST /v2/post/publish/video/init/": {
    scope: "video.publish",
    bucket: "init",
    answer: ({ sim, session, creator, body }) => initVideo(sim, session, creator, body, false),
  },
  "POST /v2/post/publish/inbox/video/init/": {
    scope: "video.upload",
    bucket: "init",
    answer: ({ sim, session, creator, body }) => initVideo(sim, session, creator, body, true),
  },
  "POST /v2/post/publish/content/init/": {
    scope: null,
    bucket: "init",
    answer: ({ sim, session, creator, body }) => initPhotos(sim, session, creator, body),
  },
  "POST /v2/post/publish/status/fetch/": {
    scope: null,
    bucket: "status",
    answer: ({ sim, session, body }) => status(sim, session, body),
  },
  "POST /v2/post/publish/cancel/": { scope: null, answer: ({ sim, session, body }) => cancel(sim, session, body) },
  "POST /v2/video/list/": {
    scope: "video.list",
    answer: ({ sim, session, url, body }) => listVideos(sim, session, url, body),
  },
  "POST /v2/video/query/": {
    scope: "video.list",
    answer: ({ sim, session, url, body }) => queryVideos(sim, session, url, body),
  },
};

/** Whether this call is one too many of its minute. */
function isOverRate(sim: Sim, session: Token, bucket: keyof typeof PER_MINUTE): boolean {
  const minute = Math.floor(sim.now() / 60_000);
  const key = `rate:${bucket}:${session.login}`;
  const seen = sim.store.get<{ minute: number; count: number }>(key);
  const count = seen?.minute === minute ? seen.count + 1 : 1;
  sim.store.put(key, { minute, count });
  return count > PER_MINUTE[bucket] && sim.settings.extra["unlimited_rate"] !== true;
}

async function bodyOf(request: Request): Promise<JsonObject | null> {
  try {
    const text = await request.text();
    const body: unknown = text === "" ? {} : JSON.parse(text);
    return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as JsonObject) : null;
  } catch {
    return null;
  }
}

async function api(request: Request, url: URL, sim: Sim): Promise<Response> {
  const route = `${request.method} ${url.pathname.replace(/\/?$/, "/")}`;
  if (route === "POST /v2/oauth/token/") {
    return token(request, sim);
  }
  if (route === "POST /v2/oauth/revoke/") {
    return revoke(request, sim);
  }
  const endpoint = ENDPOINTS[route];
  if (!endpoint) {
    return envelope(sim, 404, "unsupported_path", "The path does not exist.");
  }
  const session = liveToken(sim, bearer(request) ?? "", "access");
  const creator = session && CREATORS[session.login];
  if (!creator) {
    return unauthorized(sim);
  }
  if (endpoint.scope !== null && !session.scopes.includes(endpoint.scope)) {
    return scopeMissing(sim);
  }
  if (endpoint.bucket && isOverRate(sim, session, endpoint.bucket)) {
    return envelope(sim, 429, "rate_limit_exceeded", "The API rate limit was exceeded.");
  }
  const body = await bodyOf(request);
  return body ? endpoint.answer({ url, sim, session, creator, body }) : invalid(sim, "The body is not a JSON object.");
}

export const simulator: Simulator = {
  platform: "tiktok",
  hosts: [WWW, API, ...UPLOADS],
  logins: [
    { name: "ada", accounts: ["_000ada"], description: "a public account, posting through an audited app" },
    { name: "ben", accounts: ["_000ben"], description: "a private account, posting through an app without an audit" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    switch (true) {
      case url.hostname === API:
        return api(request, url, sim);
      case UPLOADS.includes(url.hostname) && request.method === "PUT":
        return receive(request, url, sim);
      case `${request.method} ${url.hostname}${url.pathname}` === `GET ${WWW}/v2/auth/authorize/`:
        return authorize(url, sim, simulator.logins);
      default:
        return new Response("not found", { status: 404 });
    }
  },
  settle,
  revoke(account, sim) {
    const login = Object.keys(CREATORS).find((name) => name === account || CREATORS[name]?.openId === account);
    return login !== undefined && withdraw(sim, login);
  },
};
