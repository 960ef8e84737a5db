import { DAY, HOUR } from "#core/clock.ts";
import { type ListedStatus, POST_STATUSES } from "#core/status.ts";
import { SLOT_MS } from "./schedule-statistics.ts";
import { statusListSql } from "#posts/rows/store-posts-by-time.ts";

/*
 * How many posts a range of time has, from post_days and post_totals: whole days from their rows, what is far from the present from one
 * row on either side, the hours and quarter hours of the first and the last day from `times`, and only the rows of the posts within one
 * quarter hour at either end. So what is read depends on days, and on nothing else.
 */

/** Collects parameters while a statement is built. */
export class SqlParameters {
  readonly values: (string | number)[] = [];

  add(value: string | number): string {
    this.values.push(value);
    return `?${this.values.length}`;
  }
}

/** The upper bound of a list: the largest JavaScript date, a whole number of days. */
export const MAX_INSTANT = 8_640_000_000_000_000;

/** Posts of one status, or of all that are listed, with `from` <= time < `until`. */
export interface CountedRange {
  readonly workspaceId: string;
  readonly status: ListedStatus | null;
  readonly from: number;
  readonly until: number;
}

/** The statuses with a counter of their own: publishing posts are counted as scheduled. */
export const COUNTED_STATUSES = POST_STATUSES.filter((status) => status !== "publishing");

const statusesOf = (status: ListedStatus | null): readonly ListedStatus[] =>
  status === null ? POST_STATUSES : [status];

/** The columns that count the posts of the status; column names cannot be parameters, but come from a closed list. */
function countColumns(status: ListedStatus | null): string {
  return status ?? `(${COUNTED_STATUSES.join(" + ")})`;
}

/** Counts rows by index: for ranges that are known to be short, or whose posts are known to be few. */
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

/** The counters count publishing posts as scheduled; they are few, and subtracted where only scheduled ones are asked for. */
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

/** How many posts are in the range, as one scalar expression. */
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

/** The days `first` <= day < `end`; an open side ends at the row of post_totals that has the rest. */
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

/** How many posts of the day of `at` are before it. */
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

/** The member of `times` for an hour or a quarter hour, whose name is an SQL text. */
function timeSql(times: string, status: ListedStatus | null, name: string): string {
  return `coalesce(${times} ->> ('$."${status ?? "all"}.' || ${name} || '"'), 0)`;
}

/** Where in the range a page begins: from the start of a quarter hour (`asc`) or up to its end (`desc`), with `skip` posts left out. */
export interface PageStart {
  /** Common table expressions that the statement must begin with. */
  readonly tables: readonly string[];
  /** The start, or the end, of the quarter hour. No row if the range has no more posts. */
  readonly at: string;
  readonly skip: string;
}

/**
 * Finds the quarter hour in which the post after `skip` others lies: walks the days until their sum exceeds it, then the hours of that
 * day, then the quarters of that hour. SQLite computes the running sums row by row and stops where the outer SELECT does.
 */
export function pageStart(params: SqlParameters, range: CountedRange, order: "asc" | "desc", skip: string): PageStart {
  const { workspaceId, status, from, until } = range;
  const asc = order === "asc";
  // Posts of the first day of the walk that are not in the range count as skipped.
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
