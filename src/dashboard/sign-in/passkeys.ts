import { CURRENT_PASSWORD, PasswordQueueFullError, requireRecentAuthentication } from "#auth/index.ts";
import {
  beginPasskeyReauthentication,
  beginPasskeyRegistration,
  beginPasskeySignIn,
  finishPasskeyRegistration,
  reauthenticateWithPasskey,
  signInWithPasskey,
} from "#auth/passkeys/index.ts";
import { refuse, RefusalError } from "#core/errors.ts";
import { isOverloaded } from "#db/errors.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { OVERLOADED_MESSAGE, setOverloadedHeaders } from "#dashboard/layout/error-pages.tsx";
import { localPath } from "#dashboard/request/form.ts";
import { withinRateLimit } from "#dashboard/request/rate-limit.ts";
import { writeSession } from "#dashboard/request/session-cookie.ts";

/* These handlers respond with JSON, because browsers create and use passkeys only by script. */

interface PasskeySubmission {
  /** The browser's passkey response. The library validates every part of it. */
  readonly response: Record<string, unknown> & { readonly id: string };
  readonly name: string;
  readonly next: string;
}

async function readObject(c: PageContext): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => null);
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
}

async function readSubmission(c: PageContext): Promise<PasskeySubmission> {
  const { response, name, next } = await readObject(c);
  if (typeof response === "object" && response !== null && "id" in response && typeof response.id === "string") {
    return {
      response: { ...response, id: response.id },
      name: typeof name === "string" ? name : "",
      next: localPath(typeof next === "string" ? next : undefined),
    };
  }
  return refuse({ code: "invalid_request", message: "the request contains no valid passkey response" });
}

/** Casts untrusted data to the library's types. The library validates the data and throws if they are invalid. */
function asLibraryType<T>(response: PasskeySubmission["response"]): T {
  return response as unknown as T;
}

async function respond(c: PageContext, run: () => Promise<object>): Promise<Response> {
  try {
    return c.json(await run());
  } catch (error) {
    if (error instanceof RefusalError) {
      return c.json({ error: error.refusal.message }, 400);
    }
    if (error instanceof PasswordQueueFullError) {
      c.header("Retry-After", String(error.retryAfterSeconds));
      return c.json({ error: "too many people are signing in: try again in a few seconds" }, 503);
    }
    if (isOverloaded(error)) {
      setOverloadedHeaders(c);
      return c.json({ error: `${OVERLOADED_MESSAGE} Wait some seconds, then try again.`, code: "overloaded" }, 503);
    }
    throw error;
  }
}

/**
 * Handles `POST /dashboard/passkeys/options`. The returned challenge proves a recent authentication, which `addPasskey`
 * requires.
 */
export function passkeyOptions(c: PageContext): Promise<Response> {
  return respond(c, async () => {
    const { services, signedIn } = c.var;
    const password = (await readObject(c))[CURRENT_PASSWORD];
    await requireRecentAuthentication(services, signedIn, { password: typeof password === "string" ? password : "" });
    return beginPasskeyRegistration(services, { userId: signedIn.actor.userId, email: signedIn.email });
  });
}

/** Handles `POST /dashboard/passkeys`. */
export function addPasskey(c: PageContext): Promise<Response> {
  return respond(c, async () => {
    const { response, name } = await readSubmission(c);
    await finishPasskeyRegistration(c.var.services, {
      userId: c.var.signedIn.actor.userId,
      name,
      response: asLibraryType(response),
    });
    return { location: "/dashboard/profile?done=passkey-added" };
  });
}

async function respondWithinLimit(c: PageContext, run: () => Promise<object>): Promise<Response> {
  if (!(await withinRateLimit(c, "passkey"))) {
    c.header("Retry-After", "60");
    return c.json({ error: "too many attempts from your IP address: wait a minute" }, 429);
  }
  return respond(c, run);
}

/** Handles `POST /dashboard/passkeys/confirm/options`. */
export function passkeyConfirmOptions(c: PageContext): Promise<Response> {
  const { userId } = c.var.signedIn.actor;
  return respondWithinLimit(c, () => beginPasskeyReauthentication(c.var.services, { userId }));
}

/** Handles `POST /dashboard/passkeys/confirm`. */
export function confirmWithPasskey(c: PageContext): Promise<Response> {
  return respondWithinLimit(c, async () => {
    const { response } = await readSubmission(c);
    await reauthenticateWithPasskey(c.var.services, c.var.signedIn, { response: asLibraryType(response) });
    return { confirmed: true };
  });
}

/** Handles `POST /login/passkey/options`. */
export function passkeySignInOptions(c: PageContext): Promise<Response> {
  return respondWithinLimit(c, () => beginPasskeySignIn(c.var.services));
}

/** Handles `POST /login/passkey`. */
export function passkeySignIn(c: PageContext): Promise<Response> {
  return respondWithinLimit(c, async () => {
    const { response, next } = await readSubmission(c);
    writeSession(c, await signInWithPasskey(c.var.services, { response: asLibraryType(response) }));
    return { location: next };
  });
}
