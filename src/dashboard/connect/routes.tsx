import { Hono } from "hono";
import { finishConnect, type FinishedConnect } from "#accounts/index.ts";
import { actorForSession } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { log } from "#core/log.ts";
import { isPlatform } from "#core/platform.ts";
import type { PageEnv, WorldOf } from "#dashboard/env.ts";
import { pageHeaders } from "#dashboard/headers.ts";
import { render } from "#dashboard/render.ts";
import { withServices } from "#dashboard/services.ts";
import { readSession } from "#dashboard/session-cookie.ts";
import { pauseForAccounts, readmitAccounts } from "#posting/index.ts";
import { ConnectEndPage, ConnectFailedPage, UnknownPlatformPage } from "./page.tsx";

const BROKEN = "Something went wrong on our side. Start again from Almanac in a few minutes.";

const PLAIN_PAGE =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

/** Where the browser comes back to after a login at a platform. */
export function createConnectRoutes(worldOf: WorldOf): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/connect/:platform/callback", withServices(worldOf), pageHeaders, async (c) => {
    // No script and no form stands here, and the address holds the code and the state.
    c.header("Content-Security-Policy", PLAIN_PAGE);
    c.header("Referrer-Policy", "no-referrer");
    // A link checker that only looks must not spend the state.
    if (c.req.method === "HEAD") {
      return c.body(null, 200);
    }
    const platform = c.req.param("platform");
    if (!isPlatform(platform)) {
      return await render(c, <UnknownPlatformPage />, 404);
    }
    const { services } = c.var;
    try {
      // A browser in which somebody else is signed in must not finish this login; one in which nobody is may.
      const signedIn = await actorForSession(services, readSession(c));
      const end = await finishConnect(services, {
        platform,
        params: c.req.query(),
        signedInUserId: signedIn?.actor.userId ?? null,
      });
      await tellPosts(services, end);
      return await render(c, <ConnectEndPage end={end} />, end.ok ? 200 : 400);
    } catch (error) {
      // The message may hold what the platform sent, and the person waits for a sentence.
      log("error", "connect_broken", { platform, error: nameOf(error) });
      return await render(c, <ConnectFailedPage platform={platform} reason={BROKEN} />, 400);
    }
  });

  return app;
}

/** Posts that were paused for these accounts go on, or stop where a login granted too little; the login stands in any case. */
async function tellPosts(services: Services, end: FinishedConnect): Promise<void> {
  try {
    await readmitAccounts(services, end.readmittedAccountIds);
    await pauseForAccounts(services, end.blockedAccountIds);
  } catch (error) {
    log("error", "connect_posts_not_told", { platform: end.platform, error: nameOf(error) });
  }
}
