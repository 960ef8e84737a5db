import type { Simulator, SimulatorContext } from "./contract.ts";
import { atprotoDid, authorizationServerMetadata, didDocument, protectedResource } from "./bluesky/identity.ts";
import { authorize, pushAuthorizationRequest } from "./bluesky/login.ts";
import { isLenient } from "./bluesky/leniency.ts";
import { findMethod } from "./bluesky/methods.ts";
import { OPERATIONS, rules } from "./bluesky/operations.ts";
import { invalidRequest, invalidXrpc, notFound } from "./bluesky/responses.ts";
import {
  APP_VIEW,
  DIRECTORY,
  ENTRYWAY,
  findPds,
  isAuthorizationServer,
  TEST_USERS,
  VIDEO_SERVICE,
} from "./bluesky/test-users.ts";
import { revokeEndpoint, tokenEndpoint } from "./bluesky/token-endpoint.ts";
import { revokeLogin } from "./bluesky/tokens.ts";
import { handleXrpc } from "./bluesky/xrpc.ts";
import { describeProblem, findOperation, findUnaccepted, findUserAgentProblem } from "./operation.ts";

/* Simulates a Bluesky-hosted PDS behind its entryway, a self-hosted PDS that is its own authorization server, the
   directory of DIDs, the AppView and the video service. DNS is not simulated, so handles resolve over HTTPS. */

const { ada, ben } = TEST_USERS;

/** Answers the paths of an authorization server, which other hosts do not have. */
function handleOauth(request: Request, url: URL, sim: SimulatorContext): Response | Promise<Response> {
  const host = url.hostname;
  if (!isAuthorizationServer(host)) {
    return notFound();
  }
  switch (`${request.method} ${url.pathname}`) {
    case "POST /oauth/par":
      return pushAuthorizationRequest(request, sim, host);
    case "GET /oauth/authorize":
      return authorize(url, sim, host, simulator.logins);
    case "POST /oauth/token":
      return tokenEndpoint(request, sim, host);
    case "POST /oauth/revoke":
      return revokeEndpoint(request, sim);
    case "GET /oauth/jwks":
      return Response.json({ keys: [] });
    default:
      return notFound();
  }
}

function handleWellKnown(request: Request, url: URL, sim: SimulatorContext): Response {
  const host = url.hostname;
  switch (`${request.method} ${url.pathname}`) {
    case "GET /.well-known/oauth-protected-resource":
      return protectedResource(sim, host);
    case "GET /.well-known/oauth-authorization-server":
      return authorizationServerMetadata(sim, host);
    case "GET /.well-known/atproto-did":
      return atprotoDid(sim, host);
    default:
      return notFound();
  }
}

/** Matches calls that check names later: XRPC and the forms of OAuth have their own order of checks. */
const CHECKED_LATER = /^\/(?:xrpc\/|oauth\/(?:par|token|revoke)$)/;

/**
 * Refuses a call that no operation lists. Identity documents check only names. Every call except the browser's page
 * needs a user agent.
 */
async function refuseUnlisted(request: Request, url: URL, sim: SimulatorContext): Promise<Response | undefined> {
  const operation = findOperation(OPERATIONS, request.method, url);
  if (!operation || operation.isPage) {
    return undefined;
  }
  const problem = CHECKED_LATER.test(url.pathname)
    ? findUserAgentProblem(request)
    : await findUnaccepted(operation, request);
  if (!problem || (problem.kind !== "user_agent" && isLenient(sim, "unknown_parameters"))) {
    return undefined;
  }
  return url.pathname.startsWith("/oauth/")
    ? invalidRequest(describeProblem(problem))
    : invalidXrpc(describeProblem(problem));
}

export const simulator: Simulator = {
  platform: "bluesky",
  hosts: [
    DIRECTORY,
    ENTRYWAY,
    APP_VIEW,
    VIDEO_SERVICE,
    ada.pds.host,
    ben.pds.host,
    // This pattern covers the domains of all handles.
    `*.${ENTRYWAY}`,
    `*.${ben.pds.host}`,
  ],
  samplePosts: ["text", "thread", "carousel"],
  logins: [
    {
      name: "ada",
      accounts: [ada.did],
      connectInput: { handle: ada.handle },
      description: `${ada.handle}, hosted by Bluesky, signs in at ${ENTRYWAY}`,
    },
    {
      name: "ben",
      accounts: [ben.did],
      connectInput: { handle: ben.handle },
      description: `${ben.handle}, self-hosted, signs in at ${ben.pds.host}`,
    },
  ],
  rules,
  async handle(request, sim) {
    const url = new URL(request.url);
    const refusal = await refuseUnlisted(request, url, sim);
    if (refusal) {
      return refusal;
    }
    const host = url.hostname;
    if (host === DIRECTORY) {
      return request.method === "GET" ? didDocument(sim, url.pathname) : notFound();
    }
    if (url.pathname.startsWith("/.well-known/")) {
      return handleWellKnown(request, url, sim);
    }
    if (url.pathname.startsWith("/oauth/")) {
      return handleOauth(request, url, sim);
    }
    const nsid = /^\/xrpc\/(?<nsid>[\w.-]+)$/.exec(url.pathname)?.groups?.["nsid"];
    const pds = findPds(host);
    const hasXrpc = pds !== undefined || [ENTRYWAY, APP_VIEW, VIDEO_SERVICE].includes(host);
    return nsid !== undefined && hasXrpc
      ? handleXrpc({ request, sim, host, pds, query: url.searchParams }, findMethod(nsid, host, pds))
      : notFound();
  },
  revoke(account, sim) {
    const user = [ada, ben].find(({ name, did }) => name === account || did === account);
    return user !== undefined && revokeLogin(sim, user.name);
  },
};
