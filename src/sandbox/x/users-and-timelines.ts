import type { JsonObject } from "#core/json.ts";
import { toIsoInstant } from "#core/clock.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { notFoundError, invalidRequest } from "./error-responses.ts";
import { type TestUser, findTestUser } from "./test-users.ts";
import { authorPrefix, type Post, postKey } from "./posts.ts";
import { truncateText, renderText } from "./post-text.ts";

/* Users, single posts and timelines: platforms/x.md part 1 (login) and part 5 (reconciliation). */

const USER_FIELDS = new Set(
  `id name username profile_image_url verified verified_type subscription_type protected created_at description
   public_metrics url location`.split(/\s+/),
);
const SHARED_FIELDS = ["id", "text", "created_at", "entities", "attachments", "lang", "source", "public_metrics"];
/**
 * Referenced posts are an expansion with `post.fields` (`expansions=referenced_posts`) and a field with `tweet.fields`. The OpenAPI
 * description 2.167 (https://api.x.com/2/openapi.json) has only `post.fields` and its values; the guides still use `tweet.fields`. The
 * setting `field_names` selects the known names: post (the description), tweet (the guides) or both.
 */
const POST_FIELDS = {
  post: {
    param: "post.fields",
    note: "note_post",
    history: "edit_history_post_ids",
    referenced: "referenced_posts",
    known: [],
    expansions: ["author_id", "referenced_posts", "edit_history_post_ids", "in_reply_to_user_id"],
  },
  tweet: {
    param: "tweet.fields",
    note: "note_tweet",
    history: "edit_history_tweet_ids",
    referenced: "referenced_tweets",
    known: ["author_id", "referenced_tweets", "edit_history_tweet_ids"],
    expansions: [],
  },
} as const;

const listParam = (url: URL, name: string): string[] => (url.searchParams.get(name) ?? "").split(",").filter(Boolean);

/** GET /2/users/me */
export function readMe(url: URL, user: TestUser): Response {
  const fields = listParam(url, "user.fields");
  const unknown = fields.filter((field) => !USER_FIELDS.has(field));
  if (unknown.length > 0) {
    return invalidRequest(
      `The \`user.fields\` query parameter value [${unknown.join(",")}] is not one of the known fields`,
    );
  }
  const all: JsonObject = {
    id: user.id,
    name: user.name,
    username: user.username,
    profile_image_url: `https://pbs.twimg.com/profile_images/${user.id}/face_normal.jpg`,
    verified: user.subscription !== "None",
    verified_type: user.subscription === "None" ? "none" : "blue",
    subscription_type: user.subscription,
    protected: false,
  };
  const wanted = new Set(["id", "name", "username", ...fields]);
  return Response.json({ data: Object.fromEntries(Object.entries(all).filter(([field]) => wanted.has(field))) });
}

type FieldNames = (typeof POST_FIELDS)[keyof typeof POST_FIELDS];

/** The field names and the fields that a call uses, or the error response. */
function requestedFields(
  url: URL,
  sim: SimulatorContext,
): { names: FieldNames; wanted: ReadonlySet<string> } | Response {
  const setting = sim.settings.extra["field_names"];
  const spellings =
    setting === "both" ? (["tweet", "post"] as const) : ([setting === "tweet" ? "tweet" : "post"] as const);
  const accepted = spellings.map((spelling) => POST_FIELDS[spelling]);
  const other = Object.values(POST_FIELDS).find(({ param }) => url.searchParams.has(param));
  const names = other ?? accepted[0] ?? POST_FIELDS.post;
  if (!accepted.includes(names)) {
    return invalidRequest(
      `The query parameter [${names.param}] is not one of [${accepted.map(({ param }) => param).join(",")}]`,
    );
  }
  const wanted = listParam(url, names.param);
  const known: readonly string[] = [...SHARED_FIELDS, names.note, ...names.known];
  const unknown = wanted.find((field) => !known.includes(field));
  const expansions: readonly string[] = names.expansions;
  const expanded = listParam(url, "expansions");
  const unknownExpansion = expanded.find((one) => !expansions.includes(one));
  if (unknownExpansion !== undefined) {
    return invalidRequest(`The \`expansions\` query parameter value [${unknownExpansion}] is not known`);
  }
  return unknown === undefined
    ? { names, wanted: new Set(["id", "text", names.history, ...wanted, ...expanded]) }
    : invalidRequest(`The \`${names.param}\` query parameter value [${unknown}] is not one of [${known.join(",")}]`);
}

function postJson(post: Post, names: FieldNames, wanted: ReadonlySet<string>): JsonObject {
  const rendered = renderText(post.text, post.links, post.isLong ? null : post.mediaLink);
  const all: JsonObject = {
    id: post.id,
    text: post.isLong ? truncateText(rendered.text) : rendered.text,
    created_at: toIsoInstant(post.createdAt),
    author_id: post.author,
    lang: "und",
    source: "Almanac",
    entities: { urls: rendered.urls },
    [names.history]: [post.id],
    ...(post.mediaKeys.length > 0 && { attachments: { media_keys: post.mediaKeys } }),
    [names.referenced]: references(post),
    ...(post.isLong && { [names.note]: { text: rendered.text, entities: { urls: rendered.urls } } }),
  };
  return Object.fromEntries(Object.entries(all).filter(([field]) => wanted.has(field)));
}

function references(post: Post): JsonObject[] {
  return [
    ...(post.repliedToId === null ? [] : [{ type: "replied_to", id: post.repliedToId }]),
    ...(post.quotedPostId === null ? [] : [{ type: "quoted", id: post.quotedPostId }]),
  ];
}

function findVisiblePost(sim: SimulatorContext, postId: string): Post | undefined {
  const post = sim.store.get(postKey(postId)) as Post | undefined;
  return post && !post.deleted && post.createdAt + sim.settings.verify_lag_ms <= sim.now() ? post : undefined;
}

/** GET /2/tweets/{id} */
export function readPost(url: URL, sim: SimulatorContext, postId: string): Response {
  const fields = requestedFields(url, sim);
  if (fields instanceof Response) {
    return fields;
  }
  const post = findVisiblePost(sim, postId);
  return Response.json(
    post ? { data: postJson(post, fields.names, fields.wanted) } : { errors: [notFoundError("tweet", "id", postId)] },
  );
}

/** GET /2/users/{id}/tweets */
export function readTimeline(url: URL, sim: SimulatorContext, userId: string): Response {
  const fields = requestedFields(url, sim);
  if (fields instanceof Response) {
    return fields;
  }
  const query = url.searchParams;
  const size = Number(query.get("max_results") ?? 10);
  if (!Number.isInteger(size) || size < 5 || size > 100) {
    return invalidRequest("The `max_results` query parameter value is not between 5 and 100", {
      max_results: [String(size)],
    });
  }
  const instantParam = (name: string, fallback: number): number => {
    const text = query.get(name);
    return text === null
      ? fallback
      : /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text)
        ? Date.parse(text)
        : Number.NaN;
  };
  const from = instantParam("start_time", 0);
  const until = instantParam("end_time", Number.POSITIVE_INFINITY);
  if (Number.isNaN(from) || Number.isNaN(until)) {
    return invalidRequest("start_time and end_time must be ISO 8601 instants in UTC: 2026-01-31T12:00:00Z");
  }
  if (!findTestUser(userId)) {
    return Response.json({ errors: [notFoundError("user", "id", userId)] });
  }
  const offset = Number(query.get("pagination_token") ?? 0) || 0;
  const all = sim.store
    .list<number>(authorPrefix(userId), { reverse: true, limit: 3200 })
    .filter(([, createdAt]) => createdAt >= from && createdAt < until)
    .map(([key]) => findVisiblePost(sim, key.slice(authorPrefix(userId).length)))
    .filter((post) => post !== undefined)
    .filter(
      (post) =>
        post.id > (query.get("since_id") ?? "") && (!query.has("until_id") || post.id < (query.get("until_id") ?? "")),
    );
  const page = all.slice(offset, offset + size);
  const hasMore = all.length > offset + size;
  return Response.json({
    ...(page.length > 0 && { data: page.map((post) => postJson(post, fields.names, fields.wanted)) }),
    meta: {
      result_count: page.length,
      ...(page.length > 0 && { newest_id: page[0]?.id, oldest_id: page.at(-1)?.id }),
      ...(hasMore && { next_token: String(offset + size) }),
      ...(offset > 0 && { previous_token: String(Math.max(0, offset - size)) }),
    },
  });
}
