import type { Child, FC } from "hono/jsx";
import { MINUTE, SECOND } from "#core/clock.ts";
import { formatNumber } from "#dashboard/wording/counts-and-limits.ts";
import { formatLateness } from "#dashboard/overview/lateness-plot.tsx";
import { MAX_COUNTED, type Operations } from "#metrics/index.ts";

const Tile: FC<{ title: string; value: string; isBad?: boolean; children?: Child }> = ({
  title,
  value,
  isBad = false,
  children,
}) => (
  <section class={isBad ? "card tile bad" : "card tile"}>
    <h3>{title}</h3>
    <p class="tile-value">
      {value}
      {isBad && <span class="tag blocked">Look</span>}
    </p>
    <p class="hint">{children}</p>
  </section>
);

function ageOf(ms: number): string {
  return ms < 2 * MINUTE ? `${Math.max(0, Math.round(ms / SECOND))} s ago` : `${Math.floor(ms / MINUTE)} min ago`;
}

/** Writes a count. The page counts only up to a limit, so a count at the limit gets the words "or more". */
function boundedCount(count: number): string {
  return count >= MAX_COUNTED ? `${formatNumber(MAX_COUNTED)} or more` : formatNumber(count);
}

const shareOf = (part: number, all: number): string => (all === 0 ? "none" : `${Math.round((part * 100) / all)} %`);

/** Shows the present state and the last 24 hours, one number in each tile. */
export const Tiles: FC<{ operations: Operations; now: number }> = ({ operations, now }) => {
  const { overdue, cronRanAt, isCronLate, open, day } = operations;
  const { lateness, syncs } = day;
  const totals = { published: 0, failed: 0, unconfirmed: 0, retries: 0 };
  for (const platform of day.platforms) {
    totals.published += platform.published;
    totals.failed += platform.failed;
    totals.unconfirmed += platform.unconfirmed;
    totals.retries += platform.retries;
  }
  const ended = totals.published + totals.failed + totals.unconfirmed;
  return (
    <div class="tiles">
      <Tile title="Overdue now" value={boundedCount(overdue)} isBad={overdue > 0}>
        posts that are scheduled and more than a minute past their time
      </Tile>
      <Tile
        title="Last run of the cron"
        value={cronRanAt === null ? "never" : ageOf(now - cronRanAt)}
        isBad={isCronLate}
      >
        it runs every minute
      </Tile>
      <Tile
        title="On time"
        value={lateness.p99Ms === null ? "–" : formatLateness(lateness.p99Ms)}
        isBad={(lateness.p99Ms ?? 0) > MINUTE}
      >
        {lateness.p50Ms === null
          ? "nothing left in 24 hours"
          : `99 of 100 left within this, half within ${formatLateness(lateness.p50Ms)}; 24 hours`}
      </Tile>
      <Tile title="Failed" value={shareOf(totals.failed, ended)}>
        {`${formatNumber(totals.failed)} of ${formatNumber(ended)} targets that ended in 24 hours; further tries: ${formatNumber(totals.retries)}`}
      </Tile>
      <Tile title="Not confirmed" value={boundedCount(open.unconfirmed)}>
        posts that may or may not be out, which nobody has settled
      </Tile>
      <Tile title="Logins to reconnect" value={boundedCount(open.reconnect)}>
        {`accounts that wait for their owner; ${formatNumber(day.loginsEnded)} more in 24 hours`}
      </Tile>
      <Tile title="Refreshes that failed" value={shareOf(syncs.bad, syncs.all)}>
        {`${formatNumber(syncs.bad)} of ${formatNumber(syncs.all)} syncs of logins by the cron in 24 hours`}
      </Tile>
      <Tile title="Disabled webhooks" value={boundedCount(open.webhooks)}>
        {`their receivers failed for days; ${formatNumber(day.webhooksDisabled)} more in 24 hours`}
      </Tile>
    </div>
  );
};
