import { type AccountSelection, IS_SELECTED, namesOf } from "#accounts/index.ts";
import type { Actor } from "#core/actor.ts";
import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";
import type { NearbyPosts, TextAtTime } from "./types.ts";

/** The posts near one time of an account. Each column is a JSON array. */
interface NearbyPostsRow {
  readonly account_id: string;
  readonly times_before: string;
  readonly times_after: string;
  readonly texts_before: string;
  readonly texts_after: string;
}

/**
 * How many posts before and after a time are compared. If an account posts more often within a platform's window,
 * duplicates further away get no warning. Large edits compare fewer posts.
 */
const COMPARED_POSTS = 10;
const LEAST_COMPARED_POSTS = 5;
/** How many texts of each account are compared if a request has many new posts. */
const COMPARED_POSTS_OF_MANY = 100;

const comparedPosts = (editedPosts: number): number =>
  Math.max(LEAST_COMPARED_POSTS, Math.min(COMPARED_POSTS, Math.floor((4 * COMPARED_POSTS) / editedPosts)));

/** How many characters at each end of a long text are compared, so that a preview reads at most a few megabytes. */
const COMPARED_END = 500;

const COMPARED_PART = `substr(t.effective_caption, 1, ${COMPARED_END}) ||
  substr(t.effective_caption, max(${COMPARED_END} + 1, length(t.effective_caption) - ${COMPARED_END} + 1))`;

/** Cuts a text in the same way as the SQL cuts stored ones: the whole text, or both ends of a long one. */
export function comparedPart(text: string): string {
  if (text.length <= 2 * COMPARED_END) {
    return text;
  }
  // Count code points, as SQLite does.
  const characters = [...text];
  const end = characters.slice(Math.max(COMPARED_END, characters.length - COMPARED_END));
  return [...characters.slice(0, COMPARED_END), ...end].join("");
}

/** How far around a time (ms) a preview searches, by platform. */
export interface NearbyQuery {
  readonly capWindows: Readonly<Partial<Record<Platform, number>>>;
  /**
   * How many posts on either side can decide whether a cap is exceeded: twice the highest cap, because an account may
   * have its own.
   */
  readonly capRows: number;
  readonly textWindows: Readonly<Partial<Record<Platform, number>>>;
  /** Two times that are less than twice this (ms) apart are read as one range. */
  readonly rangeMs: number;
}

/** The times around which posts are read: one time, or the first and last time of a range. */
interface PostsAround {
  readonly first: string;
  readonly last: string;
  readonly except?: string;
}

/**
 * SQL that reads posts by the index on account and time. Failed, skipped, cancelled and paused posts count neither for
 * caps nor as duplicates.
 */
function nearestPosts(
  side: "before" | "after",
  windows: string,
  rows: string,
  member: string,
  { except = "", first, last }: PostsAround,
): string {
  const window = `${windows} ->> w.platform`;
  const range =
    side === "before"
      ? `t.due_at <= ${first} AND t.due_at > ${first} - (${window}) ${except} ORDER BY t.due_at DESC`
      : `t.due_at > ${first} AND t.due_at < ${last} + (${window}) ${except} ORDER BY t.due_at`;
  return `(SELECT json_group_array(json(post)) FROM (SELECT ${member} AS post FROM post_targets t CROSS JOIN posts p ON p.id = t.post_id
    WHERE t.account_id = w.account_id AND t.state NOT IN ('failed', 'skipped') AND p.status NOT IN ('cancelled', 'paused')
      AND ${range} LIMIT ${rows}))`;
}

/** SQL for the members of a post that a cap needs. */
const TIME = "json_object('postId', t.post_id, 'at', t.due_at)";
/** SQL for the members of a post that a comparison of texts needs. */
const TEXT = `json_object('postId', t.post_id, 'at', coalesce(t.published_at, t.due_at), 'text', ${COMPARED_PART})`;

/** SQL for the nearest posts, and one more because one may be the post itself. ?5 to ?7 come from the query. */
function nearbyPosts(textRows: number, except = ""): string {
  const around = { first: "w.at", last: "w.at", except };
  return `SELECT w.account_id AS account_id,
    ${nearestPosts("before", "?5", "?6", TIME, around)} AS times_before,
    ${nearestPosts("after", "?5", "?6", TIME, around)} AS times_after,
    ${nearestPosts("before", "?7", `${textRows + 1}`, TEXT, around)} AS texts_before,
    ${nearestPosts("after", "?7", `${textRows + 1}`, TEXT, around)} AS texts_after
  FROM account_times w`;
}

/** SQL condition for the selected accounts. `accountsStatement` of the accounts module must have the same one. */
const SELECTED_ACCOUNTS = `a.user_id = ?1 AND a.workspace_id = ?2 AND a.disconnected_at IS NULL AND ${IS_SELECTED}`;

/** A range from the first to the last of times that are near each other. */
export interface TimeRange {
  readonly first: number;
  readonly last: number;
}

/**
 * A statement that selects other posts of the accounts near the times of new posts. Near a single time it reads the
 * nearest posts. A range is read once and whole, because posts near its ends decide nothing about times inside.
 */
export function nearbyPostsStatement(
  db: Db,
  actor: Actor,
  filter: AccountSelection,
  ranges: readonly TimeRange[],
  query: NearbyQuery,
): D1PreparedStatement {
  const [range] = ranges;
  const only = ranges.length === 1 && range?.first === range?.last ? range : undefined;
  const textRows = Math.ceil(COMPARED_POSTS_OF_MANY / Math.max(1, ranges.length));
  return db.d1
    .prepare(
      only
        ? `WITH account_times AS (SELECT a.id AS account_id, a.platform AS platform, ?8 AS at FROM accounts a WHERE ${SELECTED_ACCOUNTS})
           ${nearbyPosts(COMPARED_POSTS)}`
        : `WITH account_ranges AS (
             SELECT a.id AS account_id, a.platform AS platform, r.value ->> 'first' AS first, r.value ->> 'last' AS last
             FROM json_each(?8) r CROSS JOIN accounts a WHERE ${SELECTED_ACCOUNTS})
           SELECT w.account_id AS account_id, ${timesInRange("?5")} AS times_before, '[]' AS times_after,
             ${nearestPosts("before", "?7", `${Math.max(LEAST_COMPARED_POSTS, Math.ceil(textRows / 4))}`, TEXT, RANGE)} AS texts_before,
             ${nearestPosts("after", "?7", `${textRows}`, TEXT, RANGE)} AS texts_after
           FROM account_ranges w`,
    )
    .bind(
      actor.userId,
      actor.workspaceId,
      namesOf(filter),
      JSON.stringify(filter.platforms),
      JSON.stringify(query.capWindows),
      query.capRows + 1,
      JSON.stringify(query.textWindows),
      only ? only.first : JSON.stringify(ranges),
    );
}

/** SQL for the ends of a time range. Posts are read before the range, in it and after it. */
const RANGE = { first: "w.first", last: "w.last" };

function timesInRange(windows: string, except = ""): string {
  const window = `${windows} ->> w.platform`;
  return `(SELECT json_group_array(json(post)) FROM (SELECT ${TIME} AS post FROM post_targets t CROSS JOIN posts p ON p.id = t.post_id
    WHERE t.account_id = w.account_id AND t.state NOT IN ('failed', 'skipped') AND p.status NOT IN ('cancelled', 'paused')
      AND t.due_at > w.first - (${window}) AND t.due_at < w.last + (${window}) ${except}))`;
}

export interface Rescheduling {
  readonly postIds: readonly string[];
  /** The new time of all posts. Null shifts each post's own time by `shiftMs`. */
  readonly scheduledAt: number | null;
  readonly shiftMs: number;
  /** By how much (ms) a new time may differ from the shifted one, because clock changes of a zone decide. */
  readonly slackMs: number;
  /** True if content and time of the posts do not change, so that no other post matters. */
  readonly staysAsItIs: boolean;
}

/** SQL for the edited posts at their new times. ?8 to ?10 say how they are rescheduled. */
const RESCHEDULED = `rescheduled AS (
         SELECT p.id AS id, coalesce(?8, p.scheduled_at + ?9) AS at
         FROM json_each(?10) edited CROSS JOIN posts p ON p.id = edited.value
         WHERE p.user_id = ?1 AND p.workspace_id = ?2)`;

const NOT_EDITED = "AND t.post_id NOT IN (SELECT value FROM json_each(?10))";

/** The parameters ?1 to ?10 for the statements of an edit. */
function parametersOfEdit(
  actor: Actor,
  filter: AccountSelection,
  { scheduledAt, shiftMs, postIds }: Rescheduling,
  { capWindows, capRows, textWindows }: NearbyQuery,
) {
  return [
    actor.userId,
    actor.workspaceId,
    namesOf(filter),
    JSON.stringify(filter.platforms),
    JSON.stringify(capWindows),
    capRows + 1,
    JSON.stringify(textWindows),
    scheduledAt,
    shiftMs,
    JSON.stringify(postIds),
  ] as const;
}

/**
 * A statement that selects other posts near each edited post at its new time, for its own accounts and newly selected
 * ones.
 */
export function nearbyPostsOfEditStatement(
  db: Db,
  actor: Actor,
  filter: AccountSelection,
  rescheduling: Rescheduling,
  query: NearbyQuery,
): D1PreparedStatement {
  return db.d1
    .prepare(
      `WITH ${RESCHEDULED},
       account_times AS (
         SELECT t.account_id AS account_id, t.platform AS platform, m.at AS at
         FROM rescheduled m CROSS JOIN post_targets t ON t.post_id = m.id
         UNION SELECT a.id, a.platform, m.at FROM rescheduled m CROSS JOIN accounts a WHERE ${SELECTED_ACCOUNTS})
       ${nearbyPosts(comparedPosts(rescheduling.postIds.length), NOT_EDITED)}`,
    )
    .bind(...parametersOfEdit(actor, filter, rescheduling, query));
}

/**
 * A statement that selects other posts near the new times of many posts, for their own accounts and newly selected
 * ones. Times whose windows overlap are one range, which is read once and whole.
 */
export function nearbyPostsOfManyStatement(
  db: Db,
  actor: Actor,
  filter: AccountSelection,
  rescheduling: Rescheduling,
  query: NearbyQuery,
): D1PreparedStatement {
  const range = { ...RANGE, except: NOT_EDITED };
  const textRows = (most: number) => `(SELECT max(${LEAST_COMPARED_POSTS}, ${most} / count(*)) FROM ranges)`;
  return db.d1
    .prepare(
      `WITH ${RESCHEDULED},
       numbered AS (
         SELECT at, sum(starts) OVER (ORDER BY at) AS number
         FROM (SELECT at, coalesce(at - lag(at) OVER (ORDER BY at) >= ?12, 1) AS starts FROM rescheduled)),
       ranges AS (SELECT min(at) - ?11 AS first, max(at) + ?11 AS last FROM numbered GROUP BY number),
       account_ranges AS (
         SELECT a.account_id AS account_id, a.platform AS platform, r.first AS first, r.last AS last FROM (
           SELECT t.account_id AS account_id, t.platform AS platform FROM rescheduled m CROSS JOIN post_targets t ON t.post_id = m.id
           UNION SELECT a.id, a.platform FROM accounts a WHERE ${SELECTED_ACCOUNTS}) a CROSS JOIN ranges r)
       SELECT w.account_id AS account_id, ${timesInRange("?5", range.except)} AS times_before, '[]' AS times_after,
         ${nearestPosts("before", "?7", textRows(COMPARED_POSTS_OF_MANY / 4), TEXT, range)} AS texts_before,
         ${nearestPosts("after", "?7", textRows(COMPARED_POSTS_OF_MANY), TEXT, range)} AS texts_after
       FROM account_ranges w`,
    )
    .bind(
      ...parametersOfEdit(actor, filter, rescheduling, query),
      rescheduling.slackMs,
      2 * (query.rangeMs + rescheduling.slackMs),
    );
}

/** Reads the rows of any statement for nearby posts. Several times of an account may have the same nearby posts. */
export function readNearbyPosts(rows: readonly unknown[], exceptPostId?: string): NearbyPosts {
  const timeOf = new Map<string, Map<string, number>>();
  const textOf = new Map<string, Map<string, TextAtTime>>();
  for (const row of rows as readonly NearbyPostsRow[]) {
    const times = timeOf.get(row.account_id) ?? new Map<string, number>();
    timeOf.set(row.account_id, times);
    for (const { postId, at } of [...parse<TextAtTime>(row.times_before), ...parse<TextAtTime>(row.times_after)]) {
      times.set(postId, at);
    }
    const texts = textOf.get(row.account_id) ?? new Map<string, TextAtTime>();
    textOf.set(row.account_id, texts);
    for (const text of [...parse<TextAtTime>(row.texts_before), ...parse<TextAtTime>(row.texts_after)]) {
      texts.set(text.postId, text);
    }
  }
  const valuesOf = <Value>(byAccount: Map<string, Map<string, Value>>) =>
    new Map(
      [...byAccount].map(([accountId, byPost]) => {
        byPost.delete(exceptPostId ?? "");
        return [accountId, [...byPost.values()]];
      }),
    );
  return { times: valuesOf(timeOf), texts: valuesOf(textOf) };
}

function parse<Member>(json: string): readonly Member[] {
  return json === "[]" ? [] : (JSON.parse(json) as Member[]);
}
