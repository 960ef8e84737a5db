import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { paginate, type Params, selectFields, textParam, unknownField } from "#sandbox/graph-api.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { fieldNotFound, invalidParameter, mediaNotFound } from "./error-responses.ts";
import { allPosts, findPost, type Post, postJson } from "./posts.ts";

/*
 * Replies: developers.facebook.com/documentation/threads/reference/reply-management (13 February 2026) and
 * …/threads/retrieve-and-manage-replies/create-replies (22 December 2025).
 */

const DEFAULT_PAGE_SIZE = 25;
/** Fields in the reference that are always empty, because no test user's reply has a value for them. */
const EMPTY_FIELDS = [
  "media_url",
  "thumbnail_url",
  "children",
  "quoted_post",
  "reposted_post",
  "gif_url",
  "topic_tag",
  "is_verified",
  "profile_picture_url",
];

/**
 * Refuses a reply outside the user's own threads, because replying to other people's posts needs more permissions. Null
 * if the reply may be sent.
 */
export function refuseReply(sim: SimulatorContext, token: Token, params: Params): Response | null {
  const id = textParam(params, "reply_to_id");
  if (id === null) {
    return null;
  }
  const parent = findPost(sim, id);
  if (!parent || parent.deletedAt !== null) {
    return mediaNotFound(sim, id);
  }
  const root = parent.reply === null ? parent : findPost(sim, parent.reply.root);
  return root?.login === token.login
    ? null
    : invalidParameter(sim, "You must be the owner of the root post to reply to it.");
}

function replyJson(sim: SimulatorContext, post: Post, token: Token): JsonObject {
  const { to = "", root = "" } = post.reply ?? {};
  return {
    ...postJson(post),
    is_quote_post: false,
    has_replies: allPosts(sim).some(({ reply }) => reply?.to === post.id),
    root_post: { id: root },
    replied_to: { id: to },
    is_reply: true,
    is_reply_owned_by_me: post.login === token.login,
    hide_status: "NOT_HUSHED",
    reply_audience: "EVERYONE",
  };
}

/**
 * Handles `GET /{root}/conversation`: returns every reply below the post, newest first, or oldest first with
 * `reverse=false`.
 */
export function listConversation(sim: SimulatorContext, token: Token, id: string, url: URL): Response {
  const root = findPost(sim, id);
  if (root?.login !== token.login || root.deletedAt !== null) {
    return mediaNotFound(sim, id);
  }
  if (root.reply !== null) {
    return invalidParameter(sim, "The conversation can be read of a root post only.");
  }
  const fields = url.searchParams.get("fields");
  const direction = url.searchParams.get("reverse") === "false" ? 1 : -1;
  const replies = allPosts(sim)
    .filter((post) => post.reply?.root === id && post.deletedAt === null)
    .filter((post) => post.publishedAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => direction * (a.publishedAt - b.publishedAt || a.serial - b.serial))
    .map((post) => replyJson(sim, post, token));
  const known = Object.fromEntries(EMPTY_FIELDS.map((name) => [name, null]));
  const unknown = replies[0] && unknownField({ ...known, ...replies[0] }, fields);
  return unknown === undefined
    ? paginate(
        url,
        replies.map((reply) => selectFields(reply, fields ?? "id")),
        DEFAULT_PAGE_SIZE,
      )
    : fieldNotFound(sim, unknown);
}
