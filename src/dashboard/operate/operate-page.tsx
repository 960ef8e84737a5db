import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { CalendarDate } from "#core/wall-time.ts";
import { type Display, formatDate, formatTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import type { Operations } from "#metrics/index.ts";
import { AlertsList } from "./alerts-list.tsx";
import { SlicesPlot } from "./slices-plot.tsx";
import { LimitsTable, PlatformsTable, SpendList } from "./tables.tsx";
import { Tiles } from "./tiles.tsx";

/**
 * Shows operators how the whole installation runs. It contains figures of all users together, and nothing of what they
 * post.
 */
export const OperatePage: FC<{
  signedIn: SignedInUser;
  display: Display;
  now: number;
  operations: Operations;
}> = ({ signedIn, display, now, operations }) => (
  <DashboardLayout
    title="Operate"
    section="operate"
    signedIn={signedIn}
    lead={`The whole installation at ${formatTime(display, now)} in ${formatZone(display.timeZone, now)}: figures of all users together, as the cron has counted them.`}
    hasLists={false}
    assets={{ styles: ["overview", "operate"] }}
  >
    <AlertsList operations={operations} display={display} />
    <h2 class="visually-hidden">Now and in the last 24 hours</h2>
    <Tiles operations={operations} now={now} />
    <h2>What became of posts</h2>
    <div class="overview-cards">
      <SlicesPlot
        id="day"
        title="The last 24 hours"
        unit="Hour"
        slices={operations.day.slices}
        labelEvery={6}
        label={(startsAt) => formatTime(display, startsAt)}
      />
      <SlicesPlot
        id="month"
        title="The last 30 days (UTC)"
        unit="Day"
        slices={operations.month.slices}
        labelEvery={7}
        label={(startsAt) => formatDate(new Date(startsAt).toISOString().slice(0, 10) as CalendarDate, "short")}
      />
    </div>
    <PlatformsTable caption="Targets by platform, the last 24 hours" period={operations.day} />
    <PlatformsTable caption="Targets by platform, the last 30 days" period={operations.month} />
    <h2>Limits and cost</h2>
    <LimitsTable limits={operations.limits} />
    <SpendList spend={operations.spend} />
  </DashboardLayout>
);
