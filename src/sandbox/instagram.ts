import type { Sim, Simulator } from "./contract.ts";
import { graphError, graphSession, type Params, readParams, select, textOf, withUsage } from "./graph.ts";
import { revokeLogin } from "./grants.ts";
import { describe, find, settle } from "./instagram/containers.ts";
import { createContainer } from "./instagram/create.ts";
import { authorize, BASIC, exchange, PUBLISH, refresh, shortToken } from "./instagram/login.ts";
import { isProfessional, PEOPLE, type Person } from "./instagram/people.ts";
import { invisible } from "./instagram/problems.ts";
import { listMedia, publish, publishingLimit, readMedia } from "./instagram/publish.ts";

/* Plays the login and graph.instagram.com of the API with its own login, by platforms/instagram.md part 6. */

const WWW = "www.instagram.com";
const TOKENS = "api.instagram.com";
const GRAPH = "graph.instagram.com";
/** Alive in November 2026. */
const VERSIONS = new Set(["v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0"]);

const missingPermission = (sim: Sim, scope: string): Response =>
  graphError(sim, {
    status: 403,
    code: 10,
    message: `(#10) Application does not have permission for this action: ${scope}`,
  });

function profile(person: Person, params: Params): Response {
  const all = {
    id: person.appScopedId,
    user_id: person.userId,
    username: person.username,
    name: person.name,
    account_type: person.accountType,
    profile_picture_url: `https://scontent.cdninstagram.com/${person.userId}.jpg`,
    followers_count: person.followers,
    follows_count: 12,
    media_count: 3,
  };
  return Response.json(select(all, textOf(params, "fields") ?? "id"));
}

/** Calls below the account: its profile, its media, publishing. */
function ofAccount(request: Request, url: URL, sim: Sim, person: Person, edge: string, params: Params) {
  switch (`${request.method} ${edge}`) {
    case "GET ":
      return profile(person, params);
    case "GET media":
      return listMedia(sim, person, url, params);
    case "POST media":
      return createContainer(sim, person, params);
    case "POST media_publish":
      return publish(sim, person, params);
    case "GET content_publishing_limit":
      return publishingLimit(sim, person);
    default:
      return graphError(sim, { code: 2500, message: `Unknown path components: /${edge}` });
  }
}

async function graph(request: Request, url: URL, sim: Sim): Promise<Response> {
  let params: Params;
  try {
    params = await readParams(request, url);
  } catch {
    return graphError(sim, { code: 100, message: "The body could not be parsed" });
  }
  const path = url.pathname.split("/").filter(Boolean);
  const [first = ""] = path;
  if (/^v\d/.test(first)) {
    if (!VERSIONS.has(first)) {
      return graphError(sim, {
        code: 2635,
        message: `(#2635) You are calling a version of the Api that is not available: ${first}`,
      });
    }
    path.shift();
  }
  const [node = "", edge = "", ...rest] = path;
  if (request.method === "GET" && edge === "" && (node === "access_token" || node === "refresh_access_token")) {
    return node === "access_token" ? exchange(sim, params) : refresh(sim, params);
  }
  const session = graphSession(sim, request, params);
  if (session instanceof Response) {
    return session;
  }
  const person = PEOPLE[session.login];
  if (!person || rest.length > 0) {
    return invisible(sim, node);
  }
  if (!session.scopes.includes(BASIC)) {
    return missingPermission(sim, BASIC);
  }
  const publishes = request.method === "POST" || edge === "content_publishing_limit";
  if (publishes && (!session.scopes.includes(PUBLISH) || !isProfessional(person))) {
    return missingPermission(sim, PUBLISH);
  }
  const answer = await answerFor(request, url, sim, person, node, edge, params);
  return withUsage(answer, person.userId, "instagram");
}

async function answerFor(
  request: Request,
  url: URL,
  sim: Sim,
  person: Person,
  node: string,
  edge: string,
  params: Params,
): Promise<Response> {
  if (node === "me" || node === person.userId || node === person.appScopedId) {
    return ofAccount(request, url, sim, person, edge, params);
  }
  if (request.method !== "GET" || edge !== "") {
    return invisible(sim, node);
  }
  const container = find(sim, node);
  return container && container.owner === person.userId
    ? Response.json(describe(sim, await settle(sim, container), params))
    : readMedia(sim, person, node, params);
}

export const simulator: Simulator = {
  platform: "instagram",
  hosts: [WWW, TOKENS, GRAPH],
  logins: [
    { name: "ada", description: "has a business account", accounts: [PEOPLE["ada"]?.userId ?? ""] },
    {
      name: "ben",
      description: "has a personal account, which cannot publish",
      accounts: [PEOPLE["ben"]?.userId ?? ""],
    },
    {
      name: "cleo",
      description: "has a small creator account: no trial reels",
      accounts: [PEOPLE["cleo"]?.userId ?? ""],
    },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname === GRAPH) {
      return graph(request, url, sim);
    }
    switch (`${request.method} ${url.hostname}${url.pathname}`) {
      case `GET ${WWW}/oauth/authorize`:
        return authorize(url, sim, simulator.logins);
      case `POST ${TOKENS}/oauth/access_token`:
        return shortToken(request, sim);
      default:
        return new Response("Sorry, this page isn't available.", { status: 404 });
    }
  },
  revoke(account, sim) {
    const login = Object.keys(PEOPLE).find((name) => name === account || PEOPLE[name]?.userId === account);
    return login !== undefined && revokeLogin(sim, login);
  },
};
