import { DAY, SECOND, toInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import { graphError, pageOf, type Params, select, strangeField, textOf } from "#sandbox/graph.ts";
import type { Token } from "#sandbox/grants.ts";
import { serial } from "#sandbox/serial.ts";
import { type Container, containerJson, find, save, settled, statusOf } from "./containers.ts";
import { noField, notFound } from "./problems.ts";
import { PROFILES } from "./profiles.ts";

/* Publishing and reading back: platforms/threads.md 2.1, 3 and 5. */

const POSTS_PER_DAY = 250;
const DELETES_PER_DAY = 100;
const VISIBLE_AFTER_MS = 3000;
const USUAL_PAGE = 25;

interface Post {
  readonly id: string;
  readonly login: string;
  readonly type: Container["type"];
  readonly text: string;
  readonly shortcode: string;
  readonly at: number;
  readonly serial: number;
  /** How often it was read; a permalink may take a few. */
  readonly reads: number;
  readonly deletedAt: number | null;
}

const findPost = (sim: Sim, id: string): Post | undefined => sim.store.get(`post:${id}`) as Post | undefined;

const savePost = (sim: Sim, post: Post): void => sim.store.put(`post:${post.id}`, { ...post });

const postsOf = (sim: Sim, login: string): readonly Post[] =>
  sim.store
    .list("post:")
    .map(([, post]) => post as unknown as Post)
    .filter((post) => post.login === login);

/** Within the last 24 hours, deleted ones included. */
const publishedToday = (sim: Sim, login: string): number =>
  postsOf(sim, login).filter((post) => post.at > sim.now() - DAY).length;

const deletedToday = (sim: Sim, login: string): number =>
  postsOf(sim, login).filter((post) => (post.deletedAt ?? 0) > sim.now() - DAY).length;

const permalink = (post: Post): string =>
  `https://www.threads.com/@${PROFILES[post.login]?.username}/post/${post.shortcode}`;

/** Whether publishing finds the container: not at once, and by the switches not every time. */
function isVisible(sim: Sim, container: Container): boolean {
  const { visibility_ms: delay, lost_containers: lost, miss_percent: percent } = sim.settings.extra;
  const since = container.createdAt + (typeof delay === "number" ? delay : VISIBLE_AFTER_MS);
  if (lost === true || since > sim.now()) {
    return false;
  }
  if (typeof percent === "number" && !container.missed && Number(container.id.slice(-2)) < percent) {
    save(sim, { ...container, missed: true });
    return false;
  }
  return true;
}

/** POST /{user}/threads_publish */
export function publish(sim: Sim, session: Token, params: Params): Response {
  const id = textOf(params, "creation_id") ?? "";
  const container = find(sim, id);
  if (container?.login !== session.login || !isVisible(sim, container)) {
    return notFound(sim, id);
  }
  // Not ready, used up and never meant for it are all told in the same words.
  if (container.child || statusOf(sim, container) !== "FINISHED") {
    return notFound(sim, id);
  }
  if (publishedToday(sim, session.login) >= (sim.settings.quota ?? POSTS_PER_DAY)) {
    return graphError(sim, {
      code: 9,
      subcode: 2_207_042,
      message: "The user has reached the maximum number of posts per day.",
    });
  }
  const post: Post = {
    id: sim.id(17),
    login: session.login,
    type: container.type,
    text: container.text,
    shortcode: `D${sim.secret("").replaceAll(/\W/g, "").slice(0, 10)}`,
    at: sim.now(),
    serial: serial(sim),
    reads: 0,
    deletedAt: null,
  };
  savePost(sim, post);
  save(sim, { ...container, mediaId: post.id });
  sim.publish({
    id: post.id,
    url: permalink(post),
    account: PROFILES[session.login]?.id ?? "",
    kind: container.type.toLowerCase(),
    text: container.text,
    title: null,
    media: container.media,
    options: container.altText === null ? {} : { alt_text: container.altText },
    accepted_at: toInstant(post.at),
  });
  return Response.json({ id: post.id });
}

const READ_TYPES: Readonly<Record<Container["type"], string>> = {
  TEXT: "TEXT_POST",
  IMAGE: "IMAGE",
  VIDEO: "VIDEO",
  CAROUSEL: "CAROUSEL_ALBUM",
};

const postJson = (post: Post): JsonObject => ({
  id: post.id,
  text: post.text,
  media_type: READ_TYPES[post.type],
  media_product_type: "THREADS",
  permalink: permalink(post),
  shortcode: post.shortcode,
  timestamp: toInstant(post.at).replace(/\.\d{3}Z$/, "+0000"),
  username: PROFILES[post.login]?.username ?? "",
});

/** Only the fields that were asked for, or the refusal of one that does not exist; `absent` ones exist and have no value. */
function shown(sim: Sim, object: JsonObject, fields: string | null, absent: string): Response {
  const stranger = strangeField({ ...object, [absent]: null }, fields);
  return stranger === undefined ? Response.json(select(object, fields ?? "id")) : noField(sim, stranger);
}

/** GET /{user}/threads, newest first. */
export function listPosts(sim: Sim, session: Token, url: URL): Response {
  const instant = (name: string, otherwise: number): number => {
    const text = url.searchParams.get(name);
    return text === null ? otherwise : Number(text) * SECOND;
  };
  const since = instant("since", 0);
  const until = instant("until", Number.POSITIVE_INFINITY);
  const found = postsOf(sim, session.login)
    .filter((post) => post.deletedAt === null && post.at >= since && post.at < until)
    .filter((post) => post.at + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => b.at - a.at || b.serial - a.serial)
    .map(postJson);
  const fields = url.searchParams.get("fields");
  const stranger = found[0] && strangeField(found[0], fields);
  return stranger === undefined
    ? pageOf(
        url,
        found.map((post) => select(post, fields ?? "id")),
        USUAL_PAGE,
      )
    : noField(sim, stranger);
}

/** GET /{id} of a container or a post. */
export async function readOne(sim: Sim, session: Token, id: string, fields: string | null): Promise<Response> {
  const container = find(sim, id);
  if (container?.login === session.login) {
    return shown(sim, containerJson(sim, await settled(sim, container)), fields, "error_message");
  }
  const post = findPost(sim, id);
  if (post?.login !== session.login || post.deletedAt !== null) {
    return notFound(sim, id);
  }
  savePost(sim, { ...post, reads: post.reads + 1 });
  const { permalink: link = "", ...rest } = postJson(post);
  const isLate = post.reads < Number(sim.settings.extra["permalink_after_reads"] ?? 0);
  return shown(sim, { ...rest, ...(!isLate && { permalink: link }) }, fields, "permalink");
}

/** DELETE /{id} */
export function deletePost(sim: Sim, session: Token, id: string): Response {
  const post = findPost(sim, id);
  if (post?.login !== session.login || post.deletedAt !== null) {
    return notFound(sim, id);
  }
  if (deletedToday(sim, session.login) >= DELETES_PER_DAY) {
    return graphError(sim, { code: 9, message: "The user has reached the maximum number of deletes per day." });
  }
  savePost(sim, { ...post, deletedAt: sim.now() });
  return Response.json({ success: true, deleted_id: id });
}

/** GET /{user}/threads_publishing_limit */
export function publishingLimit(sim: Sim, session: Token, fields: string | null): Response {
  const quota_duration = DAY / SECOND;
  const all = {
    quota_usage: publishedToday(sim, session.login),
    config: { quota_total: sim.settings.quota ?? POSTS_PER_DAY, quota_duration },
    delete_quota_usage: deletedToday(sim, session.login),
    delete_config: { quota_total: DELETES_PER_DAY, quota_duration },
  };
  return Response.json({ data: [select(all, fields ?? "quota_usage")] });
}
