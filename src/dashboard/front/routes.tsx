import { resolveSession, signUpIsOpen } from "#auth/index.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { readOperator } from "#dashboard/public-pages/operator.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { readSession } from "#dashboard/request/session-cookie.ts";
import { FrontPage } from "./front-page.tsx";

/** Handles `GET /`: shows the front page, or sends a signed-in user to the calendar. */
export async function showFront(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const session = readSession(c);
  // The answer depends on the session cookie, so a cache must not give a signed-in browser the front page.
  c.header("Vary", "Cookie");
  if (session !== undefined) {
    if ((await resolveSession(services, session)) !== null) {
      return c.redirect("/dashboard", 303);
    }
  } else {
    c.header("Cache-Control", "public, max-age=300");
  }
  const { config } = services;
  return renderPage(
    c,
    <FrontPage
      origin={config.origin}
      docsUrl={config.docsUrl}
      platforms={PLATFORMS.filter((platform) => config.app(platform) !== null)}
      canSignUp={await signUpIsOpen(services)}
      hasTrial={config.planForAll === null}
      operator={readOperator(config)}
    />,
  );
}
