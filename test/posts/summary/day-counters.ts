import { env } from "cloudflare:workers";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { POST_STATUSES } from "#core/status.ts";

type Row = Record<string, unknown>;

/** The day counters of a workspace as computed from its posts. */
export async function expectedDayCounters(workspaceId: string) {
  const { results } = await env.DB.prepare(
    "SELECT status, scheduled_at, platforms FROM posts WHERE workspace_id = ? AND status <> 'cancelled'",
  )
    .bind(workspaceId)
    .all<{ status: string; scheduled_at: number; platforms: string }>();
  const days = new Map<number, Record<"counts" | "slots" | "platforms" | "times", Record<string, number>>>();
  for (const { status: storedStatus, scheduled_at: at, platforms } of results) {
    // A claim does not change the counters.
    const status = storedStatus === "publishing" ? "scheduled" : storedStatus;
    const key = Math.floor(at / DAY);
    const day = days.get(key) ?? { counts: {}, slots: {}, platforms: {}, times: {} };
    days.set(key, day);
    const add = (record: Record<string, number>, name: string) => (record[name] = (record[name] ?? 0) + 1);
    add(day.counts, status);
    for (const series of ["all", status]) {
      add(day.times, `${series}.h${Math.floor((at % DAY) / HOUR)}`);
      add(day.times, `${series}.q${Math.floor((at % DAY) / (15 * MINUTE))}`);
    }
    if (status === "scheduled" || status === "published") {
      add(day.slots, String(Math.floor((at % DAY) / (15 * MINUTE))));
    }
    if (status === "scheduled") {
      for (const platform of JSON.parse(platforms) as string[]) {
        add(day.platforms, platform);
      }
    }
  }
  return days;
}

/** The day counters of a workspace as stored. */
export async function storedDayCounters(workspaceId: string) {
  const { results } = await env.DB.prepare("SELECT * FROM post_days WHERE workspace_id = ?")
    .bind(workspaceId)
    .all<Row>();
  const days = new Map<number, unknown>();
  for (const row of results) {
    const counts = Object.fromEntries(
      POST_STATUSES.map((status) => [status, row[status]]).filter(([, count]) => count !== 0),
    );
    // A day whose posts are all gone has a row without counts.
    if (Object.keys(counts).length > 0 || ["slots", "platforms", "times"].some((name) => row[name] !== "{}")) {
      days.set(Number(row["day"]), {
        counts,
        slots: JSON.parse(String(row["slots"])),
        platforms: JSON.parse(String(row["platforms"])),
        times: JSON.parse(String(row["times"])),
      });
    }
  }
  return days;
}

interface Total {
  readonly side: string;
  readonly day: number;
  readonly counts: Record<string, number>;
  readonly platforms: Record<string, number>;
}

/** The totals of a workspace as stored, without zeros. */
export async function storedTotals(workspaceId: string): Promise<Total[]> {
  const { results } = await env.DB.prepare("SELECT * FROM post_totals WHERE workspace_id = ? ORDER BY side")
    .bind(workspaceId)
    .all<Row>();
  return results.map((row) => ({
    side: String(row["side"]),
    day: Number(row["day"]),
    counts: Object.fromEntries(
      POST_STATUSES.map((status) => [status, Number(row[status] ?? 0)] as const).filter(([, count]) => count !== 0),
    ),
    platforms: JSON.parse(String(row["platforms"])) as Record<string, number>,
  }));
}

/** The same totals as computed from the day counters. */
export async function expectedTotals(workspaceId: string): Promise<Total[]> {
  const days = [...(await expectedDayCounters(workspaceId))];
  return (await storedTotals(workspaceId)).map(({ side, day }) => {
    const counts: Record<string, number> = {};
    const platforms: Record<string, number> = {};
    for (const [, counters] of days.filter(([key]) => (side === "before" ? key < day : key >= day))) {
      for (const [sums, values] of [
        [counts, counters.counts],
        [platforms, counters.platforms],
      ] as const) {
        for (const [name, count] of Object.entries(values)) {
          sums[name] = (sums[name] ?? 0) + count;
        }
      }
    }
    return { side, day, counts, platforms };
  });
}
