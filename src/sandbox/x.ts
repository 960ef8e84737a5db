import type { Sim, Simulator } from "./contract.ts";
import { revokeLogin } from "./grants.ts";
import { notFound } from "./x/answers.ts";
import { authorize, revoke, token } from "./x/login.ts";
import { append, describeMedia, finalize, initialize, status, uploadAtOnce } from "./x/media.ts";
import { PEOPLE, type Person } from "./x/people.ts";
import { createPost, deletePost } from "./x/posts.ts";
import { me, readPost, timeline } from "./x/reads.ts";
import { type Gate, guarded } from "./x/session.ts";

/* Plays x.com's login and api.x.com v2, by platforms/x.md part 6. */

const API = new Set(["api.x.com", "api.twitter.com"]);

interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly sim: Sim;
  readonly person: Person;
  /** The id in the path. */
  readonly id: string;
}

interface Endpoint extends Gate {
  readonly at: RegExp;
  readonly answer: (call: Call) => Response | Promise<Response>;
}

const READS = ["tweet.read", "users.read"];
const UPLOADS = ["media.write"];

const ENDPOINTS: readonly Endpoint[] = [
  {
    at: /^POST \/2\/tweets$/,
    name: "create",
    scopes: ["tweet.write", ...READS],
    limit: 100,
    publishes: true,
    answer: ({ request, sim, person }) => createPost(request, sim, person),
  },
  {
    at: /^DELETE \/2\/tweets\/(?<id>\d+)$/,
    name: "delete",
    scopes: ["tweet.write", ...READS],
    limit: 50,
    answer: ({ sim, person, id }) => deletePost(sim, person, id),
  },
  {
    at: /^GET \/2\/tweets\/(?<id>\d+)$/,
    name: "read",
    scopes: READS,
    limit: 900,
    answer: ({ url, sim, id }) => readPost(url, sim, id),
  },
  { at: /^GET \/2\/users\/me$/, name: "me", scopes: READS, limit: 75, answer: ({ url, person }) => me(url, person) },
  {
    at: /^GET \/2\/users\/(?<id>\d+)\/tweets$/,
    name: "timeline",
    scopes: READS,
    limit: 900,
    answer: ({ url, sim, id }) => timeline(url, sim, id),
  },
  {
    at: /^POST \/2\/media\/upload$/,
    name: "upload",
    scopes: UPLOADS,
    limit: 500,
    answer: ({ request, sim, person }) => uploadAtOnce(request, sim, person),
  },
  {
    at: /^GET \/2\/media\/upload$/,
    name: "status",
    scopes: UPLOADS,
    limit: 1000,
    answer: ({ url, sim, person }) => status(url, sim, person),
  },
  {
    at: /^POST \/2\/media\/upload\/initialize$/,
    name: "initialize",
    scopes: UPLOADS,
    limit: 1875,
    answer: ({ request, sim, person }) => initialize(request, sim, person),
  },
  {
    at: /^POST \/2\/media\/upload\/(?<id>\d+)\/append$/,
    name: "append",
    scopes: UPLOADS,
    limit: 1875,
    answer: ({ request, sim, person, id }) => append(request, sim, person, id),
  },
  {
    at: /^POST \/2\/media\/upload\/(?<id>\d+)\/finalize$/,
    name: "finalize",
    scopes: UPLOADS,
    limit: 1875,
    answer: ({ sim, person, id }) => finalize(sim, person, id),
  },
  {
    at: /^POST \/2\/media\/metadata$/,
    name: "metadata",
    scopes: UPLOADS,
    limit: 500,
    answer: ({ request, sim, person }) => describeMedia(request, sim, person),
  },
];

function api(request: Request, url: URL, sim: Sim): Response | Promise<Response> {
  const line = `${request.method} ${url.pathname}`;
  switch (line) {
    case "POST /2/oauth2/token":
      return token(request, sim);
    case "POST /2/oauth2/revoke":
      return revoke(request, sim);
    default: {
      const endpoint = ENDPOINTS.find((one) => one.at.test(line));
      const id = endpoint?.at.exec(line)?.groups?.["id"] ?? "";
      return endpoint
        ? guarded(request, sim, endpoint, ({ person }) => endpoint.answer({ request, url, sim, person, id }))
        : notFound();
    }
  }
}

export const simulator: Simulator = {
  platform: "x",
  hosts: ["x.com", "twitter.com", ...API],
  logins: [
    { name: "ada", description: "has Premium: long posts and long videos", accounts: [PEOPLE["ada"]?.id ?? ""] },
    { name: "ben", description: "has no Premium: 280 characters, 140 seconds", accounts: [PEOPLE["ben"]?.id ?? ""] },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (API.has(url.hostname)) {
      return api(request, url, sim);
    }
    return `${request.method} ${url.pathname}` === "GET /i/oauth2/authorize"
      ? authorize(url, sim, simulator.logins)
      : notFound();
  },
  revoke(account, sim) {
    const login = Object.keys(PEOPLE).find((name) => name === account || PEOPLE[name]?.id === account);
    return login !== undefined && revokeLogin(sim, login);
  },
};
