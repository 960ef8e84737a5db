import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext, Simulator } from "./contract.ts";
import { bearerToken, fromBase64OrEmpty, findValidToken, revokeTokensOfLogin, type Token } from "./oauth-server.ts";
import {
  jsonResponse,
  errorResponse,
  invalidParameters,
  boardNotFound,
  missingScope,
  unauthorized,
} from "./pinterest/responses.ts";
import { checkCallRate } from "./pinterest/rate-limits.ts";
import { authorize, tokenEndpoint } from "./pinterest/login.ts";
import { readMedia, receiveFormUpload, registerMedia, s3Error } from "./pinterest/media.ts";
import { rules } from "./pinterest/operations.ts";
import { type Board, boardsOf, TEST_USERS } from "./pinterest/test-users.ts";
import { createPin, readOrDeletePin, pinJson, visiblePinsOf } from "./pinterest/pins.ts";

/* Simulates api.pinterest.com v5, its browser login and the S3 form upload for videos (platforms/pinterest.md part
   6). */

const API_HOSTS = ["api.pinterest.com", "api-sandbox.pinterest.com"];
const LOGIN_HOST = "www.pinterest.com";
const UPLOAD_HOST = "pinterest-media-upload.s3-accelerate.amazonaws.com";

const MAX_PAGE_SIZE = 250;
const DEFAULT_PAGE_SIZE = 25;

/** One page of a list. The bookmark is an opaque string, null on the last page. */
function paginate<T>(sim: SimulatorContext, url: URL, items: readonly T[], toJson: (item: T) => JsonValue): Response {
  const size = Number(url.searchParams.get("page_size") ?? DEFAULT_PAGE_SIZE);
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE_SIZE) {
    return invalidParameters(sim, `page_size must be 1 to ${MAX_PAGE_SIZE}`);
  }
  const bookmark = new TextDecoder().decode(fromBase64OrEmpty(url.searchParams.get("bookmark") ?? btoa("0")));
  if (!/^\d{1,9}$/.test(bookmark)) {
    return invalidParameters(sim, "bookmark is invalid");
  }
  const start = Number(bookmark);
  const next = start + size;
  return jsonResponse(sim, 200, {
    items: items.slice(start, next).map(toJson),
    bookmark: next < items.length ? btoa(String(next)) : null,
  });
}

const boardJson = (board: Board): JsonObject => ({
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

function listBoards(sim: SimulatorContext, url: URL, token: Token): Response {
  const privacy = url.searchParams.get("privacy");
  const boards = boardsOf(token).filter((board) => privacy === null || privacy === "ALL" || board.privacy === privacy);
  return paginate(sim, url, boards, boardJson);
}

function readUserAccount(sim: SimulatorContext, token: Token): Response {
  const user = TEST_USERS[token.login];
  return jsonResponse(sim, 200, {
    id: user?.id,
    username: user?.username,
    account_type: user?.business ? "BUSINESS" : "PINNER",
    business_name: user?.business ?? null,
    profile_image: `https://i.pinimg.com/${user?.username}.jpg`,
    about: "",
    website_url: null,
    board_count: boardsOf(token).length,
    pin_count: visiblePinsOf(sim, token.login).length,
    follower_count: 10,
    following_count: 3,
    monthly_views: 163,
  });
}

interface ApiCall {
  readonly request: Request;
  readonly url: URL;
  readonly sim: SimulatorContext;
  readonly token: Token;
  /** The id in the request's path. */
  readonly id: string;
}

interface Endpoint {
  readonly pattern: RegExp;
  readonly scopes: readonly string[];
  readonly handle: (call: ApiCall) => Response | Promise<Response>;
}

/** Calls `handle` with the body if it is a JSON object. */
async function withJsonBody(
  { request, sim }: ApiCall,
  handle: (body: JsonObject) => Response | Promise<Response>,
): Promise<Response> {
  let body: unknown;
  try {
    body = JSON.parse(await request.text());
  } catch {
    body = null;
  }
  return isJsonObject(body) ? handle(body) : invalidParameters(sim, "the body is not a JSON object");
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    pattern: /^GET \/v5\/user_account$/,
    scopes: ["user_accounts:read"],
    handle: ({ sim, token }) => readUserAccount(sim, token),
  },
  {
    pattern: /^GET \/v5\/boards$/,
    scopes: ["boards:read"],
    handle: ({ sim, url, token }) => listBoards(sim, url, token),
  },
  {
    pattern: /^GET \/v5\/boards\/(?<id>\d+)\/pins$/,
    scopes: ["boards:read", "pins:read"],
    handle: ({ sim, url, token, id }) =>
      boardsOf(token).some((board) => board.id === id)
        ? paginate(
            sim,
            url,
            visiblePinsOf(sim, token.login).filter((pin) => pin.boardId === id),
            pinJson,
          )
        : boardNotFound(sim),
  },
  {
    pattern: /^GET \/v5\/pins$/,
    scopes: ["boards:read", "pins:read"],
    handle: ({ sim, url, token }) => paginate(sim, url, visiblePinsOf(sim, token.login), pinJson),
  },
  {
    pattern: /^(?:GET|DELETE) \/v5\/pins\/(?<id>\d+)$/,
    scopes: ["boards:read", "pins:read"],
    handle: ({ sim, token, request, id }) => readOrDeletePin(sim, token, request.method, id),
  },
  {
    pattern: /^GET \/v5\/media\/(?<id>\d+)$/,
    scopes: ["pins:read"],
    handle: ({ sim, token, id }) => readMedia(sim, token, id),
  },
  {
    pattern: /^POST \/v5\/media$/,
    scopes: ["pins:write"],
    handle: (call) => withJsonBody(call, (body) => registerMedia(call.sim, call.token, body)),
  },
  {
    pattern: /^POST \/v5\/pins$/,
    scopes: [],
    handle: (call) => withJsonBody(call, (body) => createPin(call.sim, call.url.hostname, call.token, body)),
  },
];

function handleApiCall(request: Request, url: URL, sim: SimulatorContext): Response | Promise<Response> {
  const methodAndPath = `${request.method} ${url.pathname.replace(/\/$/, "")}`;
  switch (methodAndPath) {
    case "POST /v5/oauth/token":
      return tokenEndpoint(request, sim);
    case "POST /v5/oauth/token/revoke":
      // Only system users may revoke tokens, so the call is refused.
      return errorResponse(sim, 403, 29, "Client is not allowed to revoke token.");
    default: {
      const endpoint = ENDPOINTS.find(({ pattern }) => pattern.test(methodAndPath));
      if (!endpoint) {
        return errorResponse(sim, 404, 404, "Not found.");
      }
      const token = findValidToken(sim, bearerToken(request) ?? "", "access");
      if (!token) {
        return unauthorized(sim);
      }
      if (!endpoint.scopes.every((scope) => token.scopes.includes(scope))) {
        return missingScope(sim);
      }
      const id = endpoint.pattern.exec(methodAndPath)?.groups?.["id"] ?? "";
      return checkCallRate(sim, token.login) ?? endpoint.handle({ request, url, sim, token, id });
    }
  }
}

export const simulator: Simulator = {
  platform: "pinterest",
  hosts: [...API_HOSTS, LOGIN_HOST, UPLOAD_HOST],
  logins: [
    {
      name: "ada",
      accounts: [TEST_USERS["ada"]?.id ?? ""],
      description: "a business account with three ordinary boards, a secret one and one for ads only",
    },
    { name: "ben", accounts: [TEST_USERS["ben"]?.id ?? ""], description: "a personal account with one board" },
  ],
  rules,
  async handle(request, sim) {
    const url = new URL(request.url);
    if (API_HOSTS.includes(url.hostname)) {
      return handleApiCall(request, url, sim);
    }
    if (url.hostname === UPLOAD_HOST) {
      return request.method === "POST" ? receiveFormUpload(request, sim) : s3Error(405, "MethodNotAllowed");
    }
    return `${request.method} ${url.pathname}` === "GET /oauth/"
      ? authorize(url, sim, simulator.logins)
      : new Response("not found", { status: 404 });
  },
  revoke(account, sim) {
    const login = Object.keys(TEST_USERS).find((name) => name === account || TEST_USERS[name]?.id === account);
    return login !== undefined && revokeTokensOfLogin(sim, login);
  },
};
