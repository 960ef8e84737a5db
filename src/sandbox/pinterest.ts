import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim, Simulator } from "./contract.ts";
import { bearer, fromBase64OrEmpty, liveToken, revokeLogin, type Token } from "./grants.ts";
import { answer, fail, invalid, noBoard, scopeMissing, unauthorized } from "./pinterest/answers.ts";
import { callRefusal } from "./pinterest/limits.ts";
import { authorize, token } from "./pinterest/login.ts";
import { readMedia, receiveForm, register, s3Error } from "./pinterest/media.ts";
import { type BoardRow, boardsOf, PEOPLE } from "./pinterest/people.ts";
import { createPin, onePin, pinJson, pinsOf } from "./pinterest/pins.ts";

/* Plays api.pinterest.com v5, its browser login and the S3 form it hands out for videos, by platforms/pinterest.md part 6. */

const API = ["api.pinterest.com", "api-sandbox.pinterest.com"];
const LOGIN = "www.pinterest.com";
const UPLOAD = "pinterest-media-upload.s3-accelerate.amazonaws.com";

const PAGE_MAX = 250;
const USUAL_PAGE = 25;

/** A page of a list; the bookmark is an opaque text, null at the end. */
function page<T>(sim: Sim, url: URL, items: readonly T[], toJson: (item: T) => JsonValue): Response {
  const size = Number(url.searchParams.get("page_size") ?? USUAL_PAGE);
  if (!Number.isInteger(size) || size < 1 || size > PAGE_MAX) {
    return invalid(sim, `page_size must be 1 to ${PAGE_MAX}`);
  }
  const bookmark = new TextDecoder().decode(fromBase64OrEmpty(url.searchParams.get("bookmark") ?? btoa("0")));
  if (!/^\d{1,9}$/.test(bookmark)) {
    return invalid(sim, "bookmark is not one of ours");
  }
  const start = Number(bookmark);
  const next = start + size;
  return answer(sim, 200, {
    items: items.slice(start, next).map(toJson),
    bookmark: next < items.length ? btoa(String(next)) : null,
  });
}

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

function listBoards(sim: Sim, url: URL, session: Token): Response {
  const privacy = url.searchParams.get("privacy");
  const boards = boardsOf(session).filter(
    (board) => privacy === null || privacy === "ALL" || board.privacy === privacy,
  );
  return page(sim, url, boards, boardJson);
}

function userAccount(sim: Sim, session: Token): Response {
  const person = PEOPLE[session.login];
  return answer(sim, 200, {
    id: person?.id,
    username: person?.username,
    account_type: person?.business ? "BUSINESS" : "PINNER",
    business_name: person?.business ?? null,
    profile_image: `https://i.pinimg.com/${person?.username}.jpg`,
    about: "",
    website_url: null,
    board_count: boardsOf(session).length,
    pin_count: pinsOf(sim, session.login).length,
    follower_count: 10,
    following_count: 3,
    monthly_views: 163,
  });
}

interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly sim: Sim;
  readonly session: Token;
  /** The id in the path. */
  readonly id: string;
}

interface Endpoint {
  readonly at: RegExp;
  readonly scopes: readonly string[];
  readonly handle: (call: Call) => Response | Promise<Response>;
}

/** Hands over the body when it is a JSON object. */
async function withBody(
  { request, sim }: Call,
  handle: (body: JsonObject) => Response | Promise<Response>,
): Promise<Response> {
  let body: unknown;
  try {
    body = JSON.parse(await request.text());
  } catch {
    body = null;
  }
  return typeof body === "object" && body !== null && !Array.isArray(body)
    ? handle(body as JsonObject)
    : invalid(sim, "the body is not a JSON object");
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    at: /^GET \/v5\/user_account$/,
    scopes: ["user_accounts:read"],
    handle: ({ sim, session }) => userAccount(sim, session),
  },
  {
    at: /^GET \/v5\/boards$/,
    scopes: ["boards:read"],
    handle: ({ sim, url, session }) => listBoards(sim, url, session),
  },
  {
    at: /^GET \/v5\/boards\/(?<id>\d+)\/pins$/,
    scopes: ["boards:read", "pins:read"],
    handle: ({ sim, url, session, id }) =>
      boardsOf(session).some((board) => board.id === id)
        ? page(
            sim,
            url,
            pinsOf(sim, session.login).filter((pin) => pin.boardId === id),
            pinJson,
          )
        : noBoard(sim),
  },
  {
    at: /^GET \/v5\/pins$/,
    scopes: ["boards:read", "pins:read"],
    handle: ({ sim, url, session }) => page(sim, url, pinsOf(sim, session.login), pinJson),
  },
  {
    at: /^(?:GET|DELETE) \/v5\/pins\/(?<id>\d+)$/,
    scopes: ["boards:read", "pins:read"],
    handle: ({ sim, session, request, id }) => onePin(sim, session, request.method, id),
  },
  {
    at: /^GET \/v5\/media\/(?<id>\d+)$/,
    scopes: ["pins:read"],
    handle: ({ sim, session, id }) => readMedia(sim, session, id),
  },
  {
    at: /^POST \/v5\/media$/,
    scopes: ["pins:write"],
    handle: (call) => withBody(call, (body) => register(call.sim, call.session, body)),
  },
  {
    at: /^POST \/v5\/pins$/,
    scopes: [],
    handle: (call) => withBody(call, (body) => createPin(call.sim, call.url.hostname, call.session, body)),
  },
];

function api(request: Request, url: URL, sim: Sim): Response | Promise<Response> {
  const line = `${request.method} ${url.pathname.replace(/\/$/, "")}`;
  switch (line) {
    case "POST /v5/oauth/token":
      return token(request, sim);
    case "POST /v5/oauth/token/revoke":
      // For system users alone.
      return fail(sim, 403, 29, "Client is not allowed to revoke token.");
    default: {
      const endpoint = ENDPOINTS.find((one) => one.at.test(line));
      if (!endpoint) {
        return fail(sim, 404, 404, "Not found.");
      }
      const session = liveToken(sim, bearer(request) ?? "", "access");
      if (!session) {
        return unauthorized(sim);
      }
      if (!endpoint.scopes.every((scope) => session.scopes.includes(scope))) {
        return scopeMissing(sim);
      }
      const id = endpoint.at.exec(line)?.groups?.["id"] ?? "";
      return callRefusal(sim, session.login) ?? endpoint.handle({ request, url, sim, session, id });
    }
  }
}

export const simulator: Simulator = {
  platform: "pinterest",
  hosts: [...API, LOGIN, UPLOAD],
  logins: [
    {
      name: "ada",
      accounts: [PEOPLE["ada"]?.id ?? ""],
      description: "a business with three boards of her own choosing, a secret one and one for ads",
    },
    { name: "ben", accounts: [PEOPLE["ben"]?.id ?? ""], description: "a person with one board" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (API.includes(url.hostname)) {
      return api(request, url, sim);
    }
    if (url.hostname === UPLOAD) {
      return request.method === "POST" ? receiveForm(request, sim) : s3Error(405, "MethodNotAllowed");
    }
    return `${request.method} ${url.pathname}` === "GET /oauth/"
      ? authorize(url, sim, simulator.logins)
      : new Response("not found", { status: 404 });
  },
  revoke(account, sim) {
    const login = Object.keys(PEOPLE).find((name) => name === account || PEOPLE[name]?.id === account);
    return login !== undefined && revokeLogin(sim, login);
  },
};
