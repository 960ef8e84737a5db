import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { listNotices } from "#notices/index.ts";
import { getOverview } from "#posts/index.ts";
import { OverviewPage } from "./overview-page.tsx";
import { readSubscriptionEnd } from "#dashboard/wording/subscription-end.ts";
import { contextOf } from "#dashboard/request/context-of.ts";

/** Handles `GET /dashboard/overview`. */
export async function showOverview(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const display = displayOf(c);
  const subscriptionEnd = readSubscriptionEnd(signedIn, services.config);
  const ctx = contextOf(c);
  const [overview, { notices }] = await Promise.all([
    getOverview(ctx, { timeZone: display.timeZone, subscriptionEndsAt: subscriptionEnd?.at ?? null }),
    signedIn.openNotices === 0 ? { notices: [] } : listNotices(ctx),
  ]);
  return await renderPage(
    c,
    <OverviewPage
      signedIn={signedIn}
      display={display}
      now={services.clock.now()}
      overview={overview}
      notices={notices}
      subscriptionEnd={subscriptionEnd}
      docsUrl={services.config.docsUrl}
      offer={services.outbound.offerToBeginWith}
    />,
  );
}
