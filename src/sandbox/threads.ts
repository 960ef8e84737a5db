import type { Sim, Simulator } from "./contract.ts";
import { graphError, graphSession, type Params, readParams, select, strangeField, withUsage } from "./graph.ts";
import { revokeLogin, type Token } from "./grants.ts";
import { createContainer } from "./threads/containers.ts";
import { authorize, codeForToken, debugToken, exchange, refresh } from "./threads/login.ts";
import { deletePost, listPosts, publish, publishingLimit, readOne } from "./threads/posts.ts";
import { invalid, noField, notFound } from "./threads/problems.ts";
import { type Profile, PROFILES } from "./threads/profiles.ts";

/* Plays threads.net's login and graph.threads.net v1.0, by platforms/threads.md part 6. */

const BASIC = "threads_basic";
const PUBLISH = "threads_content_publish";
const DELETE = "threads_delete";

const missingPermission = (sim: Sim, scope: string): Response =>
  graphError(sim, {
    status: 403,
    code: 10,
    message: `(#10) Application does not have permission for this action: ${scope}`,
  });

function profileOf(sim: Sim, profile: Profile, fields: string | null): Response {
  const all = {
    id: profile.id,
    username: profile.username,
    name: profile.name,
    threads_profile_picture_url: `https://scontent.threads.net/${profile.username}.jpg`,
    threads_biography: "",
    is_verified: false,
  };
  const stranger = strangeField(all, fields);
  return stranger === undefined ? Response.json(select(all, fields ?? "id")) : noField(sim, stranger);
}

/** The scope that a call needs beside the one that all need. */
function scopeFor(method: string, edge: string): string | null {
  switch (`${method} ${edge}`) {
    case "POST threads":
    case "POST threads_publish":
      return PUBLISH;
    case "DELETE ":
      return DELETE;
    default:
      return null;
  }
}

/** Calls below the user: the profile, containers, posts. */
function ofUser(request: Request, url: URL, sim: Sim, session: Token, profile: Profile, edge: string, params: Params) {
  const fields = url.searchParams.get("fields");
  switch (`${request.method} ${edge}`) {
    case "GET ":
      return profileOf(sim, profile, fields);
    case "POST threads":
      return createContainer(sim, session, params);
    case "POST threads_publish":
      return publish(sim, session, params);
    case "GET threads":
      return listPosts(sim, session, url);
    case "GET threads_publishing_limit":
      return publishingLimit(sim, session, fields);
    default:
      return invalid(sim, `Unknown path components: /${edge}`);
  }
}

function ofNode(request: Request, url: URL, sim: Sim, session: Token, id: string): Response | Promise<Response> {
  switch (request.method) {
    case "GET":
      return readOne(sim, session, id, url.searchParams.get("fields"));
    case "DELETE":
      return deletePost(sim, session, id);
    default:
      return notFound(sim, id);
  }
}

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
  const [, version, node = "", edge = "", ...rest] = url.pathname.split("/");
  if (version !== "v1.0" || rest.length > 0) {
    return graphError(sim, { code: 2635, message: "You are calling a deprecated or unknown version." });
  }
  const session = graphSession(sim, request, params);
  if (session instanceof Response) {
    return session;
  }
  const profile = PROFILES[session.login];
  if (!profile) {
    return notFound(sim, node);
  }
  const lacking = [BASIC, scopeFor(request.method, edge)].find(
    (scope) => scope !== null && !session.scopes.includes(scope),
  );
  if (lacking) {
    return missingPermission(sim, lacking);
  }
  const isOwn = node === "me" || node === profile.id;
  const answer = await (isOwn
    ? ofUser(request, url, sim, session, profile, edge, params)
    : ofNode(request, url, sim, session, node));
  return withUsage(answer, profile.id, "threads");
}

export const simulator: Simulator = {
  platform: "threads",
  hosts: ["threads.net", "www.threads.net", "threads.com", "www.threads.com", "graph.threads.net", "graph.threads.com"],
  logins: [
    { name: "ada", accounts: [PROFILES["ada"]?.id ?? ""], description: "a profile" },
    { name: "ben", accounts: [PROFILES["ben"]?.id ?? ""], description: "another profile" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname.startsWith("graph.")) {
      return graph(request, url, sim);
    }
    return `${request.method} ${url.pathname}` === "GET /oauth/authorize"
      ? authorize(url, sim, simulator.logins)
      : new Response("not found", { status: 404 });
  },
  revoke(account, sim) {
    const login = Object.keys(PROFILES).find((name) => name === account || PROFILES[name]?.id === account);
    return login !== undefined && revokeLogin(sim, login);
  },
};
