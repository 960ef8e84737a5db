import { refuseProof } from "./app-secret-proof.ts";
import type { SimulatorContext, Simulator } from "./contract.ts";
import {
  graphError,
  authenticateGraphCall,
  type Params,
  readParams,
  textParam,
  withUsageHeaders,
} from "./graph-api.ts";
import { bearerToken, revokeTokensOfLogin } from "./oauth-server.ts";
import { handleAccountEdge } from "./instagram/account-edges.ts";
import { commentsEdge, publishedComments } from "./instagram/comments.ts";
import { containerJson, findContainer, awaitDownload } from "./instagram/containers.ts";
import {
  authorize,
  BASIC_SCOPE,
  COMMENT_SCOPE,
  exchangeForLongToken,
  PUBLISH_SCOPE,
  refreshLongToken,
  exchangeCode,
} from "./instagram/login.ts";
import { isProfessional, TEST_USERS, type TestUser } from "./instagram/test-users.ts";
import { invalidParameter, objectNotFound, selectedFields } from "./instagram/error-responses.ts";
import { rules } from "./instagram/operations.ts";
import { operatorApp } from "./instagram/operator-app.ts";
import { readMedia } from "./instagram/posts.ts";

/* Simulates the Instagram API with Instagram Login: its login and graph.instagram.com (platforms/instagram.md part
   6). */

const LOGIN_HOST = "www.instagram.com";
const TOKEN_HOST = "api.instagram.com";
const GRAPH_HOST = "graph.instagram.com";
/** The API versions that had not expired in November 2026. */
const SUPPORTED_VERSIONS = new Set(["v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0", "v27.0"]);

const missingPermission = (sim: SimulatorContext, scope: string): Response =>
  graphError(sim, {
    status: 403,
    code: 10,
    message: `(#10) Application does not have permission for this action: ${scope}`,
  });

function profileResponse(sim: SimulatorContext, user: TestUser, params: Params): Response {
  const allFields = {
    id: user.appScopedId,
    user_id: user.userId,
    username: user.username,
    name: user.name,
    account_type: user.accountType,
    profile_picture_url: `https://scontent.cdninstagram.com/${user.userId}.jpg`,
    followers_count: user.followers,
    follows_count: 12,
    media_count: 3,
  };
  return selectedFields(sim, "IGUser", allFields, params);
}

function handleAccountCall(
  request: Request,
  url: URL,
  sim: SimulatorContext,
  user: TestUser,
  edge: string,
  params: Params,
) {
  const methodAndEdge = `${request.method} ${edge}`;
  return methodAndEdge === "GET "
    ? profileResponse(sim, user, params)
    : (handleAccountEdge(methodAndEdge, { url, sim, params }, user) ??
        graphError(sim, { code: 2500, message: `Unknown path components: /${edge}` }));
}

/**
 * Meta does not document this for this product, so both readings exist. By default the proof is required, as for an app with "Require App
 * Secret"; with `refuse_proof` it is an unknown parameter.
 */
async function refuseAppSecretProof(sim: SimulatorContext, request: Request, params: Params): Promise<Response | null> {
  if (sim.settings.extra["refuse_proof"] === true) {
    return params.has("appsecret_proof") ? invalidParameter(sim, "The parameter appsecret_proof is not known") : null;
  }
  const isRequired = sim.settings.extra["require_proof"] !== false;
  return refuseProof(sim, params, bearerToken(request) ?? textParam(params, "access_token") ?? "", isRequired);
}

async function handleGraphCall(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  let params: Params;
  try {
    params = await readParams(request, url);
  } catch {
    return graphError(sim, { code: 100, message: "The body could not be parsed" });
  }
  const path = url.pathname.split("/").filter(Boolean);
  const [version = ""] = path;
  if (/^v\d/.test(version)) {
    if (!SUPPORTED_VERSIONS.has(version)) {
      return graphError(sim, {
        code: 2635,
        message: `(#2635) You are calling a version of the Api that is not available: ${version}`,
      });
    }
    path.shift();
  }
  const [node = "", edge = "", ...rest] = path;
  if (request.method === "GET" && edge === "" && (node === "access_token" || node === "refresh_access_token")) {
    return node === "access_token" ? exchangeForLongToken(sim, params) : refreshLongToken(sim, params);
  }
  const token = authenticateGraphCall(sim, request, params);
  if (token instanceof Response) {
    return token;
  }
  const proofRefusal = await refuseAppSecretProof(sim, request, params);
  if (proofRefusal) {
    return proofRefusal;
  }
  const user = TEST_USERS[token.login];
  if (!user || rest.length > 0) {
    return objectNotFound(sim, node);
  }
  if (!token.scopes.includes(BASIC_SCOPE)) {
    return missingPermission(sim, BASIC_SCOPE);
  }
  const needsPublishScope = request.method === "POST" || edge === "content_publishing_limit";
  if (needsPublishScope && (!token.scopes.includes(PUBLISH_SCOPE) || !isProfessional(user))) {
    return missingPermission(sim, PUBLISH_SCOPE);
  }
  const response = await handleAuthorizedCall(request, url, sim, user, node, edge, params, token.scopes);
  return withUsageHeaders(response, user.userId, "instagram");
}

async function handleAuthorizedCall(
  request: Request,
  url: URL,
  sim: SimulatorContext,
  user: TestUser,
  node: string,
  edge: string,
  params: Params,
  scopes: readonly string[],
): Promise<Response> {
  if (node === "me" || node === user.userId || node === user.appScopedId) {
    return handleAccountCall(request, url, sim, user, edge, params);
  }
  if (edge === "comments") {
    return scopes.includes(COMMENT_SCOPE)
      ? commentsEdge({ request, url, sim, params }, user, node)
      : missingPermission(sim, COMMENT_SCOPE);
  }
  if (request.method !== "GET" || edge !== "") {
    return objectNotFound(sim, node);
  }
  const container = findContainer(sim, node);
  return container && container.owner === user.userId
    ? selectedFields(sim, "IGContainer", containerJson(sim, await awaitDownload(sim, container)), params)
    : readMedia(sim, user, node, params);
}

export const simulator: Simulator = {
  platform: "instagram",
  appFamily: "meta",
  hosts: [LOGIN_HOST, TOKEN_HOST, GRAPH_HOST],
  samplePosts: ["carousel", "reel"],
  logins: [
    { name: "ada", description: "has a business account", accounts: [TEST_USERS["ada"]?.userId ?? ""] },
    {
      name: "ben",
      description: "has a personal account, which cannot publish",
      accounts: [TEST_USERS["ben"]?.userId ?? ""],
    },
    {
      name: "cleo",
      description: "has a small creator account: no trial reels",
      accounts: [TEST_USERS["cleo"]?.userId ?? ""],
    },
  ],
  operatorApp,
  rules,
  publishedExtras: publishedComments,
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname === GRAPH_HOST) {
      return handleGraphCall(request, url, sim);
    }
    switch (`${request.method} ${url.hostname}${url.pathname}`) {
      case `GET ${LOGIN_HOST}/oauth/authorize`:
        return authorize(url, sim, simulator.logins);
      case `POST ${TOKEN_HOST}/oauth/access_token`:
        return exchangeCode(request, sim);
      default:
        return new Response("Sorry, this page isn't available.", { status: 404 });
    }
  },
  revoke(account, sim) {
    const login = Object.keys(TEST_USERS).find((name) => name === account || TEST_USERS[name]?.userId === account);
    return login !== undefined && revokeTokensOfLogin(sim, login);
  },
};
