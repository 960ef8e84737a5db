import { beginPasskey, beginPasskeySignIn, finishPasskey, signInWithPasskey } from "#auth/passkeys/index.ts";
import { refuse, RefusalError } from "#core/errors.ts";
import type { PageContext } from "./env.ts";
import { localPath } from "./form.ts";
import { mayCall } from "./limit-address.ts";
import { writeSession } from "./session-cookie.ts";

/*
 * The only pages' answers in JSON: the browser makes and uses passkeys by script or not at all.
 */

interface Ceremony {
  /** What the browser's credential said of itself; the library checks every part of it. */
  readonly response: Record<string, unknown> & { readonly id: string };
  readonly name: string;
  readonly next: string;
}

async function readCeremony(c: PageContext): Promise<Ceremony> {
  const body: unknown = await c.req.json().catch(() => null);
  if (typeof body === "object" && body !== null && "response" in body) {
    const { response, name, next } = body as Record<string, unknown>;
    if (typeof response === "object" && response !== null && "id" in response && typeof response.id === "string") {
      return {
        response: { ...response, id: response.id },
        name: typeof name === "string" ? name : "",
        next: localPath(typeof next === "string" ? next : undefined),
      };
    }
  }
  return refuse({ code: "invalid_request", message: "that is not an answer of a passkey" });
}

/** The library's own shapes; it throws for whatever does not fit them. */
function trusted<T>(response: Ceremony["response"]): T {
  return response as unknown as T;
}

async function answer(c: PageContext, step: () => Promise<Record<string, unknown> | object>): Promise<Response> {
  try {
    return c.json(await step());
  } catch (error) {
    if (error instanceof RefusalError) {
      return c.json({ error: error.refusal.message }, 400);
    }
    throw error;
  }
}

/** `POST /dashboard/passkeys/options` */
export function passkeyOptions(c: PageContext): Promise<Response> {
  const { actor, email } = c.var.signedIn;
  return answer(c, () => beginPasskey(c.var.services, { userId: actor.userId, email }));
}

/** `POST /dashboard/passkeys` */
export function addPasskey(c: PageContext): Promise<Response> {
  return answer(c, async () => {
    const { response, name } = await readCeremony(c);
    await finishPasskey(c.var.services, { userId: c.var.signedIn.actor.userId, name, response: trusted(response) });
    return { location: "/dashboard/profile?done=passkey-added" };
  });
}

/** `POST /login/passkey/options` */
export async function passkeySignInOptions(c: PageContext): Promise<Response> {
  if (!(await mayCall(c, "passkey"))) {
    return c.json({ error: "too many attempts from your address: wait a minute" }, 429);
  }
  return answer(c, () => beginPasskeySignIn(c.var.services));
}

/** `POST /login/passkey` */
export async function passkeySignIn(c: PageContext): Promise<Response> {
  if (!(await mayCall(c, "passkey"))) {
    return c.json({ error: "too many attempts from your address: wait a minute" }, 429);
  }
  return answer(c, async () => {
    const { response, next } = await readCeremony(c);
    writeSession(c, await signInWithPasskey(c.var.services, { response: trusted(response) }));
    return { location: next };
  });
}
