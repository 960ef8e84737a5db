import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext, Simulator } from "./contract.ts";
import { revokeTokensOfLogin, type Token } from "./oauth-server.ts";
import { accessDenied, resourceNotFound, errorResponse } from "./linkedin/error-responses.ts";
import { createComment, listComments, publishedComments } from "./linkedin/comments.ts";
import { finalizeVideo, initializeUpload, readAsset, receiveUpload } from "./linkedin/media-assets.ts";
import { operatorApp } from "./linkedin/operator-app.ts";
import { authorize, introspectEndpoint, revokeEndpoint, tokenEndpoint } from "./linkedin/login.ts";
import { rules } from "./linkedin/operations.ts";
import { listOrganizationAcls, lookUpOrganizations, readOrganization } from "./linkedin/organizations.ts";
import { accountsOf, TEST_USERS } from "./linkedin/test-users.ts";
import { createPost, deletePost, findPosts, readPost } from "./linkedin/posts.ts";
import { authenticate, checkVersion } from "./linkedin/authorization.ts";

/* Simulates www.linkedin.com (login, uploads) and api.linkedin.com (versioned REST API): platforms/linkedin.md part
   6. */

const WWW = "www.linkedin.com";
const API = "api.linkedin.com";

async function handleRestCall(request: Request, url: URL, sim: SimulatorContext, token: Token): Promise<Response> {
  const [, , resource = "", encoded = "", edge = ""] = url.pathname.split("/");
  const id = decodeURIComponent(encoded);
  const rawBody = request.method === "POST" ? await request.text() : "{}";
  let body: JsonObject;
  try {
    body = { ...(JSON.parse(rawBody) as JsonObject) };
  } catch {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "The body is not JSON");
  }
  const action = url.searchParams.get("action");
  switch (`${request.method} ${resource}`) {
    case "POST images":
      return initializeUpload(sim, token, "image", body);
    case "POST videos":
      return action === "finalizeUpload"
        ? finalizeVideo(sim, token, body)
        : initializeUpload(sim, token, "video", body);
    case "POST documents":
      return initializeUpload(sim, token, "document", body);
    case "GET documents":
      return readAsset(sim, token, "document", id);
    case "GET images":
      return readAsset(sim, token, "image", id);
    case "GET videos":
      return readAsset(sim, token, "video", id);
    case "GET organizationAcls":
      return listOrganizationAcls(sim, token, url);
    case "GET organizations":
      return readOrganization(sim, token, id);
    case "GET organizationsLookup":
      return lookUpOrganizations(sim, token, url);
    case "POST socialActions":
      return edge === "comments" ? createComment(sim, token, id, body) : resourceNotFound("No such action");
    case "GET socialActions":
      return edge === "comments" ? listComments(sim, token, id, url) : resourceNotFound("No such action");
    case "POST posts":
      return createPost(sim, token, body, rawBody);
    case "GET posts":
      return id === "" ? findPosts(sim, token, request, url) : readPost(sim, token, id);
    case "DELETE posts":
      return deletePost(sim, token, id);
    default:
      return resourceNotFound(`No resource for ${request.method} ${resource}`);
  }
}

async function handleApiCall(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  const token = authenticate(request, sim);
  if (token instanceof Response) {
    return token;
  }
  const user = TEST_USERS[token.login];
  switch (`${request.method} ${url.pathname}`) {
    case "GET /v2/userinfo":
      return token.scopes.includes("openid") && token.scopes.includes("profile")
        ? Response.json({
            sub: user?.sub,
            name: user?.name,
            picture: `https://media.licdn.com/dms/image/${user?.sub}`,
            locale: { country: "US", language: "en" },
          })
        : accessDenied("GET /userinfo");
    case "GET /v2/me":
      return token.scopes.includes("r_basicprofile")
        ? Response.json({ id: user?.sub, vanityName: user?.vanityName, localizedFirstName: user?.name })
        : accessDenied("GET /me");
    default:
      return url.pathname.startsWith("/rest/")
        ? (checkVersion(request, sim) ?? handleRestCall(request, url, sim, token))
        : resourceNotFound("No such resource");
  }
}

export const simulator: Simulator = {
  platform: "linkedin",
  hosts: [WWW, API],
  logins: [
    { name: "ada", accounts: accountsOf("ada"), description: "a member who administers one organisation" },
    { name: "ben", accounts: accountsOf("ben"), description: "a member without an organisation" },
    {
      name: "cleo",
      accounts: accountsOf("cleo"),
      description: "an analyst of one organisation and content administrator of another",
    },
    {
      name: "dora",
      accounts: accountsOf("dora"),
      description: "a revoked administrator of one organisation, and administrator of a showcase page",
    },
  ],
  operatorApp,
  rules,
  publishedExtras: publishedComments,
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname === API) {
      return handleApiCall(request, url, sim);
    }
    switch (`${request.method} ${url.pathname}`) {
      case "GET /oauth/v2/authorization":
        return authorize(url, sim, simulator.logins);
      case "POST /oauth/v2/accessToken":
        return tokenEndpoint(request, sim);
      case "POST /oauth/v2/revoke":
        return revokeEndpoint(request, sim);
      case "POST /oauth/v2/introspectToken":
        return introspectEndpoint(request, sim);
      default:
        return request.method === "PUT" && url.pathname.startsWith("/dms-uploads/")
          ? receiveUpload(request, url, sim)
          : resourceNotFound("No such page");
    }
  },
  revoke(account, sim) {
    const login = Object.keys(TEST_USERS).find((name) => name === account || accountsOf(name).includes(account));
    return login !== undefined && revokeTokensOfLogin(sim, login);
  },
};
