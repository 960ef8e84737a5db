import type { FC } from "hono/jsx";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { type Display, formatTimeOfDay, formatZone } from "#dashboard/wording/display.ts";
import type { Overview } from "#posts/index.ts";
import { NumbersTable } from "./numbers-table.tsx";

/* Draws when posts are published, by weekday and hour. The area of a circle is proportional to the number of posts. */

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const LABELLED_HOURS = [0, 6, 12, 18];
const LEFT = 32;
const COLUMN = 12;
const ROW = 18;
const TOP = 20;
const WIDTH = LEFT + 24 * COLUMN;
const HEIGHT = TOP + 7 * ROW;
const MAX_RADIUS = 6;

interface Cell {
  readonly weekday: number;
  readonly hour: number;
  readonly count: number;
}

const columnOf = (hour: number) => Math.round((LEFT + (hour + 0.5) * COLUMN) * 10) / 10;

export const HoursPlot: FC<{ overview: Pick<Overview, "countByHourOfWeek">; display: Display; now: number }> = ({
  overview: { countByHourOfWeek },
  display,
  now,
}) => {
  const cells = countByHourOfWeek
    .map((count, index): Cell => ({ weekday: Math.floor(index / 24), hour: index % 24, count }))
    .filter(({ count }) => count > 0);
  const max = Math.max(1, ...countByHourOfWeek);
  const rowOf = (weekday: number) => TOP + (((weekday - display.firstWeekday + 7) % 7) + 0.5) * ROW;
  const hourRange = (hour: number) =>
    `${formatTimeOfDay(display, hour * 60)}–${formatTimeOfDay(display, ((hour + 1) % 24) * 60)}`;
  const weekdays = Array.from({ length: 7 }, (_, row) => (row + display.firstWeekday) % 7);
  return (
    <figure class="card plot">
      <figcaption>
        <h2>Hours of the week</h2>
        <p class="hint">
          {`Scheduled and published posts, 90 days back and ahead, in ${formatZone(display.timeZone, now)}.`}
        </p>
      </figcaption>
      {cells.length === 0 ? (
        <p>There are no posts in this time.</p>
      ) : (
        <>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="Posts by weekday and hour">
            {LABELLED_HOURS.map((hour) => (
              <text x={columnOf(hour)} y="12" text-anchor="middle">
                {display.hour12 ? formatTimeOfDay(display, hour * 60).replace(":00", "") : String(hour)}
              </text>
            ))}
            {weekdays.map((weekday) => (
              <>
                <text x="0" y={rowOf(weekday) + 4}>
                  {WEEKDAYS[weekday]?.slice(0, 3)}
                </text>
                <path class="plot-grid" d={`M${columnOf(0)} ${rowOf(weekday)}H${columnOf(23)}`} />
              </>
            ))}
            {cells.map(({ weekday, hour, count }) => (
              <circle
                class="plot-published"
                cx={columnOf(hour)}
                cy={rowOf(weekday)}
                r={Math.round(Math.max(2, MAX_RADIUS * Math.sqrt(count / max)) * 10) / 10}
              >
                <title>{`${WEEKDAYS[weekday] ?? ""} ${hourRange(hour)}: ${countOf(count, "post")}`}</title>
              </circle>
            ))}
          </svg>
          <NumbersTable
            caption="Posts by weekday and hour"
            columns={["Hour", "Posts"]}
            rows={cells
              .toSorted((a, b) => b.count - a.count)
              .map(({ weekday, hour, count }) => [`${WEEKDAYS[weekday] ?? ""} ${hourRange(hour)}`, count])}
          />
        </>
      )}
    </figure>
  );
};
