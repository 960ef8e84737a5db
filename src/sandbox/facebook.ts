import type { SimulatorContext, Simulator } from "./contract.ts";
import { accessTokenEndpoint, debugToken, consentDialog, refuseProof } from "./facebook/login.ts";
import { createThumbnail, listThumbnails, publishedCovers } from "./facebook/thumbnails.ts";
import { createComment, listComments, publishedComments } from "./facebook/comments.ts";
import { findBusiness, listBusinessPages, userEndpoint, readPage } from "./facebook/users-and-pages.ts";
import { accountsOf, mayCreateContent, pagesOf, TEST_USERS } from "./facebook/test-users.ts";
import {
  createPhoto,
  createPost,
  findPhoto,
  findPost,
  photoNode,
  postNode,
  listPublishedPosts,
} from "./facebook/posts.ts";
import { createPhotoStory, listStories } from "./facebook/stories.ts";
import { invalidParameter, objectNotFound, permissionDenied } from "./facebook/error-responses.ts";
import { uploadSession } from "./facebook/timeline-upload.ts";
import { rules } from "./facebook/operations.ts";
import { operatorApp } from "./facebook/operator-app.ts";
import { receiveReelUpload } from "./facebook/reel-upload.ts";
import {
  findVideo,
  findVideoOfPost,
  listVideos,
  videoNode,
  reelEndpoint,
  publishProcessed,
  createTimelineVideo,
  videoStoryEndpoint,
} from "./facebook/videos.ts";
import {
  graphError,
  authenticateGraphCall,
  type Params,
  readParams,
  textParam,
  secretInUrl,
  withUsageHeaders,
} from "./graph-api.ts";
import { handleAccountCall } from "./accounts-of-pages.ts";
import { bearerToken, revokeTokensOfLogin, type Token } from "./oauth-server.ts";

/* Simulates Facebook's consent dialog, the Graph API's Page edges and rupload (platforms/facebook.md part 6). */

const WWW = "www.facebook.com";
const GRAPH = ["graph.facebook.com", "graph-video.facebook.com"];
const RUPLOAD = "rupload.facebook.com";
/**
 * The API versions that had not expired in November 2026.
 * https://developers.facebook.com/blog/post/2026/11/04/introducing-graph-api-v27-and-marketing-api-v27/ names v27.0.
 */
const SUPPORTED_VERSIONS = new Set(["v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0", "v27.0"]);
const PUBLISHING_SCOPES = ["pages_manage_posts", "pages_read_engagement"];

interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly sim: SimulatorContext;
  readonly token: Token;
  readonly params: Params;
  readonly version: string;
  /** The file in a multipart form; null without one. */
  readonly chunk: Blob | null;
}

/** Answers a call to an edge of the Page that owns the token. */
function handlePageEdge({ request, url, sim, params, version, chunk }: Call, page: string, edge: string) {
  switch (`${request.method} ${edge}`) {
    case "POST feed":
      return createPost(sim, page, params);
    case "POST photos":
      return createPhoto(sim, page, params);
    case "POST video_reels":
      return reelEndpoint(sim, page, params, version);
    case "POST video_stories":
      return videoStoryEndpoint(sim, page, params, version);
    case "POST photo_stories":
      return createPhotoStory(sim, page, params);
    case "GET stories":
      return listStories(sim, page, url);
    case "POST videos":
      return params.has("upload_phase")
        ? uploadSession(sim, page, params, chunk)
        : createTimelineVideo(sim, page, params);
    case "GET published_posts":
      return listPublishedPosts(sim, page, url);
    case "GET videos":
      return listVideos(sim, page, url);
    default:
      return invalidParameter(sim, `Unknown path components: /${edge}`);
  }
}

/** Answers a call to a node of the Page: the Page, a post, a video or a photo, published or not. */
function handlePageNode({ request, url, sim, token, params }: Call, page: string, id: string): Response {
  const pageRecord = pagesOf(token.login).find((candidate) => candidate.id === page);
  if (pageRecord && (id === page || id === "me")) {
    return readPage(sim, pageRecord, url);
  }
  const post = findPost(sim, id);
  if (post?.page === page && !post.deleted) {
    return postNode(sim, post, request.method, params);
  }
  const video = findVideo(sim, id);
  if (video?.page === page) {
    return videoNode(sim, video, request.method, params);
  }
  const photo = findPhoto(sim, id);
  return photo?.page === page ? photoNode(sim, photo, request.method, params) : objectNotFound(sim, id);
}

/**
 * Comments on a post, published video or published photo of the Page; stories have none. The comments of a video can be
 * listed by its own id, but a new one is refused there (https://github.com/jprjr/multistreamer/issues/89): the
 * reference of comments documents Post, Photo, Link and Album. The setting `video_comments` accepts them.
 */
function handleComments({ request, url, sim, token, params }: Call, page: string, id: string): Response {
  const video = findVideo(sim, id) ?? findVideoOfPost(sim, id);
  const [post, photo] = [findPost(sim, id), findPhoto(sim, id)];
  const isPublic =
    (post?.page === page && !post.deleted) ||
    (video?.page === page && video.recorded && video.kind !== "story") ||
    (photo?.page === page && photo.postId !== null && findPost(sim, photo.postId) !== undefined);
  const isRefused = request.method === "POST" && video?.id === id && sim.settings.extra["video_comments"] !== true;
  if (!isPublic || isRefused) {
    return objectNotFound(sim, id);
  }
  const object = video?.id ?? id;
  return request.method === "POST"
    ? createComment(sim, page, object, params, token.scopes)
    : listComments(sim, object, url, params);
}

/** Answers a call about the covers of a published video of the Page. */
async function handleThumbnails({ request, url, sim, token, params, chunk }: Call, page: string, id: string) {
  const video = findVideo(sim, id);
  if (video?.page !== page || !video.recorded) {
    return objectNotFound(sim, id);
  }
  return request.method === "POST"
    ? await createThumbnail(sim, id, params, chunk, token.scopes)
    : listThumbnails(sim, id, url);
}

async function handlePageCall(call: Call, page: string, id: string, edge: string): Promise<Response> {
  const { sim, token } = call;
  publishProcessed(sim);
  const isComments = edge === "comments";
  const isThumbnails = edge === "thumbnails";
  if (edge !== "" && !isComments && !isThumbnails && id !== page && id !== "me") {
    return permissionDenied(sim, "A Page access token of this Page is required");
  }
  const role = pagesOf(token.login).find((candidate) => candidate.id === page);
  if (call.request.method !== "GET" && !(role && mayCreateContent(role))) {
    return permissionDenied(sim, "The user has no task on this Page that allows creating content");
  }
  const missingScope = PUBLISHING_SCOPES.find((scope) => !token.scopes.includes(scope));
  if (missingScope !== undefined) {
    return permissionDenied(sim, `Requires ${missingScope} permission`);
  }
  return withUsageHeaders(
    await (edge === ""
      ? handlePageNode(call, page, id)
      : isComments
        ? handleComments(call, page, id)
        : isThumbnails
          ? handleThumbnails(call, page, id)
          : handlePageEdge(call, page, edge)),
    page,
    "pages",
  );
}

function handleUserCall({ request, url, sim, token }: Call, id: string, path: readonly string[]): Response {
  const user = TEST_USERS[token.login];
  if (user && (id === "me" || id === user.id)) {
    return withUsageHeaders(userEndpoint(sim, token, user, request.method, url, path), user.id, "pages");
  }
  const [edge = ""] = path;
  const business = findBusiness(token.login, id);
  if (business && request.method === "GET") {
    return listBusinessPages(sim, token, url, business, edge);
  }
  return edge === "" ? objectNotFound(sim, id) : permissionDenied(sim, "A Page access token is required for this call");
}

/** Reads the file from a copy of the request, because the request itself is read for the other parameters. */
async function readChunk(request: Request): Promise<Blob | null> {
  if (!request.headers.get("content-type")?.startsWith("multipart/form-data")) {
    return null;
  }
  const form = await request.clone().formData();
  const file: unknown = form.get("video_file_chunk") ?? form.get("source");
  return file instanceof Blob ? file : null;
}

async function handleGraphCall(request: Request, url: URL, sim: SimulatorContext): Promise<Response> {
  const [, version = "", id = "", ...path] = url.pathname.split("/");
  if (!SUPPORTED_VERSIONS.has(version)) {
    return graphError(sim, {
      code: 2635,
      message: "(#2635) You are calling a version of the Api that is not available",
    });
  }
  let params: Params;
  let chunk: Blob | null = null;
  try {
    chunk = await readChunk(request);
    params = await readParams(request, url);
  } catch {
    return invalidParameter(sim, "The body cannot be parsed.");
  }
  if (id === "oauth" && path[0] === "access_token") {
    return url.searchParams.has("client_secret") ? secretInUrl(sim, "client_secret") : accessTokenEndpoint(sim, params);
  }
  if (id === "debug_token") {
    return debugToken(sim, params);
  }
  const token = authenticateGraphCall(sim, request, params);
  if (token instanceof Response) {
    return token;
  }
  const proofRefusal = await refuseProof(sim, params, bearerToken(request) ?? textParam(params, "access_token") ?? "");
  if (proofRefusal) {
    return proofRefusal;
  }
  const call: Call = { request, url, sim, token, params, version, chunk };
  const accountResponse = await handleAccountCall(call, id, path[0] ?? "");
  if (accountResponse) {
    return accountResponse;
  }
  const page = token.extra["page"];
  return typeof page === "string" ? handlePageCall(call, page, id, path[0] ?? "") : handleUserCall(call, id, path);
}

export const simulator: Simulator = {
  platform: "facebook",
  appFamily: "meta",
  hosts: [WWW, ...GRAPH, RUPLOAD],
  logins: [
    {
      name: "ada",
      accounts: accountsOf("ada"),
      description: "two Pages with permission to post, the second of the new kind, and one whose token is not returned",
    },
    { name: "ben", accounts: [], description: "a user without a Page" },
    { name: "cleo", accounts: accountsOf("cleo"), description: "two Pages that only a business lists" },
    { name: "dora", accounts: accountsOf("dora"), description: "a Page whose insights only she may read" },
  ],
  operatorApp,
  rules,
  publishedExtras: (sim) => [...publishedComments(sim), ...publishedCovers(sim)],
  publishProcessed: publishProcessed,
  async handle(request, sim) {
    const url = new URL(request.url);
    if (GRAPH.includes(url.hostname)) {
      return handleGraphCall(request, url, sim);
    }
    if (url.hostname === RUPLOAD && request.method === "POST") {
      return receiveReelUpload(request, url, sim);
    }
    return url.hostname === WWW && request.method === "GET" && /^\/v\d+\.0\/dialog\/oauth$/.test(url.pathname)
      ? consentDialog(url, sim, simulator.logins)
      : new Response("not found", { status: 404 });
  },
  revoke(account, sim) {
    const login = Object.keys(TEST_USERS).find(
      (name) =>
        name === account || TEST_USERS[name]?.id === account || pagesOf(name).some((page) => page.id === account),
    );
    return login !== undefined && revokeTokensOfLogin(sim, login);
  },
};
