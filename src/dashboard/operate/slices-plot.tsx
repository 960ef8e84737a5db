import type { FC } from "hono/jsx";
import { formatNumber } from "#dashboard/wording/counts-and-limits.ts";
import { formatLateness } from "#dashboard/overview/lateness-plot.tsx";
import { NumbersTable } from "#dashboard/overview/numbers-table.tsx";
import { axisEnd } from "#dashboard/overview/outcomes-plot.tsx";
import type { TimeSlice } from "#metrics/index.ts";

/* Draws two rows of bars over the same hours or days: the outcomes of targets, and the lateness that 99 % of them
   did not exceed. Failed parts are hatched, so that they differ without colour. */

const WIDTH = 320;
const LEFT = 40;
const OUTCOMES = { top: 8, bottom: 96 };
const LATENESS = { top: 122, bottom: 172 };
const HEIGHT = 192;
const GAP = 2;

const PARTS = [
  { key: "published", label: "published", className: "plot-published" },
  { key: "unconfirmed", label: "not confirmed", className: "plot-partial" },
  { key: "failed", label: "failed", className: "plot-failed" },
] as const;

const round = (value: number) => Math.round(value * 10) / 10;
const endedOf = ({ published, failed, unconfirmed }: TimeSlice) => published + failed + unconfirmed;
const latenessText = (ms: number | null) => (ms === null ? "–" : formatLateness(ms));

/** The upper end of the axis for lateness: a round number of milliseconds at or above the highest bar. */
function latenessEnd(maxMs: number): number {
  return axisEnd(Math.max(100, maxMs));
}

const Axis: FC<{ y: number; text: string }> = ({ y, text }) => (
  <>
    <path class="plot-axis" d={`M${LEFT} ${round(y)}H${WIDTH}`} />
    <text x={LEFT - 5} y={round(y + 4)} text-anchor="end">
      {text}
    </text>
  </>
);

export const SlicesPlot: FC<{
  id: string;
  title: string;
  /** The period that one bar stands for. */
  unit: "Hour" | "Day";
  slices: readonly TimeSlice[];
  /** Every `labelEvery`-th bar has a label. */
  labelEvery: number;
  label: (startsAt: number) => string;
}> = ({ id, title, unit, slices, labelEvery, label }) => {
  const end = axisEnd(Math.max(...slices.map(endedOf)));
  const lateEnd = latenessEnd(Math.max(...slices.map(({ lateness }) => lateness.p99Ms ?? 0)));
  const step = (WIDTH - LEFT) / slices.length;
  const total = slices.reduce((sum, slice) => sum + endedOf(slice), 0);
  const scale = (OUTCOMES.bottom - OUTCOMES.top) / end;
  const lateScale = (LATENESS.bottom - LATENESS.top) / lateEnd;
  return (
    <figure class="card plot">
      <figcaption>
        <h3>{title}</h3>
        <p class="hint">{`Above: targets that ended. Below: within what time 99 of 100 left.`}</p>
      </figcaption>
      {total === 0 ? (
        <p>Nothing ended in this time.</p>
      ) : (
        <>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            role="img"
            aria-label={`${title}: ${formatNumber(total)} targets ended`}
          >
            <defs>
              <pattern
                id={`hatch-${id}`}
                width="4"
                height="4"
                patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)"
              >
                <path class="plot-hatch" d="M0 0V4" />
              </pattern>
            </defs>
            <Axis y={OUTCOMES.bottom} text="0" />
            <Axis y={OUTCOMES.top} text={formatNumber(end)} />
            <Axis y={LATENESS.bottom} text="0 s" />
            <Axis y={LATENESS.top} text={formatLateness(lateEnd)} />
            {slices.map((slice, index) => {
              const x = round(LEFT + index * step + GAP / 2);
              const width = round(step - GAP);
              let bottom = OUTCOMES.bottom;
              const late = (slice.lateness.p99Ms ?? 0) * lateScale;
              return (
                <g>
                  <title>
                    {`${label(slice.startsAt)}: ${PARTS.map(({ key, label: name }) => `${formatNumber(slice[key])} ${name}`).join(", ")}; ${latenessText(slice.lateness.p99Ms)}`}
                  </title>
                  {PARTS.map(({ key, className }) => {
                    const height = slice[key] * scale;
                    bottom -= height;
                    const box = { x, y: round(bottom), width, height: round(height) };
                    return (
                      height > 0 && (
                        <>
                          <rect class={className} {...box} />
                          {key === "failed" && <rect fill={`url(#hatch-${id})`} {...box} />}
                        </>
                      )
                    );
                  })}
                  {late > 0 && (
                    <rect
                      class="plot-published"
                      x={x}
                      y={round(LATENESS.bottom - Math.max(1, late))}
                      width={width}
                      height={round(Math.max(1, late))}
                    />
                  )}
                  {index % labelEvery === 0 && index + labelEvery / 2 <= slices.length && (
                    <text x={round(LEFT + (index + 0.5) * step)} y={HEIGHT - 4} text-anchor="middle">
                      {label(slice.startsAt)}
                    </text>
                  )}
                </g>
              );
            })}
          </svg>
          <ul class="legend">
            {PARTS.map(({ key, label: name, className }) => (
              <li>
                <svg viewBox="0 0 12 12" aria-hidden="true">
                  <rect class={className} width="12" height="12" rx="2" />
                  {key === "failed" && <rect fill={`url(#hatch-${id})`} width="12" height="12" />}
                </svg>
                {`${formatNumber(slices.reduce((sum, slice) => sum + slice[key], 0))} ${name}`}
              </li>
            ))}
          </ul>
          <NumbersTable
            caption={`${title}, by ${unit.toLowerCase()}`}
            columns={[unit, "Published", "Not confirmed", "Failed", "Half within", "99 of 100 within"]}
            rows={slices
              .filter((slice) => endedOf(slice) > 0)
              .map((slice) => [
                label(slice.startsAt),
                formatNumber(slice.published),
                formatNumber(slice.unconfirmed),
                formatNumber(slice.failed),
                latenessText(slice.lateness.p50Ms),
                latenessText(slice.lateness.p99Ms),
              ])}
          />
        </>
      )}
    </figure>
  );
};
