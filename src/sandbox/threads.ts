import { refuseProof } from "./app-secret-proof.ts";
import type { SimulatorContext, Simulator } from "./contract.ts";
import {
  graphError,
  authenticateGraphCall,
  type Params,
  readParams,
  selectFields,
  textParam,
  unknownField,
  withUsageHeaders,
} from "./graph-api.ts";
import { bearerToken, revokeTokensOfLogin, type Token } from "./oauth-server.ts";
import { createContainer } from "./threads/containers.ts";
import { authorize, exchangeCode, debugToken, exchangeForLongToken, refreshLongToken } from "./threads/login.ts";
import { deletePost, listPosts, publishContainer, publishingLimit, readNode } from "./threads/posts.ts";
import { invalidParameter, fieldNotFound, mediaNotFound, missingPermission } from "./threads/error-responses.ts";
import { rules } from "./threads/operations.ts";
import { operatorApp } from "./threads/operator-app.ts";
import { listConversation, refuseReply } from "./threads/replies.ts";
import { type TestUser, TEST_USERS } from "./threads/test-users.ts";

/* Simulates the login at threads.net and the API at graph.threads.net v1.0 (platforms/threads.md part 6). */

const BASIC_SCOPE = "threads_basic";
const PUBLISH_SCOPE = "threads_content_publish";
const DELETE_SCOPE = "threads_delete";
/** The scope for POST and GET calls to reply endpoints (…/threads/retrieve-and-manage-replies). */
const WRITE_REPLIES_SCOPE = "threads_manage_replies";
const READ_REPLIES_SCOPE = "threads_read_replies";

function profileResponse(sim: SimulatorContext, user: TestUser, fields: string | null): Response {
  const allFields = {
    id: user.id,
    username: user.username,
    name: user.name,
    threads_profile_picture_url: `https://scontent.threads.net/${user.username}.jpg`,
    threads_biography: "",
    is_verified: false,
  };
  const unknown = unknownField(allFields, fields);
  return unknown === undefined ? Response.json(selectFields(allFields, fields ?? "id")) : fieldNotFound(sim, unknown);
}

/** The scope that a call needs in addition to `threads_basic`. */
function scopeFor(method: string, edge: string): string | null {
  switch (`${method} ${edge}`) {
    case "POST threads":
    case "POST threads_publish":
    case "GET threads_publishing_limit":
      return PUBLISH_SCOPE;
    case "DELETE ":
      return DELETE_SCOPE;
    case "GET conversation":
      return READ_REPLIES_SCOPE;
    default:
      return null;
  }
}

/** Answers a call to the user's profile or one of its edges. */
function handleUserCall(
  request: Request,
  url: URL,
  sim: SimulatorContext,
  token: Token,
  user: TestUser,
  edge: string,
  params: Params,
) {
  const fields = url.searchParams.get("fields");
  switch (`${request.method} ${edge}`) {
    case "GET ":
      return profileResponse(sim, user, fields);
    case "POST threads":
      return refuseReply(sim, token, params) ?? createContainer(sim, token, params);
    case "POST threads_publish":
      return publishContainer(sim, token, params);
    case "GET threads":
      return listPosts(sim, token, url);
    case "GET threads_publishing_limit":
      return publishingLimit(sim, token, fields);
    default:
      return invalidParameter(sim, `Unknown path components: /${edge}`);
  }
}

function handleNodeCall(
  request: Request,
  url: URL,
  sim: SimulatorContext,
  token: Token,
  id: string,
  edge: string,
): Response | Promise<Response> {
  switch (`${request.method} ${edge}`) {
    case "GET conversation":
      return listConversation(sim, token, id, url);
    case "GET ":
      return readNode(sim, token, id, url.searchParams.get("fields"));
    case "DELETE ":
      return deletePost(sim, token, id);
    default:
      return mediaNotFound(sim, id);
  }
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
    return invalidParameter(sim, "The body cannot be parsed.");
  }
  switch (`${request.method} ${url.pathname}`) {
    case "POST /oauth/access_token":
      return exchangeCode(sim, params);
    case "GET /access_token":
      return exchangeForLongToken(sim, params);
    case "GET /refresh_access_token":
      return refreshLongToken(sim, params);
    case "GET /debug_token":
      return debugToken(sim, request, params);
    default:
  }
  const [, version, node = "", edge = "", ...rest] = url.pathname.split("/");
  if (version !== "v1.0" || rest.length > 0) {
    return graphError(sim, { code: 2635, message: "You are calling a deprecated or unknown version." });
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
  if (!user) {
    return mediaNotFound(sim, node);
  }
  const replyScope = request.method === "POST" && params.has("reply_to_id") ? WRITE_REPLIES_SCOPE : null;
  const missingScope = [BASIC_SCOPE, scopeFor(request.method, edge), replyScope].find(
    (scope) => scope !== null && !token.scopes.includes(scope),
  );
  if (missingScope) {
    return missingPermission(sim, missingScope);
  }
  const isOwnNode = node === "me" || node === user.id;
  const response = await (isOwnNode
    ? handleUserCall(request, url, sim, token, user, edge, params)
    : handleNodeCall(request, url, sim, token, node, edge));
  return withUsageHeaders(response, user.id, "threads");
}

export const simulator: Simulator = {
  platform: "threads",
  appFamily: "meta",
  hosts: ["threads.net", "www.threads.net", "threads.com", "www.threads.com", "graph.threads.net", "graph.threads.com"],
  logins: [
    { name: "ada", accounts: [TEST_USERS["ada"]?.id ?? ""], description: "a profile" },
    { name: "ben", accounts: [TEST_USERS["ben"]?.id ?? ""], description: "another profile" },
  ],
  operatorApp,
  rules,
  async handle(request, sim) {
    const url = new URL(request.url);
    if (url.hostname.startsWith("graph.")) {
      return handleGraphCall(request, url, sim);
    }
    return `${request.method} ${url.pathname}` === "GET /oauth/authorize"
      ? authorize(url, sim, simulator.logins)
      : new Response("not found", { status: 404 });
  },
  revoke(account, sim) {
    const login = Object.keys(TEST_USERS).find((name) => name === account || TEST_USERS[name]?.id === account);
    return login !== undefined && revokeTokensOfLogin(sim, login);
  },
};
