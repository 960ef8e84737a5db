import { DAY, HOUR } from "#core/clock.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import { SLOT_MS } from "./schedule-statistics.ts";
import { statusListSql } from "#posts/rows/store-posts-by-time.ts";

/* Counts the posts of a time range by the counters in post_days and post_totals. Whole days come from their rows,
   days far from today from one row on each side. Hours and quarter hours of the first and last day come from
   `times`. Posts are read only within a quarter hour at either end. So the rows read depend on the number of days
   and not of posts. */

/** Collects parameters while a statement is built. */
export class SqlParameters {
  readonly values: (string | number)[] = [];

  add(value: string | number): string {
    this.values.push(value);
    return `?${this.values.length}`;
  }
}

/** The upper end (ms) of a list's time range: the largest JavaScript date, which is a whole number of days. */
export const MAX_INSTANT = 8_640_000_000_000_000;

/** Posts with `from` <= time < `until` and one status. Null means every status that lists show. */
export interface CountedRange {
  readonly workspaceId: string;
  readonly status: ListedStatus | null;
  readonly from: number;
  readonly until: number;
}

/** The statuses that have a counter. The counters count publishing posts as scheduled. */
export const COUNTED_STATUSES = POST_STATUSES.filter((status) => status !== "publishing");

const statusesOf = (status: ListedStatus | null): readonly ListedStatus[] =>
  status === null ? POST_STATUSES : [status];

/**
 * SQL for the columns that count the posts of a status. Column names cannot be parameters, but they come from a closed
 * list.
 */
function countColumns(status: ListedStatus | null): string {
  return status ?? `(${COUNTED_STATUSES.join(" + ")})`;
}

/** SQL that counts rows with an index, for ranges that are short or have few posts. */
export function countRowsSql(
  params: SqlParameters,
  workspaceId: string,
  statuses: readonly ListedStatus[],
  { from, until }: { readonly from: number; readonly until: number },
): string {
  return from >= until
    ? "0"
    : `(SELECT count(*) FROM posts p WHERE p.workspace_id = ${params.add(workspaceId)}
        AND p.status IN ${statusListSql(statuses)} AND p.scheduled_at >= ${params.add(from)} AND p.scheduled_at < ${params.add(until)})`;
}

/**
 * SQL that subtracts publishing posts, which the counters count as scheduled. They are few, and only needed if the
 * caller wants scheduled posts alone.
 */
function withoutPublishing(
  params: SqlParameters,
  range: Pick<CountedRange, "workspaceId" | "status">,
  counted: string,
  bounds: () => readonly [from: string, until: string],
): string {
  if (range.status !== "scheduled") {
    return counted;
  }
  const [from, until] = bounds();
  return `(${counted} - (SELECT count(*) FROM posts x WHERE x.workspace_id = ${params.add(range.workspaceId)} AND x.status = 'publishing'
        AND x.scheduled_at >= ${from} AND x.scheduled_at < ${until}))`;
}

export function countSql(params: SqlParameters, range: CountedRange): string {
  const { workspaceId, status, from, until } = range;
  if (status === "publishing" || until - from <= SLOT_MS) {
    return countRowsSql(params, workspaceId, statusesOf(status), range);
  }
  const [first, end] = [Math.floor(from / DAY), Math.floor(until / DAY)];
  const days = withoutPublishing(params, range, daysSql(params, range, first, end), () => [
    params.add(first * DAY),
    params.add(end * DAY),
  ]);
  return `(${days} - ${countBeforeInDaySql(params, range, from)} + ${countBeforeInDaySql(params, range, until)})`;
}

/**
 * SQL for the posts of the days `first` <= day < `end`. A side without a limit stops at the row of post_totals, which
 * contains all further days.
 */
function daysSql(params: SqlParameters, { workspaceId, status }: CountedRange, first: number, end: number): string {
  const workspace = params.add(workspaceId);
  const columns = countColumns(status);
  const isOpen = { before: first === 0, from: end === MAX_INSTANT / DAY };
  const firstDay = isOpen.before && !isOpen.from ? "0" : params.add(first);
  const endDay = isOpen.from && !isOpen.before ? "9e15" : params.add(end);
  const totals = [
    ...(isOpen.before ? [`(side = 'before' AND day <= ${endDay})`] : []),
    ...(isOpen.from ? [`(side = 'from' AND day >= ${firstDay})`] : []),
  ];
  const dayOf = (condition: string) =>
    `(SELECT day FROM post_totals WHERE workspace_id = ${workspace} AND ${condition})`;
  const from = isOpen.before ? `coalesce(${dayOf(totals[0] ?? "")}, ${firstDay})` : firstDay;
  const until = isOpen.from ? `coalesce(${dayOf(totals.at(-1) ?? "")}, ${endDay})` : endDay;
  const days = `(SELECT coalesce(sum(${columns}), 0) FROM post_days WHERE workspace_id = ${workspace} AND day >= ${from} AND day < ${until})`;
  return totals.length === 0
    ? days
    : `(${days} + (SELECT coalesce(sum(${columns}), 0) FROM post_totals WHERE workspace_id = ${workspace} AND (${totals.join(" OR ")})))`;
}

/** SQL for the number of posts on the same day as `at` and before it. */
function countBeforeInDaySql(params: SqlParameters, range: CountedRange, at: number): string {
  const { workspaceId, status } = range;
  const quarter = Math.floor((at % DAY) / SLOT_MS);
  const hour = Math.floor(quarter / 4);
  const names = [
    ...Array.from({ length: hour }, (_, index) => `h${index}`),
    ...Array.from({ length: quarter - 4 * hour }, (_, index) => `q${4 * hour + index}`),
  ];
  const day = Math.floor(at / DAY);
  const slot = { from: day * DAY + quarter * SLOT_MS, until: at };
  const rows = countRowsSql(params, workspaceId, statusesOf(status), slot);
  if (names.length === 0) {
    return rows;
  }
  const counted = names.map((name) => timeSql("times", status, `'${name}'`)).join(" + ");
  const whole = `coalesce((SELECT ${counted} FROM post_days WHERE workspace_id = ${params.add(workspaceId)} AND day = ${params.add(day)}), 0)`;
  const bounds = () => [params.add(day * DAY), params.add(slot.from)] as const;
  return `(${withoutPublishing(params, range, whole, bounds)} + ${rows})`;
}

/** SQL for the member of `times` that counts an hour or quarter hour. `name` is an SQL expression. */
function timeSql(times: string, status: ListedStatus | null, name: string): string {
  return `coalesce(${times} ->> ('$."${status ?? "all"}.' || ${name} || '"'), 0)`;
}

/** Where a page begins after `skip` posts: at the start of a quarter hour (`asc`), or at its end (`desc`). */
export interface PageStart {
  /** SQL of common table expressions with which the statement must begin. */
  readonly tables: readonly string[];
  /** SQL for the start or end of the quarter hour. It returns no row if the range has no more posts. */
  readonly at: string;
  readonly skip: string;
}

/**
 * Finds the quarter hour with the first post of a page, after `skip` posts. It adds up days until the sum exceeds
 * `skip`, then hours of that day, then quarters of that hour. SQLite computes the sums row by row, and stops when the
 * outer SELECT has its row.
 */
export function pageStart(params: SqlParameters, range: CountedRange, order: "asc" | "desc", skip: string): PageStart {
  const { workspaceId, status, from, until } = range;
  const asc = order === "asc";
  // The sums begin with a whole day, so posts of that day outside the range count as skipped.
  const lastDay = Math.ceil(until / DAY) - 1;
  const outside = asc
    ? countBeforeInDaySql(params, range, from)
    : until % DAY === 0
      ? "0"
      : `(${countSql(params, { ...range, from: lastDay * DAY, until: (lastDay + 1) * DAY })} - ${countBeforeInDaySql(params, range, until)})`;
  const exact = (counted: string, start: string, length: number) =>
    withoutPublishing(params, range, counted, () => [start, `${start} + ${length}`]);
  const days = `SELECT day, times, ${exact(countColumns(status), `day * ${DAY}`, DAY)} AS n FROM post_days
    WHERE workspace_id = ${params.add(workspaceId)} AND day >= ${params.add(Math.floor(from / DAY))} AND day <= ${params.add(lastDay)}`;
  const parts = (of: string, prefix: string, count: number, first: string, length: number) => {
    const number = `(${first} + part.value)`;
    const list = `json_each('[${Array.from({ length: count }, (_, index) => index).join(",")}]') part`;
    const n = exact(
      timeSql("times", status, `'${prefix}' || ${number}`),
      `(day * ${DAY} + ${number} * ${length})`,
      length,
    );
    return `SELECT day, times, ${number} AS part, rest, ${n} AS n FROM ${of} CROSS JOIN ${list}`;
  };
  const firstBeyond = (source: string, columns: string, by: string, rest: string) =>
    `SELECT ${columns}, ${rest} - (cumulative - n) AS rest
     FROM (SELECT *, sum(n) OVER (ORDER BY ${by} ${order} ROWS UNBOUNDED PRECEDING) AS cumulative FROM (${source}))
     WHERE cumulative > ${rest} LIMIT 1`;
  const target = `(SELECT n FROM skipped)`;
  return {
    tables: [
      `skipped AS MATERIALIZED (SELECT ${skip} + ${outside} AS n)`,
      `day_of_page AS MATERIALIZED (${firstBeyond(days, "day, times", "day", target)})`,
      `hour_of_page AS MATERIALIZED (${firstBeyond(parts("day_of_page", "h", 24, "0", HOUR), "day, times, part AS hour", "part", "rest")})`,
      `start_of_page AS MATERIALIZED (SELECT day * ${DAY} + part * ${SLOT_MS} AS at, rest
        FROM (${firstBeyond(parts("hour_of_page", "q", 4, "hour * 4", SLOT_MS), "day, part", "part", "rest")}))`,
    ],
    at: asc ? "(SELECT at FROM start_of_page)" : `(SELECT at + ${SLOT_MS} FROM start_of_page)`,
    skip: "coalesce((SELECT rest FROM start_of_page), 0)",
  };
}
