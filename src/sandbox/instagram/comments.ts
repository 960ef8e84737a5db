import { toIsoInstant } from "#core/clock.ts";
import type { PublishedExtra, SimulatorContext } from "#sandbox/contract.ts";
import { paginate, type Params, selectFields, textParam, unknownField } from "#sandbox/graph-api.ts";
import { recordTable } from "#sandbox/record-table.ts";
import { invalidParameter, objectNotFound } from "./error-responses.ts";
import { findMedia } from "./posts.ts";
import type { TestUser } from "./test-users.ts";

/*
 * Comments on a post, newest first:
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media/comments
 */

const MESSAGE_MAX = 2200;
const PAGE_SIZE = 50;

interface Comment {
  readonly id: string;
  readonly mediaId: string;
  readonly username: string;
  readonly text: string;
  readonly createdAt: number;
}

const COMMENTS = recordTable<Comment>("comment:");

export const publishedComments = (sim: SimulatorContext): PublishedExtra[] =>
  COMMENTS.list(sim).map(({ id, mediaId, text }) => ({ name: "first_comment", id, addedTo: mediaId, text }));

/** Answers a call to the edge `comments` of one of the user's posts. */
export function commentsEdge(
  { request, url, sim, params }: { request: Request; url: URL; sim: SimulatorContext; params: Params },
  user: TestUser,
  mediaId: string,
): Response {
  const media = findMedia(sim, mediaId);
  if (!media || media.owner !== user.userId) {
    return objectNotFound(sim, mediaId);
  }
  return request.method === "POST"
    ? createComment(sim, user, mediaId, params)
    : listComments(sim, mediaId, url, params);
}

function createComment(sim: SimulatorContext, user: TestUser, mediaId: string, params: Params): Response {
  const text = textParam(params, "message") ?? "";
  if (text.trim() === "") {
    return invalidParameter(sim, "The parameter message is required");
  }
  if (text.length > MESSAGE_MAX) {
    return invalidParameter(sim, "The message is too long");
  }
  const id = sim.newId(17);
  COMMENTS.save(sim, id, { id, mediaId, username: user.username, text, createdAt: sim.now() });
  return Response.json({ id });
}

function listComments(sim: SimulatorContext, mediaId: string, url: URL, params: Params): Response {
  const fields = textParam(params, "fields") ?? "id,text,timestamp";
  const items = COMMENTS.list(sim)
    .filter((comment) => comment.mediaId === mediaId && comment.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .map(({ id, text, username, createdAt }) => ({
      id,
      text,
      username,
      timestamp: toIsoInstant(createdAt).replace(/\.\d{3}Z$/, "+0000"),
    }));
  const unknown = unknownField({ id: "", text: "", username: "", timestamp: "", from: "", hidden: false }, fields);
  return unknown === undefined
    ? paginate(
        url,
        items.map((item) => selectFields(item, fields)),
        PAGE_SIZE,
      )
    : invalidParameter(sim, `Tried accessing nonexisting field (${unknown}) on node type (IGComment)`);
}
