import { Hono } from "hono";
import {
  chooseAccounts,
  clientMetadata,
  type ConnectResult,
  findChoice,
  findConnect,
  finishConnect,
  type FinishedConnect,
  INVALID_STATE_MESSAGE,
  type LoginStartResult,
  offerAccounts,
  type OpenChoice,
  startLogin,
} from "#accounts/index.ts";
import { resolveSession } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { log } from "#core/log.ts";
import { isPlatform, type Platform } from "#core/platform.ts";
import { limitFormBody } from "#dashboard/request/body-limits.ts";
import type { OutboundFactory, PageContext, PageEnv } from "#dashboard/request/env.ts";
import { OVERLOADED_MESSAGE, setOverloadedHeaders } from "#dashboard/layout/error-pages.tsx";
import { readForm } from "#dashboard/request/form.ts";
import { withinRateLimit } from "#dashboard/request/rate-limit.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { requireSameOrigin } from "#dashboard/request/require-same-origin.ts";
import { securityHeaders } from "#dashboard/request/security-headers.ts";
import { readReturn } from "#dashboard/request/return-cookie.ts";
import { readSession } from "#dashboard/request/session-cookie.ts";
import { withServices } from "#dashboard/request/with-services.ts";
import { isOverloaded } from "#db/errors.ts";
import { followAvailability } from "#post-status/index.ts";
import { readBrowserToken, writeBrowserToken } from "./connect-cookie.ts";
import { ChoicePage } from "./choice-page.tsx";
import { receiveDeauthorization, receiveDeletionRequest } from "./platform-callbacks.ts";
import { ConnectFailedPage, ConnectResultPage, UnknownPlatformPage } from "./result-pages.tsx";
import { ConnectStartPage } from "./start-page.tsx";

const INTERNAL_ERROR = "Something went wrong on our side. Start again from Almanac in a few minutes.";
const OVERLOADED = `${OVERLOADED_MESSAGE} Wait some seconds, then start again from Almanac.`;
const TOO_MANY_REQUESTS = "There were too many attempts from your network. Wait a minute and try again.";

const CSP_DIRECTIVES = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";
const STATIC_PAGE_CSP = `${CSP_DIRECTIVES}; form-action 'none'`;
/**
 * Browsers check `form-action` against every address of the redirect that follows a form. After this form, these are
 * the platform's addresses.
 */
const START_PAGE_CSP = `${CSP_DIRECTIVES}; form-action 'self' https:`;

/** Pictures of accounts come from the platforms' servers, so this page may load images from them. */
const CHOICE_PAGE_CSP = `${CSP_DIRECTIVES.replace("img-src 'self'", "img-src 'self' https:")}; form-action 'self'`;

const CHOICE_EXPIRED =
  "This page is open for an hour after the login, in the browser of the login. Log in again, or choose the accounts on the Accounts page of Almanac.";

const METADATA_MAX_AGE_SECONDS = 600;

const errorName = (error: unknown) => (error instanceof Error ? error.name : typeof error);

/**
 * Serves the pages of a login at a platform: the start, the callback, and the documents that platforms read about this
 * service.
 */
export function createConnectRoutes(createOutbound: OutboundFactory): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.use("/connect/*", withServices(createOutbound), securityHeaders);
  app.get("/connect/:platform/client-metadata.json", sendClientMetadata);
  app.get("/connect/:platform/callback", finishLogin);
  app.get("/connect/:platform/callback/:server", finishLogin);
  app.get("/connect/:platform/choose", showChoice);
  app.get("/connect/:platform", showStart);
  app.post("/connect/:platform/deauthorize", limitFormBody, receiveDeauthorization);
  app.post("/connect/:platform/data-deletion", limitFormBody, receiveDeletionRequest);
  app.post("/connect/:platform/choose", requireSameOrigin, limitFormBody, choose);
  app.post("/connect/:platform", requireSameOrigin, limitFormBody, start);
  return app;
}

/** Sends the client metadata document, which is public and the same for everybody. */
function sendClientMetadata(c: PageContext): Response {
  const platform = c.req.param("platform") ?? "";
  const document = isPlatform(platform) ? clientMetadata(c.var.services, platform) : null;
  if (document === null) {
    return c.json({ error: "this platform reads no client metadata" }, 404);
  }
  c.header("Cache-Control", `public, max-age=${METADATA_MAX_AGE_SECONDS}`);
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  return c.json(document);
}

interface LinkRequest {
  readonly platform: Platform;
  readonly state: string;
  /** The user who logs in at the simulated platform; production ignores it. */
  readonly login: string | undefined;
  readonly action: string;
}

/** Reads the login link that a browser opened. Returns an error page if the platform in it is unknown. */
async function readLink(c: PageContext): Promise<LinkRequest | Response> {
  const platform = c.req.param("platform") ?? "";
  if (!isPlatform(platform)) {
    c.header("Content-Security-Policy", STATIC_PAGE_CSP);
    return await renderPage(c, <UnknownPlatformPage />, 404);
  }
  const state = c.req.query("state") ?? "";
  const action = `/connect/${platform}?${String(new URLSearchParams({ state }))}`;
  return { platform, state, login: c.req.query("login"), action };
}

/**
 * The user who is signed in to the browser. A login that another user started is refused, but a browser without a
 * session is allowed.
 */
async function signedInUserId(c: PageContext): Promise<string | null> {
  return (await resolveSession(c.var.services, readSession(c)))?.actor.userId ?? null;
}

/**
 * Runs a step of a login and shows a page for any error. Only the error's name is logged, because its message may
 * contain data from the platform.
 */
async function guarded(c: PageContext, platform: Platform, step: () => Promise<Response>): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    if (isOverloaded(error)) {
      setOverloadedHeaders(c);
      return await showFailure(c, platform, OVERLOADED, 503);
    }
    log("error", "connect_failed", { platform, error: errorName(error) });
    return await showFailure(c, platform, INTERNAL_ERROR);
  }
}

/** Runs a step for the login link that a browser opened, within the rate limit of the browser's network. */
async function limitedStep(c: PageContext, step: (link: LinkRequest) => Promise<Response>): Promise<Response> {
  const link = await readLink(c);
  if (link instanceof Response) {
    return link;
  }
  return (await withinRateLimit(c, "connect"))
    ? await guarded(c, link.platform, () => step(link))
    : await showFailure(c, link.platform, TOO_MANY_REQUESTS, 429);
}

async function showFailure(
  c: PageContext,
  platform: Platform,
  reason: string,
  status: 400 | 429 | 503 = 400,
): Promise<Response> {
  c.header("Content-Security-Policy", STATIC_PAGE_CSP);
  return await renderPage(c, <ConnectFailedPage platform={platform} reason={reason} />, status);
}

async function showStart(c: PageContext): Promise<Response> {
  const link = await readLink(c);
  if (link instanceof Response) {
    return link;
  }
  const { platform, state, login, action } = link;
  return await guarded(c, platform, async () => {
    const userId = await signedInUserId(c);
    const connect = await findConnect(c.var.services, { platform, state, signedInUserId: userId });
    if (!connect) {
      return await showFailure(c, platform, INVALID_STATE_MESSAGE);
    }
    c.header("Content-Security-Policy", START_PAGE_CSP);
    return await renderPage(
      c,
      <ConnectStartPage connect={connect} action={action} login={login} isOwner={userId !== null} />,
    );
  });
}

async function start(c: PageContext): Promise<Response> {
  return await limitedStep(c, async (link) => {
    const { platform, state } = link;
    const form = await readForm(c);
    const userId = await signedInUserId(c);
    const result = await startLogin(c.var.services, {
      platform,
      state,
      signedInUserId: userId,
      method: form.text("method"),
      text: (name) => form.text(name),
    });
    return await answerStart(c, link, { login: form.text("login") || undefined, isOwner: userId !== null }, result);
  });
}

async function answerStart(
  c: PageContext,
  { platform, state, action }: LinkRequest,
  { login, isOwner }: { readonly login: string | undefined; readonly isOwner: boolean },
  result: LoginStartResult,
): Promise<Response> {
  switch (result.state) {
    case "invalid_link":
      return await showFailure(c, platform, INVALID_STATE_MESSAGE);
    case "redirect":
      await writeBrowserToken(c, state, result.browserToken, "login");
      return c.redirect(c.var.services.outbound.browserUrl(result.url, login).href, 303);
    case "finished":
      return await endLogin(c, { platform, state }, result.result);
    case "refused": {
      const { connect, method, values, problem: error } = result;
      c.header("Content-Security-Policy", START_PAGE_CSP);
      return await renderPage(
        c,
        <ConnectStartPage
          connect={connect}
          action={action}
          login={login}
          isOwner={isOwner}
          entered={{ method, values, error }}
        />,
        400,
      );
    }
  }
}

async function finishLogin(c: PageContext): Promise<Response> {
  // The URL of this page contains the code and the state, so the strictest policy applies. The page has no script and
  // no form.
  c.header("Content-Security-Policy", STATIC_PAGE_CSP);
  c.header("Referrer-Policy", "no-referrer");
  // Link checkers send HEAD. Answer without a login step, because that would use up the state.
  if (c.req.method === "HEAD") {
    return c.body(null, 200);
  }
  const atOrigin = loopbackAddressAtOrigin(c);
  if (atOrigin) {
    return c.redirect(atOrigin, 302);
  }
  const platform = c.req.param("platform") ?? "";
  if (!isPlatform(platform)) {
    return await renderPage(c, <UnknownPlatformPage />, 404);
  }
  return await guarded(c, platform, async () => {
    const params = c.req.query();
    const end = await finishConnect(c.var.services, {
      platform,
      server: c.req.param("server") ?? null,
      params,
      browserToken: await readBrowserToken(c, params["state"] ?? ""),
      signedInUserId: await signedInUserId(c),
    });
    return await endLogin(c, { platform, state: params["state"] ?? "" }, end);
  });
}

/**
 * The current URL at the configured origin, for a platform that insists on `127.0.0.1` (RFC 8252, section 7.3) where
 * the service runs as `localhost`. The login's cookie belongs to the host name under which the login started. Null in
 * all other cases.
 */
function loopbackAddressAtOrigin(c: PageContext): string | null {
  const { origin } = c.var.services.config;
  const url = new URL(c.req.url);
  const isAlias = url.hostname === "127.0.0.1" && new URL(origin).hostname === "localhost";
  return isAlias ? `${origin}${url.pathname}${url.search}` : null;
}

/** Shows the choice of accounts if the login has several; otherwise the result. */
async function endLogin(
  c: PageContext,
  { platform, state }: Pick<LinkRequest, "platform" | "state">,
  end: FinishedConnect,
): Promise<Response> {
  await updatePausedPosts(c.var.services, end);
  if (end.choice) {
    await writeBrowserToken(c, state, end.choice.browserToken, "choice");
    return c.redirect(choiceAddress(platform, state), 303);
  }
  return await showResult(c, end);
}

const choiceAddress = (platform: Platform, state: string) =>
  `/connect/${platform}/choose?${String(new URLSearchParams({ state }))}`;

/** Runs a step on the page with the choice of accounts. Only the browser of the login may open it. */
async function withChoice(
  c: PageContext,
  step: (choice: OpenChoice, action: string) => Promise<Response>,
): Promise<Response> {
  return await limitedStep(c, async ({ platform, state }) => {
    const choice = await findChoice(c.var.services, {
      platform,
      state,
      browserToken: await readBrowserToken(c, state),
      signedInUserId: await signedInUserId(c),
    });
    return choice ? await step(choice, choiceAddress(platform, state)) : await showFailure(c, platform, CHOICE_EXPIRED);
  });
}

async function showChoice(c: PageContext): Promise<Response> {
  return await withChoice(c, async (choice, action) => await renderChoice(c, choice, action, []));
}

async function choose(c: PageContext): Promise<Response> {
  return await withChoice(c, async (choice, action) => {
    const ids = (await readForm(c)).all("account");
    const chosen = await chooseAccounts(c.var.services, choice.connection, ids);
    if (!chosen.ok) {
      return await renderChoice(c, choice, action, ids, chosen);
    }
    await updatePausedPosts(c.var.services, chosen.end);
    return await showResult(c, chosen.end);
  });
}

async function renderChoice(
  c: PageContext,
  choice: OpenChoice,
  action: string,
  ticked: readonly string[],
  error?: { readonly message: string },
): Promise<Response> {
  const offer = await offerAccounts(c.var.services, choice.connection);
  if (!offer.ok) {
    return await showFailure(c, choice.connection.platform, offer.message);
  }
  c.header("Content-Security-Policy", CHOICE_PAGE_CSP);
  const page = <ChoicePage choice={choice} offer={offer.value} ticked={ticked} error={error} action={action} />;
  return await renderPage(c, page, error ? 400 : 200);
}

async function showResult(c: PageContext, end: ConnectResult): Promise<Response> {
  c.header("Content-Security-Policy", STATIC_PAGE_CSP);
  return await renderPage(c, <ConnectResultPage end={end} back={readReturn(c)} />, end.ok ? 200 : 400);
}

/**
 * Resumes posts that were paused for these accounts, or pauses them if the login granted too few permissions. An error
 * is only logged, because the login itself has succeeded.
 */
async function updatePausedPosts(
  services: Services,
  end: Pick<FinishedConnect, "platform" | "reactivatedAccountIds" | "blockedAccountIds">,
): Promise<void> {
  try {
    await followAvailability(services, end);
  } catch (error) {
    log("error", "connect_posts_not_updated", { platform: end.platform, error: errorName(error) });
  }
}
