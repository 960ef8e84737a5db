import { toIsoInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { PublishedExtra, SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { recordTable } from "#sandbox/record-table.ts";
import { channelsOf } from "./channels.ts";
import { errorResponse, insufficientScopes, missingParameter } from "./error-responses.ts";
import { objectMember, readSnippet } from "./insert-request.ts";
import { findVideo, hasAnyScope, hasEnded, type Video } from "./videos.ts";

/* Comments on videos: https://developers.google.com/youtube/v3/docs/commentThreads/insert and …/list */

const SCOPES = ["youtube.force-ssl"];
const DOMAIN = "youtube.commentThread";
const MAX_LENGTH = 10_000;
const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 20;
const STATES = new Set(["published", "heldForReview", "likelySpam"]);

interface Comment {
  readonly id: string;
  readonly videoId: string;
  readonly channel: string;
  readonly text: string;
  readonly state: string;
  readonly createdAt: number;
}

const COMMENTS = recordTable<Comment>("comment:");

export const publishedComments = (sim: SimulatorContext): PublishedExtra[] =>
  COMMENTS.list(sim).map(({ id, videoId, text }) => ({ name: "first_comment", id, addedTo: videoId, text }));

/** https://support.google.com/youtube/answer/9483359 */
const takesComments = (video: Video): boolean => video.madeForKids !== true && video.privacy !== "private";

/** POST /youtube/v3/commentThreads; a text with `#sim-held` waits for a moderator. */
export async function insertComment(
  request: Request,
  url: URL,
  sim: SimulatorContext,
  token: Token,
): Promise<Response> {
  const snippet = await readSnippet(request, url, token, SCOPES);
  if (snippet instanceof Response) {
    return snippet;
  }
  const { channelId, videoId } = snippet;
  const { textOriginal: text } = objectMember(objectMember(snippet, "topLevelComment"), "snippet");
  if (typeof channelId !== "string" || typeof videoId !== "string") {
    return errorResponse(400, "channelOrVideoIdMissing", "Each comment thread must be linked to a video.", DOMAIN);
  }
  if (typeof text !== "string" || text.trim() === "") {
    return errorResponse(400, "commentTextRequired", "A comment cannot be blank.", DOMAIN);
  }
  if (text.length > MAX_LENGTH) {
    return errorResponse(400, "commentTextTooLong", "The comment contains too many characters.", DOMAIN);
  }
  const video = findVideo(sim, videoId);
  if (!video || video.deleted) {
    return errorResponse(404, "videoNotFound", "The specified video could not be found.", DOMAIN);
  }
  if (video.channel !== channelId) {
    return errorResponse(404, "channelNotFound", "The specified channel could not be found.", DOMAIN);
  }
  if (!hasEnded(sim, video) || !takesComments(video)) {
    return errorResponse(
      403,
      "forbidden",
      "The comment thread could not be created due to insufficient permissions. The request might not be properly authorized.",
      DOMAIN,
    );
  }
  const comment: Comment = {
    id: sim.newSecret("Ug").slice(0, 26),
    videoId,
    channel: channelsOf(token.login)[0]?.id ?? "",
    text,
    state: text.includes("#sim-held") ? "heldForReview" : "published",
    createdAt: sim.now(),
  };
  COMMENTS.save(sim, comment.id, { ...comment });
  return Response.json(toThread(comment, token));
}

function toThread(comment: Comment, token: Token): JsonObject {
  const isAuthor = channelsOf(token.login).some(({ id }) => id === comment.channel);
  return {
    kind: "youtube#commentThread",
    id: comment.id,
    snippet: {
      videoId: comment.videoId,
      topLevelComment: {
        kind: "youtube#comment",
        id: comment.id,
        snippet: {
          authorChannelId: { value: comment.channel },
          textDisplay: comment.text,
          ...(isAuthor && { textOriginal: comment.text }),
          publishedAt: toIsoInstant(comment.createdAt),
        },
      },
    },
  };
}

/** GET /youtube/v3/commentThreads of a video, newest first. */
export function listComments(sim: SimulatorContext, token: Token, url: URL): Response {
  const query = url.searchParams;
  const state = query.get("moderationStatus") ?? "published";
  const size = Number(query.get("maxResults") ?? DEFAULT_PAGE_SIZE);
  const offset = Number(query.get("pageToken") ?? 0);
  if (!hasAnyScope(token, SCOPES)) {
    return insufficientScopes();
  }
  if (query.get("part") === null) {
    return missingParameter("part");
  }
  if (!STATES.has(state) || !Number.isInteger(size) || size < 1 || size > MAX_PAGE_SIZE) {
    return errorResponse(400, "invalidParameter", "A parameter has an invalid value.", "global");
  }
  const video = findVideo(sim, query.get("videoId") ?? "");
  if (!video || video.deleted) {
    return errorResponse(404, "videoNotFound", "The video identified by videoId could not be found.", DOMAIN);
  }
  if (!takesComments(video)) {
    return errorResponse(403, "commentsDisabled", "The video identified by videoId has disabled comments.", DOMAIN);
  }
  if (state !== "published" && video.login !== token.login) {
    return errorResponse(403, "forbidden", "Only the owner of the video may read comments in this state.", DOMAIN);
  }
  const all = COMMENTS.list(sim)
    .filter((comment) => comment.videoId === video.id && comment.state === state)
    .filter((comment) => comment.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return Response.json({
    kind: "youtube#commentThreadListResponse",
    items: all.slice(offset, offset + size).map((comment) => toThread(comment, token)),
    pageInfo: { totalResults: all.length, resultsPerPage: size },
    ...(offset + size < all.length && { nextPageToken: String(offset + size) }),
  });
}
