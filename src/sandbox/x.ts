import type { SimulatorContext, Simulator } from "./contract.ts";
import { revokeTokensOfLogin } from "./oauth-server.ts";
import { notFound } from "./x/error-responses.ts";
import { authorize, revokeEndpoint, tokenEndpoint } from "./x/login.ts";
import {
  appendSegment,
  setAltText,
  finalizeUpload,
  initializeUpload,
  readUploadStatus,
  uploadInOneCall,
} from "./x/media.ts";
import { TEST_USERS, type TestUser } from "./x/test-users.ts";
import { rules } from "./x/operations.ts";
import { createPost, deletePost } from "./x/posts.ts";
import { readMe, readPost, readTimeline } from "./x/users-and-timelines.ts";
import { type EndpointAccess, authorizeCall } from "./x/authorization.ts";

/* Simulates the login at x.com and api.x.com v2, as platforms/x.md part 6 (simulator notes) describes. */

const API_HOSTS = new Set(["api.x.com", "api.twitter.com"]);

interface ApiCall {
  readonly request: Request;
  readonly url: URL;
  readonly sim: SimulatorContext;
  readonly user: TestUser;
  /** The id in the path. */
  readonly id: string;
}

interface Endpoint extends EndpointAccess {
  readonly pattern: RegExp;
  readonly handle: (call: ApiCall) => Response | Promise<Response>;
}

const READ_SCOPES = ["tweet.read", "users.read"];
const UPLOAD_SCOPES = ["media.write"];

const ENDPOINTS: readonly Endpoint[] = [
  {
    pattern: /^POST \/2\/tweets$/,
    name: "create",
    scopes: ["tweet.write", ...READ_SCOPES],
    limit: 100,
    publishes: true,
    handle: ({ request, sim, user }) => createPost(request, sim, user),
  },
  {
    pattern: /^DELETE \/2\/tweets\/(?<id>\d+)$/,
    name: "delete",
    scopes: ["tweet.write", ...READ_SCOPES],
    limit: 50,
    handle: ({ sim, user, id }) => deletePost(sim, user, id),
  },
  {
    pattern: /^GET \/2\/tweets\/(?<id>\d+)$/,
    name: "read",
    scopes: READ_SCOPES,
    limit: 900,
    handle: ({ url, sim, id }) => readPost(url, sim, id),
  },
  {
    pattern: /^GET \/2\/users\/me$/,
    name: "me",
    scopes: READ_SCOPES,
    limit: 75,
    handle: ({ url, user }) => readMe(url, user),
  },
  {
    pattern: /^GET \/2\/users\/(?<id>\d+)\/tweets$/,
    name: "timeline",
    scopes: READ_SCOPES,
    limit: 900,
    handle: ({ url, sim, id }) => readTimeline(url, sim, id),
  },
  {
    pattern: /^POST \/2\/media\/upload$/,
    name: "upload",
    scopes: UPLOAD_SCOPES,
    limit: 500,
    handle: ({ request, sim, user }) => uploadInOneCall(request, sim, user),
  },
  {
    pattern: /^GET \/2\/media\/upload$/,
    name: "status",
    scopes: UPLOAD_SCOPES,
    limit: 1000,
    handle: ({ url, sim, user }) => readUploadStatus(url, sim, user),
  },
  {
    pattern: /^POST \/2\/media\/upload\/initialize$/,
    name: "initialize",
    scopes: UPLOAD_SCOPES,
    limit: 1875,
    handle: ({ request, sim, user }) => initializeUpload(request, sim, user),
  },
  {
    pattern: /^POST \/2\/media\/upload\/(?<id>\d+)\/append$/,
    name: "append",
    scopes: UPLOAD_SCOPES,
    limit: 1875,
    handle: ({ request, sim, user, id }) => appendSegment(request, sim, user, id),
  },
  {
    pattern: /^POST \/2\/media\/upload\/(?<id>\d+)\/finalize$/,
    name: "finalize",
    scopes: UPLOAD_SCOPES,
    limit: 1875,
    handle: ({ sim, user, id }) => finalizeUpload(sim, user, id),
  },
  {
    pattern: /^POST \/2\/media\/metadata$/,
    name: "metadata",
    scopes: UPLOAD_SCOPES,
    limit: 500,
    handle: ({ request, sim, user }) => setAltText(request, sim, user),
  },
];

function handleApiCall(request: Request, url: URL, sim: SimulatorContext): Response | Promise<Response> {
  const methodAndPath = `${request.method} ${url.pathname}`;
  switch (methodAndPath) {
    case "POST /2/oauth2/token":
      return tokenEndpoint(request, sim);
    case "POST /2/oauth2/revoke":
      return revokeEndpoint(request, sim);
    default: {
      const endpoint = ENDPOINTS.find(({ pattern }) => pattern.test(methodAndPath));
      const id = endpoint?.pattern.exec(methodAndPath)?.groups?.["id"] ?? "";
      return endpoint
        ? authorizeCall(request, sim, endpoint, ({ user }) => endpoint.handle({ request, url, sim, user, id }))
        : notFound();
    }
  }
}

export const simulator: Simulator = {
  platform: "x",
  hosts: ["x.com", "twitter.com", ...API_HOSTS],
  samplePosts: ["text", "failing", "thread", "carousel"],
  logins: [
    { name: "ada", description: "has Premium: long posts and long videos", accounts: [TEST_USERS["ada"]?.id ?? ""] },
    {
      name: "ben",
      description: "has no Premium: 280 characters, 140 seconds",
      accounts: [TEST_USERS["ben"]?.id ?? ""],
    },
  ],
  rules,
  async handle(request, sim) {
    const url = new URL(request.url);
    if (API_HOSTS.has(url.hostname)) {
      return handleApiCall(request, url, sim);
    }
    return `${request.method} ${url.pathname}` === "GET /i/oauth2/authorize"
      ? authorize(url, sim, simulator.logins)
      : notFound();
  },
  revoke(account, sim) {
    const login = Object.keys(TEST_USERS).find((name) => name === account || TEST_USERS[name]?.id === account);
    return login !== undefined && revokeTokensOfLogin(sim, login);
  },
};
