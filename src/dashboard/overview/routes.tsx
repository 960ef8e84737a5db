import { displayOf } from "#dashboard/display.ts";
import type { PageContext } from "#dashboard/env.ts";
import { renderPage } from "#dashboard/render-page.ts";
import { getOverview } from "#posting/index.ts";
import { OverviewPage } from "./overview-page.tsx";
import { readSubscriptionEnd } from "#dashboard/subscription-end.ts";
import { contextOf } from "#dashboard/context-of.ts";

/** `GET /dashboard/overview` */
export async function showOverview(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const display = displayOf(c);
  const subscriptionEnd = readSubscriptionEnd(signedIn, services.config);
  const overview = await getOverview(contextOf(c), {
    timeZone: display.timeZone,
    subscriptionEndsAt: subscriptionEnd?.at ?? null,
  });
  return await renderPage(
    c,
    <OverviewPage
      signedIn={signedIn}
      display={display}
      now={services.clock.now()}
      overview={overview}
      subscriptionEnd={subscriptionEnd}
      docsUrl={services.config.docsUrl}
    />,
  );
}
