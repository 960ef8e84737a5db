import { recordTable } from "#sandbox/record-table.ts";
import { DAY, SECOND, toIsoInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { graphError, paginate, type Params, selectFields, unknownField, textParam } from "#sandbox/graph-api.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { type Container, containerJson, findContainer, saveContainer, awaitDownload, statusOf } from "./containers.ts";
import { fieldNotFound, mediaNotFound, missingPermission } from "./error-responses.ts";
import { TEST_USERS } from "./test-users.ts";

/* Publishing and reading back (platforms/threads.md 2.1, 3 and 5). */

const POSTS_PER_DAY = 250;
/** Replies that a user may publish per day, counted separately from posts (…/threads/retrieve-and-manage-replies). */
const REPLIES_PER_DAY = 1000;
/** The scope for reading the limit of replies (same page). */
const REPLIES_SCOPE = "threads_manage_replies";
const DELETES_PER_DAY = 100;
const VISIBLE_AFTER_MS = 3000;
const DEFAULT_PAGE_SIZE = 25;

export interface Post {
  readonly id: string;
  readonly login: string;
  /** The post to which the post replies, and the post at the top of the thread. */
  readonly reply: { readonly to: string; readonly root: string } | null;
  readonly type: Container["type"];
  readonly text: string;
  readonly shortcode: string;
  readonly publishedAt: number;
  readonly serial: number;
  /** How often the post was read. The setting `permalink_after_reads` delays the permalink by reads. */
  readonly reads: number;
  readonly deletedAt: number | null;
}

const POSTS = recordTable<Post>("post:");

export const findPost = (sim: SimulatorContext, id: string): Post | undefined => POSTS.find(sim, id);

export const allPosts = (sim: SimulatorContext): readonly Post[] => POSTS.list(sim);

const savePost = (sim: SimulatorContext, post: Post): void =>
  POSTS.save(sim, post.id, { ...post, reply: post.reply && { ...post.reply } });

const postsOf = (sim: SimulatorContext, login: string): readonly Post[] =>
  allPosts(sim).filter((post) => post.login === login);

/** Counts the posts or replies of the last 24 hours, deleted ones too. */
const countPublishedInLastDay = (sim: SimulatorContext, login: string, what: "posts" | "replies"): number =>
  postsOf(sim, login).filter(
    (post) => post.publishedAt > sim.now() - DAY && (post.reply === null) === (what === "posts"),
  ).length;

const countDeletedInLastDay = (sim: SimulatorContext, login: string): number =>
  postsOf(sim, login).filter((post) => (post.deletedAt ?? 0) > sim.now() - DAY).length;

const permalink = (post: Post): string =>
  `https://www.threads.com/@${TEST_USERS[post.login]?.username}/post/${post.shortcode}`;

/** Whether publishing finds the container: only after a delay and, with some settings, not every time. */
function isVisible(sim: SimulatorContext, container: Container): boolean {
  const { visibility_ms: delay, lost_containers: allLost, miss_percent: percent } = sim.settings.extra;
  const visibleFrom = container.createdAt + (typeof delay === "number" ? delay : VISIBLE_AFTER_MS);
  if (allLost === true || visibleFrom > sim.now()) {
    return false;
  }
  if (typeof percent === "number" && !container.hasBeenMissed && Number(container.id.slice(-2)) < percent) {
    saveContainer(sim, { ...container, hasBeenMissed: true });
    return false;
  }
  return true;
}

/** Handles `POST /{user}/threads_publish`. */
export function publishContainer(sim: SimulatorContext, token: Token, params: Params): Response {
  const id = textParam(params, "creation_id") ?? "";
  const container = findContainer(sim, id);
  if (container?.login !== token.login || !isVisible(sim, container)) {
    return mediaNotFound(sim, id);
  }
  // A container that is not ready, already published or a carousel item gives the same error.
  if (container.isCarouselItem || statusOf(sim, container) !== "FINISHED") {
    return mediaNotFound(sim, id);
  }
  const parent = container.replyToId === null ? undefined : findPost(sim, container.replyToId);
  if (container.replyToId !== null && (!parent || parent.deletedAt !== null)) {
    return mediaNotFound(sim, container.replyToId);
  }
  const what = parent ? "replies" : "posts";
  const quota = parent ? REPLIES_PER_DAY : POSTS_PER_DAY;
  if (countPublishedInLastDay(sim, token.login, what) >= (sim.settings.quota ?? quota)) {
    return graphError(sim, {
      code: 9,
      subcode: 2_207_042,
      message: `The user has reached the maximum number of ${what} per day.`,
    });
  }
  const post: Post = {
    id: sim.newId(17),
    login: token.login,
    reply: parent ? { to: parent.id, root: parent.reply?.root ?? parent.id } : null,
    type: container.type,
    text: container.text,
    shortcode: `D${sim.newSecret("").replaceAll(/\W/g, "").slice(0, 10)}`,
    publishedAt: sim.now(),
    serial: nextSerialNumber(sim),
    reads: 0,
    deletedAt: null,
  };
  savePost(sim, post);
  saveContainer(sim, { ...container, mediaId: post.id });
  sim.recordPublishedPost({
    id: post.id,
    url: permalink(post),
    account: TEST_USERS[token.login]?.id ?? "",
    kind: container.type.toLowerCase(),
    text: container.text,
    title: null,
    media: container.media,
    options: describedOptions(sim, container),
    accepted_at: toIsoInstant(post.publishedAt),
  });
  return Response.json({ id: post.id });
}

function describedOptions(sim: SimulatorContext, container: Container): JsonObject {
  const altTexts = container.children.map((id) => findContainer(sim, id)?.altText ?? null);
  return {
    ...container.options,
    ...(container.replyToId !== null && { reply_to_id: container.replyToId }),
    ...(container.altText !== null && { alt_text: container.altText }),
    ...(altTexts.some((text) => text !== null) && { alt_texts: altTexts }),
  };
}

const MEDIA_TYPES: Readonly<Record<Container["type"], string>> = {
  TEXT: "TEXT_POST",
  IMAGE: "IMAGE",
  VIDEO: "VIDEO",
  CAROUSEL: "CAROUSEL_ALBUM",
};

export const postJson = (post: Post): JsonObject => ({
  id: post.id,
  text: post.text,
  media_type: MEDIA_TYPES[post.type],
  media_product_type: "THREADS",
  permalink: permalink(post),
  shortcode: post.shortcode,
  timestamp: toIsoInstant(post.publishedAt).replace(/\.\d{3}Z$/, "+0000"),
  username: TEST_USERS[post.login]?.username ?? "",
});

/** The selected fields, or an error for an unknown field. The field `emptyField` exists but may have no value. */
function selectKnownFields(
  sim: SimulatorContext,
  object: JsonObject,
  fields: string | null,
  emptyField: string,
): Response {
  const unknown = unknownField({ ...object, [emptyField]: null }, fields);
  return unknown === undefined ? Response.json(selectFields(object, fields ?? "id")) : fieldNotFound(sim, unknown);
}

/** Handles `GET /{user}/threads`: newest first. */
export function listPosts(sim: SimulatorContext, token: Token, url: URL): Response {
  const timeParam = (name: string, defaultMs: number): number => {
    const text = url.searchParams.get(name);
    return text === null ? defaultMs : Number(text) * SECOND;
  };
  const since = timeParam("since", 0);
  const until = timeParam("until", Number.POSITIVE_INFINITY);
  const posts = postsOf(sim, token.login)
    .filter(
      (post) => post.reply === null && post.deletedAt === null && post.publishedAt >= since && post.publishedAt < until,
    )
    .filter((post) => post.publishedAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.publishedAt - a.publishedAt || b.serial - a.serial)
    .map(postJson);
  const fields = url.searchParams.get("fields");
  const unknown = posts[0] && unknownField(posts[0], fields);
  return unknown === undefined
    ? paginate(
        url,
        posts.map((post) => selectFields(post, fields ?? "id")),
        DEFAULT_PAGE_SIZE,
      )
    : fieldNotFound(sim, unknown);
}

/** Handles `GET /{id}` of a container or a post. */
export async function readNode(
  sim: SimulatorContext,
  token: Token,
  id: string,
  fields: string | null,
): Promise<Response> {
  const container = findContainer(sim, id);
  if (container?.login === token.login) {
    return selectKnownFields(sim, containerJson(sim, await awaitDownload(sim, container)), fields, "error_message");
  }
  const post = findPost(sim, id);
  if (post?.login !== token.login || post.deletedAt !== null) {
    return mediaNotFound(sim, id);
  }
  savePost(sim, { ...post, reads: post.reads + 1 });
  const { permalink: permalinkUrl = "", ...rest } = postJson(post);
  const isPermalinkPending = post.reads < Number(sim.settings.extra["permalink_after_reads"] ?? 0);
  return selectKnownFields(
    sim,
    { ...rest, ...(!isPermalinkPending && { permalink: permalinkUrl }) },
    fields,
    "permalink",
  );
}

/** Handles `DELETE /{id}`. */
export function deletePost(sim: SimulatorContext, token: Token, id: string): Response {
  const post = findPost(sim, id);
  if (post?.login !== token.login || post.deletedAt !== null) {
    return mediaNotFound(sim, id);
  }
  if (countDeletedInLastDay(sim, token.login) >= DELETES_PER_DAY) {
    return graphError(sim, { code: 9, message: "The user has reached the maximum number of deletes per day." });
  }
  savePost(sim, { ...post, deletedAt: sim.now() });
  return Response.json({ success: true, deleted_id: id });
}

/** Handles `GET /{user}/threads_publishing_limit`. */
export function publishingLimit(sim: SimulatorContext, token: Token, fields: string | null): Response {
  const quota_duration = DAY / SECOND;
  if (fields?.includes("reply_") === true && !token.scopes.includes(REPLIES_SCOPE)) {
    return missingPermission(sim, REPLIES_SCOPE);
  }
  const allFields = {
    quota_usage: countPublishedInLastDay(sim, token.login, "posts"),
    config: { quota_total: sim.settings.quota ?? POSTS_PER_DAY, quota_duration },
    delete_quota_usage: countDeletedInLastDay(sim, token.login),
    delete_config: { quota_total: DELETES_PER_DAY, quota_duration },
    reply_quota_usage: countPublishedInLastDay(sim, token.login, "replies"),
    reply_config: { quota_total: REPLIES_PER_DAY, quota_duration },
  };
  return Response.json({ data: [selectFields(allFields, fields ?? "quota_usage")] });
}
