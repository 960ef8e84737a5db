import type { FC } from "hono/jsx";
import { weekdayOf } from "#core/wall-time.ts";
import { formatDate } from "#dashboard/wording/display.ts";
import type { Overview } from "#posts/index.ts";
import { NumbersTable } from "./numbers-table.tsx";

/* Draws the posts of each day as a bar with one part for each outcome. Failed parts are hatched, so that they differ
   without colour. */

const WIDTH = 320;
const HEIGHT = 150;
const PLOT = { left: 26, top: 8, bottom: 126 };
const BAR_GAP = 2;

const OUTCOMES = [
  { key: "published", label: "published", className: "plot-published" },
  { key: "partiallyFailed", label: "partly failed", className: "plot-partial" },
  { key: "failed", label: "failed", className: "plot-failed" },
] as const;

type Day = Overview["outcomesByDay"][number];

const totalOf = (day: Day) => day.published + day.partiallyFailed + day.failed;

/** The upper end of a plot's axis: the smallest of 1, 2, 5, 10, 20, 50, … that is at least `max`. */
export function axisEnd(max: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, max)));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= max) ?? max;
}

function describeDay(day: Day): string {
  const parts = OUTCOMES.flatMap(({ key, label }) => (day[key] > 0 ? [`${day[key]} ${label}`] : []));
  return `${formatDate(day.date, "medium")}: ${parts.join(", ")}`;
}

const Bar: FC<{ day: Day; x: number; width: number; unit: number }> = ({ day, x, width, unit }) => {
  let bottom = PLOT.bottom;
  return (
    <g>
      <title>{describeDay(day)}</title>
      {OUTCOMES.map(({ key, className }) => {
        const height = day[key] * unit;
        bottom -= height;
        return (
          height > 0 && (
            <>
              <rect class={className} x={round(x)} y={round(bottom)} width={round(width)} height={round(height)} />
              {key !== "published" && (
                <rect
                  fill={`url(#hatch-${key})`}
                  x={round(x)}
                  y={round(bottom)}
                  width={round(width)}
                  height={round(height)}
                />
              )}
            </>
          )
        );
      })}
    </g>
  );
};

const round = (value: number) => Math.round(value * 10) / 10;

const Hatches: FC = () => (
  <defs>
    <pattern id="hatch-failed" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path class="plot-hatch" d="M0 0V4" />
    </pattern>
    <pattern id="hatch-partiallyFailed" width="4" height="4" patternUnits="userSpaceOnUse">
      <circle class="plot-dot" cx="2" cy="2" r="0.9" />
    </pattern>
  </defs>
);

export const OutcomesPlot: FC<{ overview: Pick<Overview, "outcomesByDay"> }> = ({ overview: { outcomesByDay } }) => {
  const totals = { published: 0, partiallyFailed: 0, failed: 0 };
  for (const day of outcomesByDay) {
    totals.published += day.published;
    totals.partiallyFailed += day.partiallyFailed;
    totals.failed += day.failed;
  }
  const end = axisEnd(Math.max(...outcomesByDay.map(totalOf)));
  const unit = (PLOT.bottom - PLOT.top) / end;
  const step = (WIDTH - PLOT.left) / outcomesByDay.length;
  const summary = `${totals.published} published, ${totals.partiallyFailed} partly failed, ${totals.failed} failed`;
  const isEmpty = totals.published + totals.partiallyFailed + totals.failed === 0;
  return (
    <figure class="card plot">
      <figcaption>
        <h2>The last 30 days</h2>
        <p class="hint">Posts of each day (UTC), by what became of them.</p>
      </figcaption>
      {isEmpty ? (
        <p>Nothing was published in the last 30 days.</p>
      ) : (
        <>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Posts of the last 30 days: ${summary}`}>
            <Hatches />
            {[0, end].map((value) => (
              <>
                <path class="plot-axis" d={`M${PLOT.left} ${round(PLOT.bottom - value * unit)}H${WIDTH}`} />
                <text x={PLOT.left - 5} y={round(PLOT.bottom - value * unit + 4)} text-anchor="end">
                  {value}
                </text>
              </>
            ))}
            {outcomesByDay.map((day, index) => (
              <>
                {totalOf(day) > 0 && (
                  <Bar day={day} x={PLOT.left + index * step + BAR_GAP / 2} width={step - BAR_GAP} unit={unit} />
                )}
                {weekdayOf(day.date) === 0 && (
                  <text x={round(PLOT.left + (index + 0.5) * step)} y={HEIGHT - 6} text-anchor="middle">
                    {formatDate(day.date, "short")}
                  </text>
                )}
              </>
            ))}
          </svg>
          <ul class="legend">
            {OUTCOMES.map(({ key, label, className }) => (
              <li>
                <svg viewBox="0 0 12 12" aria-hidden="true">
                  <rect class={className} width="12" height="12" rx="2" />
                  {key !== "published" && <rect fill={`url(#hatch-${key})`} width="12" height="12" />}
                </svg>
                {`${totals[key]} ${label}`}
              </li>
            ))}
          </ul>
          <NumbersTable
            caption="Posts by day and outcome"
            columns={["Day", "Published", "Partly failed", "Failed"]}
            rows={outcomesByDay
              .filter((day) => totalOf(day) > 0)
              .map((day) => [formatDate(day.date, "medium"), day.published, day.partiallyFailed, day.failed])}
          />
        </>
      )}
    </figure>
  );
};
