import type { Sim, Simulator } from "./contract.ts";
import { accessToken, debugToken, dialog, isProved } from "./facebook/login.ts";
import { businessOf, businessPages, me, readPage } from "./facebook/me.ts";
import { accountsOf, pagesOf, PEOPLE } from "./facebook/people.ts";
import { addPhoto, feed, findPhoto, findPost, onePhoto, onePost, publishedPosts } from "./facebook/posts.ts";
import { invalid, missing, permission } from "./facebook/problems.ts";
import { rupload } from "./facebook/rupload.ts";
import { findVideo, listVideos, oneVideo, reels, settle, timelineVideo } from "./facebook/videos.ts";
import { graphError, graphSession, type Params, readParams, textOf, withUsage } from "./graph.ts";
import { bearer, revokeLogin, type Token } from "./grants.ts";

/* Plays the Facebook dialog, the Graph API's Page edges and rupload, by platforms/facebook.md part 6. */

const WWW = "www.facebook.com";
const GRAPH = ["graph.facebook.com", "graph-video.facebook.com"];
const RUPLOAD = "rupload.facebook.com";
/** Alive in November 2026. */
const VERSIONS = new Set(["v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0"]);
const PUBLISHING_SCOPES = ["pages_manage_posts", "pages_read_engagement"];

interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly sim: Sim;
  readonly session: Token;
  readonly params: Params;
  readonly version: string;
}

/** An edge of the Page whose token calls. */
function pageEdge({ request, url, sim, params, version }: Call, page: string, edge: string) {
  switch (`${request.method} ${edge}`) {
    case "POST feed":
      return feed(sim, page, params);
    case "POST photos":
      return addPhoto(sim, page, params);
    case "POST video_reels":
      return reels(sim, page, params, version);
    case "POST videos":
      return timelineVideo(sim, page, params);
    case "GET published_posts":
      return publishedPosts(sim, page, url);
    case "GET videos":
      return listVideos(sim, page, url);
    default:
      return invalid(sim, `Unknown path components: /${edge}`);
  }
}

/** Something that stands on the Page, or waits there unseen. */
function node({ request, url, sim, session, params }: Call, page: string, id: string): Response {
  const itself = pagesOf(session.login).find((one) => one.id === page);
  if (itself && (id === page || id === "me")) {
    return readPage(itself, url);
  }
  const post = findPost(sim, id);
  if (post?.page === page && !post.deleted) {
    return onePost(sim, post, request.method, params);
  }
  const video = findVideo(sim, id);
  if (video?.page === page) {
    return oneVideo(sim, video, request.method, params);
  }
  const photo = findPhoto(sim, id);
  return photo?.page === page ? onePhoto(sim, photo, request.method, params) : missing(sim, id);
}

async function ofPage(call: Call, page: string, id: string, edge: string): Promise<Response> {
  const { sim, session } = call;
  settle(sim);
  if (edge !== "" && id !== page && id !== "me") {
    return permission(sim, "A Page access token of this Page is required");
  }
  const lacking = PUBLISHING_SCOPES.find((scope) => !session.scopes.includes(scope));
  if (lacking !== undefined) {
    return permission(sim, `Requires ${lacking} permission`);
  }
  return withUsage(await (edge === "" ? node(call, page, id) : pageEdge(call, page, edge)), page, "pages");
}

function ofPerson({ request, url, sim, session }: Call, id: string, path: readonly string[]): Response {
  const person = PEOPLE[session.login];
  if (person && (id === "me" || id === person.id)) {
    return withUsage(me(sim, session, person, request.method, url, path), person.id, "pages");
  }
  const [edge = ""] = path;
  const business = businessOf(session.login, id);
  if (business && request.method === "GET") {
    return businessPages(sim, session, url, business, edge);
  }
  return edge === "" ? missing(sim, id) : permission(sim, "A Page access token is required for this call");
}

async function graph(request: Request, url: URL, sim: Sim): Promise<Response> {
  const [, version = "", id = "", ...path] = url.pathname.split("/");
  if (!VERSIONS.has(version)) {
    return graphError(sim, {
      code: 2635,
      message: "(#2635) You are calling a version of the Api that is not available",
    });
  }
  let params: Params;
  try {
    params = await readParams(request, url);
  } catch {
    return invalid(sim, "The body cannot be parsed.");
  }
  if (id === "oauth" && path[0] === "access_token") {
    return accessToken(sim, params);
  }
  if (id === "debug_token") {
    return debugToken(sim, params);
  }
  const session = graphSession(sim, request, params);
  if (session instanceof Response) {
    return session;
  }
  if (!(await isProved(sim, params, bearer(request) ?? textOf(params, "access_token") ?? ""))) {
    return graphError(sim, { code: 100, message: "Invalid appsecret_proof provided in the API argument" });
  }
  const call: Call = { request, url, sim, session, params, version };
  const page = session.extra["page"];
  return typeof page === "string" ? ofPage(call, page, id, path[0] ?? "") : ofPerson(call, id, path);
}

export const simulator: Simulator = {
  platform: "facebook",
  hosts: [WWW, ...GRAPH, RUPLOAD],
  logins: [
    { name: "ada", accounts: accountsOf("ada"), description: "two Pages she may post to, one she may only read" },
    { name: "ben", accounts: [], description: "a person without a Page" },
    { name: "cleo", accounts: accountsOf("cleo"), description: "two Pages that only her business lists" },
  ],
  settle,
  async handle(request, sim) {
    const url = new URL(request.url);
    if (GRAPH.includes(url.hostname)) {
      return graph(request, url, sim);
    }
    if (url.hostname === RUPLOAD && request.method === "POST") {
      return rupload(request, url, sim);
    }
    return url.hostname === WWW && request.method === "GET" && /^\/v\d+\.0\/dialog\/oauth$/.test(url.pathname)
      ? dialog(url, sim, simulator.logins)
      : new Response("not found", { status: 404 });
  },
  revoke(account, sim) {
    const login = Object.keys(PEOPLE).find(
      (name) => name === account || PEOPLE[name]?.id === account || pagesOf(name).some((page) => page.id === account),
    );
    return login !== undefined && revokeLogin(sim, login);
  },
};
