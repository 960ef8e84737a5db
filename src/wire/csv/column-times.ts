/** The order of day and month in the dates of a spreadsheet. */
type Order = "day_first" | "month_first";

/** A cell with a time as a local time that the API can read, or why it is none. */
export type ColumnTime = { readonly text: string } | { readonly problem: string };

const SHEET_TIME =
  /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:\s*([AaPp])\.?[Mm]\.?)?$/;
/** Matches dates as Excel writes ISO dates, also with slashes and with hours of one digit. */
const YEAR_FIRST = /^(\d{4})([./-])(\d{1,2})\2(\d{1,2})[ ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;

/** Matches a local time as the API accepts it. */
const LOCAL = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?$/;

const ADVICE = "format the column as yyyy-mm-dd hh:mm";

/** Reads a column of times as spreadsheets of any country write them. Other texts stay unchanged. */
export function readColumnTimes(cells: readonly string[]): readonly ColumnTime[] {
  const orders = new Set(cells.flatMap((cell) => orderOf(cell) ?? []));
  const [order] = orders.size === 1 ? orders : [];
  return cells.map((cell) => readCell(cell, order, orders.size > 1));
}

/** The order of day and month in a cell. Undefined if either number can be the month. */
function orderOf(cell: string): Order | undefined {
  const [, first = "", , second = ""] = SHEET_TIME.exec(cell) ?? [];
  return Number(first) > 12 ? "day_first" : Number(second) > 12 ? "month_first" : undefined;
}

function readCell(cell: string, order: Order | undefined, isMixed: boolean): ColumnTime {
  const iso = YEAR_FIRST.exec(cell);
  if (iso && !LOCAL.test(cell)) {
    const [, year = "", , month = "", day = "", hour = "", minute = "", second] = iso;
    return { text: toLocal([year, month, day], [hour, minute, second]) };
  }
  const match = SHEET_TIME.exec(cell);
  if (!match) {
    return { text: cell };
  }
  const [, first = "", , second = "", shortYear = "", hours = "", minute = "", seconds, half] = match;
  const year = shortYear.length === 2 ? `20${shortYear}` : shortYear;
  const time = [toHours(hours, half), minute, seconds] as const;
  const dayFirst = toLocal([year, second, first], time);
  const monthFirst = toLocal([year, first, second], time);
  if (isMixed) {
    return {
      problem: `scheduled_at ${cell} is unclear, because the column has both orders of day and month: ${ADVICE}`,
    };
  }
  if (order === undefined && first !== second) {
    return {
      problem: `scheduled_at ${cell} is ${dayFirst} or ${monthFirst}, and no date of the column says which: ${ADVICE}`,
    };
  }
  return { text: order === "month_first" ? monthFirst : dayFirst };
}

function toHours(hours: string, half: string | undefined): string {
  return half === undefined ? hours : String((Number(hours) % 12) + (/p/i.test(half) ? 12 : 0));
}

function toLocal(date: readonly string[], [hours = "", ...rest]: readonly (string | undefined)[]): string {
  const two = (number: string) => number.padStart(2, "0");
  return `${date.map(two).join("-")}T${[hours, ...rest.filter((part) => part !== undefined)].map(two).join(":")}`;
}
