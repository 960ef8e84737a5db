import type { JsonObject } from "#core/json.ts";
import { toInstant } from "#core/clock.ts";
import type { Sim } from "#sandbox/contract.ts";
import { absent, invalid } from "./answers.ts";
import { type Person, personOf } from "./people.ts";
import { byAuthor, type Post, postKey } from "./posts.ts";
import { cut, show } from "./text.ts";

/* Profiles, single posts and timelines: platforms/x.md part 1 and part 5. */

const USER_FIELDS = new Set(
  `id name username profile_image_url verified verified_type subscription_type protected created_at description
   public_metrics url location`.split(/\s+/),
);
const SHARED_FIELDS = new Set([
  "id",
  "text",
  "created_at",
  "entities",
  "attachments",
  "author_id",
  "lang",
  "source",
  "public_metrics",
]);
/** The document names post fields anew; the narrative pages keep the old names, and both are answered. */
const POST_FIELDS = {
  "tweet.fields": { note: "note_tweet", referenced: "referenced_tweets", history: "edit_history_tweet_ids" },
  "post.fields": { note: "note_post", referenced: "referenced_posts", history: "edit_history_post_ids" },
} as const;
const PARAMETERS = new Set(
  `max_results start_time end_time since_id until_id pagination_token exclude tweet.fields post.fields expansions
   media.fields user.fields poll.fields place.fields ids`.split(/\s+/),
);

const listed = (url: URL, name: string): string[] => (url.searchParams.get(name) ?? "").split(",").filter(Boolean);

/** GET /2/users/me */
export function me(url: URL, person: Person): Response {
  const fields = listed(url, "user.fields");
  const unknown = fields.filter((field) => !USER_FIELDS.has(field));
  if (unknown.length > 0) {
    return invalid(`The \`user.fields\` query parameter value [${unknown.join(",")}] is not one of the known fields`);
  }
  const all: JsonObject = {
    id: person.id,
    name: person.name,
    username: person.username,
    profile_image_url: `https://pbs.twimg.com/profile_images/${person.id}/face_normal.jpg`,
    verified: person.subscription !== "None",
    verified_type: person.subscription === "None" ? "none" : "blue",
    subscription_type: person.subscription,
    protected: false,
  };
  const wanted = new Set(["id", "name", "username", ...fields]);
  return Response.json({ data: Object.fromEntries(Object.entries(all).filter(([field]) => wanted.has(field))) });
}

type Names = (typeof POST_FIELDS)[keyof typeof POST_FIELDS];

/** Which spelling of the field names a call uses, and which fields it wants; or the refusal. */
function fieldsOf(url: URL): { names: Names; wanted: ReadonlySet<string> } | Response {
  const stray = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (stray !== undefined) {
    return invalid(`The query parameter [${stray}] is not one of the known parameters`);
  }
  const spelling = url.searchParams.has("post.fields") ? "post.fields" : "tweet.fields";
  const names = POST_FIELDS[spelling];
  const wanted = listed(url, spelling);
  const unknown = wanted.find((field) => !SHARED_FIELDS.has(field) && !Object.values<string>(names).includes(field));
  return unknown === undefined
    ? { names, wanted: new Set(["id", "text", names.history, ...wanted]) }
    : invalid(`The \`${spelling}\` query parameter value [${unknown}] is not one of the known fields`);
}

function render(post: Post, names: Names, wanted: ReadonlySet<string>): JsonObject {
  const whole = show(post.text, post.links, post.long ? null : post.mediaLink);
  const all: JsonObject = {
    id: post.id,
    text: post.long ? cut(whole.text) : whole.text,
    created_at: toInstant(post.createdAt),
    author_id: post.author,
    lang: "und",
    source: "Almanac",
    entities: { urls: whole.urls },
    [names.history]: [post.id],
    ...(post.mediaKeys.length > 0 && { attachments: { media_keys: post.mediaKeys } }),
    ...(post.quoted !== null && { [names.referenced]: [{ type: "quoted", id: post.quoted }] }),
    ...(post.long && { [names.note]: { text: whole.text, entities: { urls: whole.urls } } }),
  };
  return Object.fromEntries(Object.entries(all).filter(([field]) => wanted.has(field)));
}

function visible(sim: Sim, postId: string): Post | undefined {
  const post = sim.store.get(postKey(postId)) as Post | undefined;
  return post && !post.deleted && post.createdAt + sim.settings.verify_lag_ms <= sim.now() ? post : undefined;
}

/** GET /2/tweets/{id} */
export function readPost(url: URL, sim: Sim, postId: string): Response {
  const fields = fieldsOf(url);
  if (fields instanceof Response) {
    return fields;
  }
  const post = visible(sim, postId);
  return Response.json(
    post ? { data: render(post, fields.names, fields.wanted) } : { errors: [absent("tweet", "id", postId)] },
  );
}

/** GET /2/users/{id}/tweets */
export function timeline(url: URL, sim: Sim, userId: string): Response {
  const fields = fieldsOf(url);
  if (fields instanceof Response) {
    return fields;
  }
  const query = url.searchParams;
  const size = Number(query.get("max_results") ?? 10);
  if (!Number.isInteger(size) || size < 5 || size > 100) {
    return invalid("The `max_results` query parameter value is not between 5 and 100", { max_results: [String(size)] });
  }
  const instant = (name: string, otherwise: number): number => {
    const text = query.get(name);
    return text === null
      ? otherwise
      : /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text)
        ? Date.parse(text)
        : Number.NaN;
  };
  const from = instant("start_time", 0);
  const until = instant("end_time", Number.POSITIVE_INFINITY);
  if (Number.isNaN(from) || Number.isNaN(until)) {
    return invalid("start_time and end_time must be ISO 8601 instants in UTC: 2026-01-31T12:00:00Z");
  }
  if (!personOf(userId)) {
    return Response.json({ errors: [absent("user", "id", userId)] });
  }
  const skip = Number(query.get("pagination_token") ?? 0) || 0;
  const all = sim.store
    .list<number>(byAuthor(userId), { reverse: true, limit: 3200 })
    .filter(([, createdAt]) => createdAt >= from && createdAt < until)
    .map(([key]) => visible(sim, key.slice(byAuthor(userId).length)))
    .filter((post) => post !== undefined)
    .filter(
      (post) =>
        post.id > (query.get("since_id") ?? "") && (!query.has("until_id") || post.id < (query.get("until_id") ?? "")),
    );
  const page = all.slice(skip, skip + size);
  const more = all.length > skip + size;
  return Response.json({
    ...(page.length > 0 && { data: page.map((post) => render(post, fields.names, fields.wanted)) }),
    meta: {
      result_count: page.length,
      ...(page.length > 0 && { newest_id: page[0]?.id, oldest_id: page.at(-1)?.id }),
      ...(more && { next_token: String(skip + size) }),
      ...(skip > 0 && { previous_token: String(Math.max(0, skip - size)) }),
    },
  });
}
