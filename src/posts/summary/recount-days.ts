import type { Services } from "#context.ts";
import { type DayKey, type DayRow, recountDayRows, selectCountedDays, selectDaysOfPosts } from "./store-recount.ts";

/** How many days one transaction recounts. It is small, because other requests wait for the transaction. */
const STEP_DAYS = 20;

/** A day whose counters were wrong. */
export interface DayCorrection {
  readonly workspaceId: string;
  /** The day, as a number since 1970, UTC. */
  readonly day: number;
  /** The wrong counters with their stored values. Null if the day had no row. */
  readonly changes: readonly {
    readonly name: string;
    readonly before: string | number | null;
    readonly after: string | number;
  }[];
}

export interface RecountResult {
  readonly days: number;
  readonly corrected: number;
}

const FIRST_KEY: DayKey = { workspaceId: "", day: -1 };

/**
 * Computes the counters of every day from the posts and corrects wrong ones, in small steps while the service runs. One
 * statement computes and replaces a row, so no change of a post can come between. Safe to repeat.
 */
export async function recountDays(
  services: Pick<Services, "db">,
  onCorrection: (correction: DayCorrection) => void,
): Promise<RecountResult> {
  const db = services.db;
  let days = 0;
  let corrected = 0;
  // Check the days with a row, then the days with posts. So both a row without posts and posts without a row are found.
  for (const select of [selectCountedDays, selectDaysOfPosts]) {
    let after = FIRST_KEY;
    for (;;) {
      const keys = await select(db, after, STEP_DAYS);
      const last = keys.at(-1);
      if (!last) {
        break;
      }
      after = last;
      for (const recount of await recountDayRows(db, keys)) {
        days += select === selectCountedDays || recount.before === null ? 1 : 0;
        if (recount.after !== null) {
          corrected += 1;
          onCorrection({ ...recount.key, changes: changedCounters(recount.before, recount.after) });
        }
      }
    }
  }
  return { days, corrected };
}

function changedCounters(before: DayRow | null, after: DayRow): DayCorrection["changes"] {
  return Object.entries(after)
    .filter(([name]) => name !== "workspace_id" && name !== "day")
    .map(([name, value]) => ({ name, before: before?.[name] ?? null, after: value }))
    .filter((change) => membersInOrder(change.before) !== membersInOrder(change.after));
}

/** Sorts the members of a JSON object before a comparison, because their order depends on the trigger that wrote it. */
function membersInOrder(value: string | number | null): string | number | null {
  return typeof value === "string"
    ? JSON.stringify(Object.entries(JSON.parse(value) as object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
