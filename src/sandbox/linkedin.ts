import type { JsonObject } from "#core/json.ts";
import type { Sim, Simulator } from "./contract.ts";
import { revokeLogin, type Token } from "./grants.ts";
import { forbidden, noSuchResource, problem } from "./linkedin/answers.ts";
import { finalize, initialize, readAsset, receive } from "./linkedin/assets.ts";
import { authorize, introspect, revoke, token } from "./linkedin/login.ts";
import { accountsOf, organizationsOf, organizationUrn, PEOPLE, personUrn } from "./linkedin/people.ts";
import { createPost, deletePost, findPosts, readPost } from "./linkedin/posts.ts";
import { sessionOf, versionRefusal } from "./linkedin/session.ts";

/* Plays www.linkedin.com (login, uploads) and api.linkedin.com (versioned REST), by platforms/linkedin.md part 6. */

const WWW = "www.linkedin.com";
const API = "api.linkedin.com";

function organizationAcls(sim: Sim, session: Token, url: URL): Response {
  if (!["rw_organization_admin", "r_organization_social"].some((scope) => session.scopes.includes(scope))) {
    return forbidden("organizationAcls.FINDER-roleAssignee");
  }
  if (url.searchParams.get("q") !== "roleAssignee") {
    return problem(400, "ILLEGAL_ARGUMENT", "q must be roleAssignee");
  }
  const elements = organizationsOf(sim, session.login).map((one) => ({
    role: one.role,
    state: "APPROVED",
    organization: organizationUrn(one),
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

/** The versioned half: everything under /rest/. */
async function rest(request: Request, url: URL, sim: Sim, session: Token): Promise<Response> {
  const [, , resource = "", encoded = ""] = url.pathname.split("/");
  const id = decodeURIComponent(encoded);
  const raw = request.method === "POST" ? await request.text() : "{}";
  let body: JsonObject;
  try {
    body = { ...(JSON.parse(raw) as JsonObject) };
  } catch {
    return problem(400, "ILLEGAL_ARGUMENT", "The body is not JSON");
  }
  const action = url.searchParams.get("action");
  switch (`${request.method} ${resource}`) {
    case "POST images":
      return initialize(sim, session, "image", body);
    case "POST videos":
      return action === "finalizeUpload" ? finalize(sim, session, body) : initialize(sim, session, "video", body);
    case "GET images":
      return readAsset(sim, session, "image", id);
    case "GET videos":
      return readAsset(sim, session, "video", id);
    case "GET organizationAcls":
      return organizationAcls(sim, session, url);
    case "GET organizations":
      return readOrganization(sim, session, id);
    case "POST posts":
      return createPost(sim, session, body, raw);
    case "GET posts":
      return id === "" ? findPosts(sim, session, request, url) : readPost(sim, session, id);
    case "DELETE posts":
      return deletePost(sim, session, id);
    default:
      return noSuchResource(`No resource for ${request.method} ${resource}`);
  }
}

async function api(request: Request, url: URL, sim: Sim): Promise<Response> {
  const session = sessionOf(request, sim);
  if (session instanceof Response) {
    return session;
  }
  const person = PEOPLE[session.login];
  switch (`${request.method} ${url.pathname}`) {
    case "GET /v2/userinfo":
      return session.scopes.includes("openid") && session.scopes.includes("profile")
        ? Response.json({
            sub: person?.sub,
            name: person?.name,
            picture: `https://media.licdn.com/dms/image/${person?.sub}`,
            locale: { country: "US", language: "en" },
          })
        : forbidden("GET /userinfo");
    case "GET /v2/me":
      return session.scopes.includes("r_basicprofile")
        ? Response.json({ id: person?.sub, vanityName: person?.vanity, localizedFirstName: person?.name })
        : forbidden("GET /me");
    default:
      return url.pathname.startsWith("/rest/")
        ? (versionRefusal(request, sim) ?? rest(request, url, sim, session))
        : noSuchResource("No such resource");
  }
}

export const simulator: Simulator = {
  platform: "linkedin",
  hosts: [WWW, API],
  logins: [
    { name: "ada", accounts: accountsOf("ada"), description: "a member who administers one organisation" },
    { name: "ben", accounts: accountsOf("ben"), description: "a member without an organisation" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname === API) {
      return api(request, url, sim);
    }
    switch (`${request.method} ${url.pathname}`) {
      case "GET /oauth/v2/authorization":
        return authorize(url, sim, simulator.logins);
      case "POST /oauth/v2/accessToken":
        return token(request, sim);
      case "POST /oauth/v2/revoke":
        return revoke(request, sim);
      case "POST /oauth/v2/introspectToken":
        return introspect(request, sim);
      default:
        return request.method === "PUT" && url.pathname.startsWith("/dms-uploads/")
          ? receive(request, url, sim)
          : noSuchResource("No such page");
    }
  },
  revoke(account, sim) {
    const login = Object.keys(PEOPLE).find((name) => name === account || accountsOf(name).includes(account));
    return login !== undefined && revokeLogin(sim, login);
  },
};
