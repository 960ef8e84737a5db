import { resolveSession, type SignedInUser } from "#auth/index.ts";
import {
  approveRequest,
  denyRequest,
  lastChoice,
  mayRedirectError,
  resolveClient,
  requiresFetch,
  requestedClientId,
  type RequestValidation,
  validateRequest,
} from "#auth/oauth/index.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { readForm, runUseCase } from "#dashboard/request/form.ts";
import { relaxFormActionCsp } from "#dashboard/request/security-headers.ts";
import { withinRateLimit } from "#dashboard/request/rate-limit.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { readSession } from "#dashboard/request/session-cookie.ts";
import { ConsentPage, AuthorizationErrorPage } from "./consent-page.tsx";
import { csrfToken } from "./csrf-token.ts";

interface AuthorizationStep {
  readonly query: string;
  readonly signedIn: SignedInUser | null;
  readonly session: string;
  /**
   * The validated request. Null if the user must sign in first: a client's metadata document is fetched only for
   * signed-in users.
   */
  readonly validation: RequestValidation | null;
}

/** Reads the request of GET and POST. It is validated each time, because no state is stored between them. */
async function readAuthorizationStep(c: PageContext): Promise<AuthorizationStep> {
  relaxFormActionCsp(c);
  const { services } = c.var;
  const { search, searchParams } = new URL(c.req.url);
  const session = readSession(c) ?? "";
  const signedIn = await resolveSession(services, session);
  const id = requestedClientId(searchParams);
  const step = { query: search, signedIn, session };
  if (id === undefined) {
    return {
      ...step,
      validation: { kind: "show_error", message: "The app that sent you here did not send its client ID." },
    };
  }
  if (requiresFetch(id) && signedIn === null) {
    return { ...step, validation: null };
  }
  if (requiresFetch(id) && !(await withinRateLimit(c, "client-document"))) {
    return {
      ...step,
      validation: { kind: "show_error", message: "Too many requests from your IP address: wait a minute." },
    };
  }
  return { ...step, validation: validateRequest(services.config, await resolveClient(services, id), searchParams) };
}

function redirectToSignIn(c: PageContext, query: string): Response {
  return c.redirect(`/login?next=${encodeURIComponent(`/oauth/authorize${query}`)}`, 303);
}

async function respondToStep(c: PageContext, step: AuthorizationStep, error?: { message: string }): Promise<Response> {
  const { validation, signedIn, query } = step;
  if (validation?.kind === "show_error") {
    return renderPage(c, <AuthorizationErrorPage message={validation.message} />, 400);
  }
  if (validation?.kind === "client_error") {
    const userId = signedIn?.actor.userId;
    if (userId !== undefined && (await mayRedirectError(c.var.services, { ...validation, userId }))) {
      return c.redirect(validation.location, 303);
    }
    const message = `The app sent a request with an error: ${validation.description}.`;
    const returnUrl = userId === undefined ? undefined : validation.location;
    return renderPage(c, <AuthorizationErrorPage message={message} returnUrl={returnUrl} />, 400);
  }
  if (validation === null || signedIn === null) {
    return redirectToSignIn(c, query);
  }
  const { services } = c.var;
  const { request } = validation;
  const props = {
    request,
    signedIn,
    query,
    csrfToken: await csrfToken(step.session, query),
    isForAgents: request.resource === services.config.mcpUrl,
    choice: await lastChoice(services, { userId: signedIn.actor.userId, clientId: request.client.id }),
  };
  const page = <ConsentPage {...props} error={error} />;
  return renderPage(c, page, error === undefined ? 200 : 400);
}

/** Handles `GET /oauth/authorize`: validates the request and shows the consent page. */
export async function showConsent(c: PageContext): Promise<Response> {
  return respondToStep(c, await readAuthorizationStep(c));
}

/**
 * Handles `POST /oauth/authorize`, the user's decision. It responds with 303, so that the browser does not send the
 * form to the app (RFC 9700 4.12).
 */
export async function decideConsent(c: PageContext): Promise<Response> {
  const step = await readAuthorizationStep(c);
  const { validation, signedIn } = step;
  if (validation?.kind !== "valid" || signedIn === null) {
    return respondToStep(c, step);
  }
  const form = await readForm(c);
  // mutant: no-consent-token
  if (form.text("csrf_token") !== (await csrfToken(step.session, step.query))) {
    return respondToStep(c, step, { message: "This page has expired. Please decide again." });
  }
  if (form.text("decision") !== "allow") {
    return c.redirect(denyRequest(c.var.services, validation.request), 303);
  }
  const approved = await runUseCase(() =>
    approveRequest(c.var.services, {
      userId: signedIn.actor.userId,
      request: validation.request,
      selectedScopes: form.all("scope"),
      confirms: form.text("confirms") || undefined,
      workspaceId: form.text("workspace") || null,
      limit: signedIn.actor.limits.connectedApps,
    }),
  );
  return approved.ok ? c.redirect(approved.value, 303) : respondToStep(c, step, approved.error);
}
