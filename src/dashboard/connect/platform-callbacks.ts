import { type PersonOfPlatform, readPerson, recordDeletionRequest } from "#accounts/index.ts";
import { isPlatform } from "#core/platform.ts";
import { log } from "#core/log.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { OVERLOADED_MESSAGE, setOverloadedHeaders } from "#dashboard/layout/error-pages.tsx";
import { readForm } from "#dashboard/request/form.ts";
import { isOverloaded } from "#db/errors.ts";
import { deauthorize, deletePersonalData } from "#post-status/index.ts";

/* Receives the calls that platforms make when a person removes the app or asks for deletion of data. A signature
   with the app's secret authenticates them. A browser cannot forge it, so the rules for forms of our pages do not
   apply. */

/** Checks the signature of a platform's call. Returns the person whom the call is about, or a refusal. */
async function readCall(c: PageContext): Promise<PersonOfPlatform | Response> {
  const platform = c.req.param("platform") ?? "";
  if (!isPlatform(platform)) {
    return c.json({ error: "unknown platform" }, 404);
  }
  const form = await readForm(c);
  const person = await readPerson(c.var.services, platform, form.text("signed_request"));
  if (!person) {
    log("warn", "signed_request_refused", { platform });
    return c.json(
      { error: "signed_request is missing, or not signed with HMAC-SHA256 and the secret of this app" },
      400,
    );
  }
  return person;
}

/** Handles a signed call of a platform. An error of ours gets a 5xx response, so that the platform calls again. */
async function answer(c: PageContext, work: (person: PersonOfPlatform) => Promise<Response>): Promise<Response> {
  try {
    const person = await readCall(c);
    return person instanceof Response ? person : await work(person);
  } catch (error) {
    if (isOverloaded(error)) {
      setOverloadedHeaders(c);
      return c.json({ error: OVERLOADED_MESSAGE }, 503);
    }
    log("error", "platform_callback_failed", { name: error instanceof Error ? error.name : typeof error });
    return c.json({ error: "this is an error on our side and has been logged: call again later" }, 500);
  }
}

/** Handles `POST /connect/{platform}/deauthorize`: the person removed the app at the platform. */
export async function receiveDeauthorization(c: PageContext): Promise<Response> {
  return await answer(c, async (person) => {
    await deauthorize(c.var.services, person);
    log("info", "login_deauthorized", { platform: person.platform });
    return c.json({ success: true });
  });
}

/**
 * Handles `POST /connect/{platform}/data-deletion`. The answer contains the URL at which the person sees the result.
 */
export async function receiveDeletionRequest(c: PageContext): Promise<Response> {
  return await answer(c, async (person) => {
    const { services } = c.var;
    const code = await recordDeletionRequest(services, person);
    await deletePersonalData(services, { ...person, code });
    log("info", "personal_data_deletion", { platform: person.platform });
    return c.json({ url: `${services.config.origin}/data-deletion/${code}`, confirmation_code: code });
  });
}
