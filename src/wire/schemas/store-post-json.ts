import {
  LATE_BY_MS_SQL,
  NEXT_ATTEMPT_AT_SQL,
  PAUSED_REASON_SQL,
  type PostTextForm,
  PUBLISHED_AT_SQL,
  TARGET_STATUS_SQL,
} from "#posting/index.ts";
import type { MediaItem } from "./media.ts";
import type { Post, PostSummary } from "./post.ts";

/*
 * The JSON of posts as SQLite writes it, so that a page of posts is neither parsed nor built again in the Worker. Byte for byte what
 * `presentPost` and `presentPostSummary` give, which a test holds for posts in every state.
 */

/** The SQL expression of each member, which yields JSON text; the compiler asks for all of them. */
type SqlMembers<T> = { readonly [Member in keyof T]: string };

/** Concatenated, because D1 allows a function 32 arguments, and an object would be parsed again by the next function. */
function object<T>(members: SqlMembers<T>): string {
  const parts = Object.entries<string>(members).map(
    ([name, json], index) => `'${index === 0 ? "{" : ","}"${name}":' || ${json}`,
  );
  // Literals that meet become one.
  return `${parts.join(" || ")} || '}'`.replaceAll("' || '", "");
}

const array = (items: string): string => `'[' || coalesce(${items}, '') || ']'`;

/** Free text, or null. */
const text = (sql: string): string => `json_quote(${sql})`;

/** A word or an id, which has nothing to escape. */
const word = (sql: string): string => `'"' || ${sql} || '"'`;

const number = (sql: string): string => `coalesce(${sql}, 'null')`;

/** A column that holds JSON, or null. */
const json = (sql: string): string => `coalesce(${sql}, 'null')`;

const instant = (sql: string): string => `strftime('"%Y-%m-%dT%H:%M:%fZ"', ${sql} / 1000.0, 'unixepoch')`;

const instantOrNull = (sql: string): string => `coalesce(${instant(sql)}, 'null')`;

const errorObject = `iif(t.error IS NULL, 'null', ${object<NonNullable<Post["targets"][number]["error"]>>({
  code: json("(t.error -> '$.code')"),
  category: json("(t.error -> '$.category')"),
  message: json("(t.error -> '$.message')"),
  platform_code: json("(t.error -> '$.platformCode')"),
  retryable: json("(t.error -> '$.retryable')"),
  who_must_act: json("(t.error -> '$.whoMustAct')"),
})})`;

const TARGET_OBJECT = object<Post["targets"][number]>({
  account_id: word("t.account_id"),
  platform: word("t.platform"),
  username: text("t.username"),
  caption: text("t.caption"),
  effective_caption: text("t.effective_caption"),
  platform_options: "t.options",
  status: word(TARGET_STATUS_SQL),
  platform_post_id: text("t.remote_id"),
  platform_post_url: text("t.remote_url"),
  published_at: instantOrNull("t.published_at"),
  attempts: "t.attempts",
  next_attempt_at: instantOrNull(NEXT_ATTEMPT_AT_SQL),
  error: errorObject,
  due_at: instant("t.due_at"),
  started_at: instantOrNull("t.started_at"),
  late_by_ms: number(LATE_BY_MS_SQL),
});

const MEDIA_OBJECT = object<MediaItem>({
  url: json("(m.value -> '$.url')"),
  type: json("(m.value -> '$.type')"),
  id: json("(m.value -> '$.id')"),
  content_type: json("(m.value -> '$.contentType')"),
  size_bytes: json("(m.value -> '$.sizeBytes')"),
  width: json("(m.value -> '$.width')"),
  height: json("(m.value -> '$.height')"),
  duration_seconds: json("(m.value -> '$.durationSeconds')"),
  sha256: json("(m.value -> '$.sha256')"),
});

const POST_OBJECT = object<Post>({
  id: word("p.id"),
  workspace_id: word("p.workspace_id"),
  status: word("p.status"),
  caption: text("p.caption"),
  post_type: word("p.post_type"),
  scheduled_at: instant("p.scheduled_at"),
  published_at: instantOrNull(PUBLISHED_AT_SQL),
  version: "p.version",
  created_at: instant("p.created_at"),
  updated_at: instant("p.updated_at"),
  created_via: word("p.created_via"),
  created_by: json("p.created_by"),
  paused_reason: text(PAUSED_REASON_SQL),
  plan_hash: text("p.plan_hash"),
  targets: array(
    `(SELECT group_concat(${TARGET_OBJECT}, ',' ORDER BY t.position, t.account_id) FROM post_targets t WHERE t.post_id = p.id)`,
  ),
  media_items: `iif(p.media = '[]', '[]', ${array(`(SELECT group_concat(${MEDIA_OBJECT}, ',') FROM json_each(p.media) m)`)})`,
});

const SUMMARY_OBJECT = object<PostSummary>({
  id: word("p.id"),
  status: word("p.status"),
  scheduled_at: instant("p.scheduled_at"),
  caption: text("substr(p.caption, 1, 140)"),
  post_type: word("p.post_type"),
  platforms: "p.platforms",
  target_count: "(SELECT count(*) FROM post_targets t WHERE t.post_id = p.id)",
  media_count: "json_array_length(p.media)",
});

/** Posts as the API writes them. */
export const POST_JSON: PostTextForm = { full: POST_OBJECT, summary: SUMMARY_OBJECT };
