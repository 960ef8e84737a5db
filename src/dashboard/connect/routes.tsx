import { Hono } from "hono";
import { finishConnect, type FinishedConnect } from "#accounts/index.ts";
import { resolveSession } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { log } from "#core/log.ts";
import { isPlatform } from "#core/platform.ts";
import type { PageEnv, OutboundFactory } from "#dashboard/env.ts";
import { securityHeaders } from "#dashboard/security-headers.ts";
import { renderPage } from "#dashboard/render-page.ts";
import { withServices } from "#dashboard/with-services.ts";
import { readSession } from "#dashboard/session-cookie.ts";
import { pausePostsOfAccounts, resumePostsOfAccounts } from "#posting/index.ts";
import { ConnectResultPage, ConnectFailedPage, UnknownPlatformPage } from "./result-pages.tsx";

const INTERNAL_ERROR = "Something went wrong on our side. Start again from Almanac in a few minutes.";

const STATIC_PAGE_CSP =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const errorName = (error: unknown) => (error instanceof Error ? error.name : typeof error);

/** The callback to which a platform redirects the browser after a login. */
export function createConnectRoutes(createOutbound: OutboundFactory): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/connect/:platform/callback", withServices(createOutbound), securityHeaders, async (c) => {
    // The page has no script and no form, and its URL contains the code and the state.
    c.header("Content-Security-Policy", STATIC_PAGE_CSP);
    c.header("Referrer-Policy", "no-referrer");
    // A link checker that sends HEAD must not consume the state.
    if (c.req.method === "HEAD") {
      return c.body(null, 200);
    }
    const platform = c.req.param("platform");
    if (!isPlatform(platform)) {
      return await renderPage(c, <UnknownPlatformPage />, 404);
    }
    const { services } = c.var;
    try {
      // A browser in which another user is signed in must not finish this login; one without a session may.
      const signedIn = await resolveSession(services, readSession(c));
      const end = await finishConnect(services, {
        platform,
        params: c.req.query(),
        signedInUserId: signedIn?.actor.userId ?? null,
      });
      await updatePausedPosts(services, end);
      return await renderPage(c, <ConnectResultPage end={end} />, end.ok ? 200 : 400);
    } catch (error) {
      // Only the name is logged: the message may contain data from the platform.
      log("error", "connect_failed", { platform, error: errorName(error) });
      return await renderPage(c, <ConnectFailedPage platform={platform} reason={INTERNAL_ERROR} />, 400);
    }
  });

  return app;
}

/** Resumes posts that were paused for these accounts, or pauses them where the login granted too few permissions; an error here does not undo the login. */
async function updatePausedPosts(services: Services, end: FinishedConnect): Promise<void> {
  try {
    await resumePostsOfAccounts(services, end.reactivatedAccountIds);
    await pausePostsOfAccounts(services, end.blockedAccountIds);
  } catch (error) {
    log("error", "connect_posts_not_updated", { platform: end.platform, error: errorName(error) });
  }
}
