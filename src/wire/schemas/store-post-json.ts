import {
  LATE_BY_MS_SQL,
  NEXT_ATTEMPT_AT_SQL,
  NO_ANNOTATIONS,
  PAUSED_REASON_SQL,
  type PostTextForm,
  PUBLISHED_AT_SQL,
  TARGET_STATUS_SQL,
} from "#posts/index.ts";
import { type Annotations, presentAnnotations } from "./annotations.ts";
import type { MediaItem } from "./media.ts";
import type { Post, PostSummary } from "./post.ts";

/* SQL that writes the JSON of posts, so that the Worker neither parses nor rebuilds a page of posts. The text equals
   that of `presentPost` and `presentPostSummary` byte for byte. A test compares them for posts in every state. */

/** By member of an object: SQL that returns the member's JSON text. The compiler requires all members. */
type SqlMembers<T> = { readonly [Member in keyof T]: string };

/**
 * SQL for the members of an object, in parts that are concatenated. A function in D1 takes at most 32 arguments, and
 * nested functions would parse an object again.
 */
function members<T>(expressions: SqlMembers<T>): string[] {
  return Object.entries<string>(expressions).flatMap(([name, json], index) => [
    `'${index === 0 ? "" : ","}"${name}":'`,
    json,
  ]);
}

/** SQL for an object. Each entry of `more` is SQL for the text of further members. */
function object<T>(expressions: SqlMembers<T>, ...more: readonly string[]): string {
  return concat(["'{'", ...members(expressions), ...more.flatMap((text) => ["','", text]), "'}'"]);
}

/**
 * Joins SQL texts. It builds a tree, because SQLite limits an expression to a depth of 100, and a chain is as deep as
 * it is long.
 */
function concat(parts: readonly string[]): string {
  const merged: string[] = [];
  for (const part of parts) {
    const last = merged.at(-1) ?? "";
    if (/^'[^']*'$/.test(part) && /^'[^']*'$/.test(last)) {
      merged.splice(-1, 1, `${last.slice(0, -1)}${part.slice(1)}`);
    } else {
      merged.push(part);
    }
  }
  return tree(merged);
}

function tree(parts: readonly string[]): string {
  const half = Math.ceil(parts.length / 2);
  return parts.length <= 2 ? parts.join(" || ") : `(${tree(parts.slice(0, half))}) || (${tree(parts.slice(half))})`;
}

const array = (items: string): string => `'[' || coalesce(${items}, '') || ']'`;

/** SQL for a free text, or null. */
const text = (sql: string): string => `json_quote(${sql})`;

/** SQL for a word or an id, which never needs escaping. */
const word = (sql: string): string => `'"' || ${sql} || '"'`;

const number = (sql: string): string => `coalesce(${sql}, 'null')`;

/** SQL for a column that contains JSON, or null. */
const json = (sql: string): string => `coalesce(${sql}, 'null')`;

const instant = (sql: string): string => `strftime('"%Y-%m-%dT%H:%M:%fZ"', ${sql} / 1000.0, 'unixepoch')`;

const instantOrNull = (sql: string): string => `coalesce(${instant(sql)}, 'null')`;

/** SQL for an error as JSON. `error` is an expression that returns it. */
const errorObject = (error: string) =>
  `iif(coalesce(${error}, 'null') = 'null', 'null', ${object<NonNullable<Post["targets"][number]["error"]>>({
    code: json(`(${error} -> '$.code')`),
    category: json(`(${error} -> '$.category')`),
    message: json(`(${error} -> '$.message')`),
    platform_code: json(`(${error} -> '$.platformCode')`),
    retryable: json(`(${error} -> '$.retryable')`),
    who_must_act: json(`(${error} -> '$.whoMustAct')`),
  })})`;

/** SQL for the extras. It reads their names only if there are any, because most targets have none. */
const extrasObject = `iif(t.extras IS NULL, 'null', '{' || (SELECT group_concat('"' || x.key || '":' || ${object<
  NonNullable<NonNullable<Post["targets"][number]["extras"]>["cover"]>
>({
  status: json("(x.value -> '$.status')"),
  id: json("(x.value -> '$.id')"),
  url: json("(x.value -> '$.url')"),
  error: errorObject("(x.value -> '$.error')"),
})}, ',') FROM json_each(t.extras) x) || '}')`;

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
  alt_text: json("(m.value -> '$.altText')"),
  cover: `iif(m.value -> '$.cover' IS NULL, 'null', ${object<NonNullable<MediaItem["cover"]>>({
    at_ms: json("(m.value -> '$.cover.atMs')"),
    url: json("(m.value -> '$.cover.image.url')"),
  })})`,
});

const mediaArray = (column: string) => array(`(SELECT group_concat(${MEDIA_OBJECT}, ',') FROM json_each(${column}) m)`);

/** SQL for a published thread part. `progress` contains these parts in order. */
const publicPart = (member: string): string => `(t.progress -> ('$.thread[' || part.key || ']${member}'))`;

const PART_OBJECT = object<NonNullable<Post["targets"][number]["parts"]>[number]>({
  index: "part.key",
  status: word(`CASE WHEN ${publicPart("")} IS NOT NULL THEN 'published'
    WHEN part.key = coalesce(json_array_length(t.progress, '$.thread'), 0) OR ${TARGET_STATUS_SQL} IN ('published', 'skipped')
    THEN ${TARGET_STATUS_SQL} ELSE 'pending' END`),
  platform_post_id: json(publicPart(".id")),
  url: json(publicPart(".url")),
});

/** SQL for the thread parts. There is one more than in `thread`, because the first part is the post itself. */
const PART_ARRAY = `iif(json_type(t.options, '$.thread') = 'array', ${array(
  `(SELECT group_concat(${PART_OBJECT}, ',') FROM json_each(json_insert(t.options -> '$.thread', '$[#]', 0)) part)`,
)}, 'null')`;

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
  error: errorObject("t.error"),
  extras: extrasObject,
  due_at: instant("t.due_at"),
  started_at: instantOrNull("t.started_at"),
  late_by_ms: number(LATE_BY_MS_SQL),
  media_items: `iif(t.media IS NULL, 'null', ${mediaArray("t.media")})`,
  parts: PART_ARRAY,
});

/** SQL for the annotations. One lookup reads all of them, because most posts have none. */
const ANNOTATION_MEMBERS = `coalesce((SELECT ${concat(
  members<Annotations>({
    external_id: text("a.external_id"),
    metadata: "a.metadata",
    labels: "a.labels",
    notes: text("a.notes"),
  }),
)} FROM post_annotations a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id),
  '${JSON.stringify(presentAnnotations(NO_ANNOTATIONS)).slice(1, -1)}')`;

const SUMMARY_ANNOTATION_MEMBERS = `coalesce((SELECT ${concat(
  members<Pick<PostSummary, "external_id" | "labels">>({
    external_id: text("a.external_id"),
    labels: "a.labels",
  }),
)} FROM post_annotations a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id),
  '"external_id":null,"labels":[]')`;

const POST_OBJECT = object<Omit<Post, keyof Annotations>>(
  {
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
  },
  ANNOTATION_MEMBERS,
);

/** SQL for both counts, from one read of the targets. */
const SUMMARY_COUNT_MEMBERS = `(SELECT ${concat(
  members<Pick<PostSummary, "target_count" | "media_count">>({
    target_count: "count(*)",
    media_count: `iif(p.media = '[]', coalesce(max(json_array_length(t.media)), 0), json_array_length(p.media))`,
  }),
)} FROM post_targets t WHERE t.post_id = p.id)`;

const SUMMARY_OBJECT = object<Omit<PostSummary, "target_count" | "media_count" | "external_id" | "labels">>(
  {
    id: word("p.id"),
    status: word("p.status"),
    scheduled_at: instant("p.scheduled_at"),
    caption: text("substr(p.caption, 1, 140)"),
    post_type: word("p.post_type"),
    platforms: "p.platforms",
  },
  SUMMARY_COUNT_MEMBERS,
  SUMMARY_ANNOTATION_MEMBERS,
);

export const POST_JSON: PostTextForm = { full: POST_OBJECT, summary: SUMMARY_OBJECT };
