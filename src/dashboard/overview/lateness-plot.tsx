import type { FC } from "hono/jsx";
import { formatNumber } from "#dashboard/wording/counts-and-limits.ts";
import type { Overview } from "#posts/index.ts";
import { NumbersTable } from "./numbers-table.tsx";

/* Draws how late publications were: a bar for each range, with its number. */

const WIDTH = 320;
const ROW = 20;
/** With fewer publications than this, percentages would be misleading, so none are shown. */
const MIN_SAMPLE_FOR_SHARES = 5;
const BARS = { left: 78, right: 282 };

/** Writes a lateness in words: `0.35 s`, `12 s` or `1 min 20 s`. */
export function formatLateness(ms: number): string {
  if (ms < 10_000) {
    return `${Math.round(ms / 10) / 100} s`;
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) {
    return `${seconds} s`;
  }
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function rangeLabel(fromMs: number, belowMs: number | null): string {
  if (belowMs === null) {
    return `over ${formatLateness(fromMs)}`;
  }
  if (fromMs === 0) {
    return `under ${formatLateness(belowMs)}`;
  }
  return `${fromMs / 1000}–${belowMs / 1000} s`;
}

function describeLateness({ p50, p99, max }: Record<"p50" | "p99" | "max", string>, sample: number): string {
  if (sample < MIN_SAMPLE_FOR_SHARES) {
    return sample === 1 ? `It left within ${max}.` : `All ${sample} left within ${max}.`;
  }
  return `Half of them left within ${p50}, 99 of 100 within ${p99}; the latest was ${max} late.`;
}

export const LatenessPlot: FC<{ overview: Pick<Overview, "lateness" | "latenessHistogram"> }> = ({
  overview: { lateness, latenessHistogram },
}) => {
  const ranges = latenessHistogram.map(({ belowMs, count }, index) => ({
    label: rangeLabel(latenessHistogram[index - 1]?.belowMs ?? 0, belowMs),
    count,
  }));
  const max = Math.max(1, ...ranges.map(({ count }) => count));
  const { p50Ms, p99Ms, maxMs, sample } = lateness;
  return (
    <figure class="card plot">
      <figcaption>
        <h2>On time</h2>
        <p class="hint">How long after its time each post of the last 30 days left for each account.</p>
      </figcaption>
      {p50Ms === null || p99Ms === null || maxMs === null ? (
        <p>Nothing was published in the last 30 days.</p>
      ) : (
        <>
          <p>
            {describeLateness(
              { p50: formatLateness(p50Ms), p99: formatLateness(p99Ms), max: formatLateness(maxMs) },
              sample,
            )}
          </p>
          <svg
            viewBox={`0 0 ${WIDTH} ${ranges.length * ROW}`}
            role="img"
            aria-label={`Lateness of ${formatNumber(sample)} publications`}
          >
            {ranges.map(({ label, count }, index) => (
              <g>
                <title>{`${label}: ${formatNumber(count)}`}</title>
                <text x={BARS.left - 8} y={index * ROW + 14} text-anchor="end">
                  {label}
                </text>
                <rect
                  class="plot-published"
                  x={BARS.left}
                  y={index * ROW + 3}
                  width={Math.round(Math.max(count > 0 ? 2 : 0, ((BARS.right - BARS.left) * count) / max))}
                  height={ROW - 6}
                  rx="2"
                />
                <text x={BARS.left + 6 + Math.round(((BARS.right - BARS.left) * count) / max)} y={index * ROW + 14}>
                  {formatNumber(count)}
                </text>
              </g>
            ))}
          </svg>
          <NumbersTable
            caption="Publications by lateness"
            columns={["Late by", "Publications"]}
            rows={ranges.map(({ label, count }) => [label, formatNumber(count)])}
          />
        </>
      )}
    </figure>
  );
};
