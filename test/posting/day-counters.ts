import { env } from "cloudflare:workers";
import { DAY, MINUTE } from "#core/clock.ts";
import { POST_STATUSES } from "#core/status.ts";

type Row = Record<string, unknown>;

/** The day counters of a workspace as computed from its posts. */
export async function expectedDayCounters(workspaceId: string) {
  const { results } = await env.DB.prepare(
    "SELECT status, scheduled_at, platforms FROM posts WHERE workspace_id = ? AND status <> 'cancelled'",
  )
    .bind(workspaceId)
    .all<{ status: string; scheduled_at: number; platforms: string }>();
  const days = new Map<
    number,
    { counts: Record<string, number>; slots: Record<string, number>; platforms: Record<string, number> }
  >();
  for (const { status, scheduled_at: at, platforms } of results) {
    const key = Math.floor(at / DAY);
    const day = days.get(key) ?? { counts: {}, slots: {}, platforms: {} };
    days.set(key, day);
    const add = (record: Record<string, number>, name: string) => (record[name] = (record[name] ?? 0) + 1);
    add(day.counts, status);
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
    if (Object.keys(counts).length > 0 || row["slots"] !== "{}" || row["platforms"] !== "{}") {
      days.set(Number(row["day"]), {
        counts,
        slots: JSON.parse(String(row["slots"])),
        platforms: JSON.parse(String(row["platforms"])),
      });
    }
  }
  return days;
}
