import { type PersonOfPlatform, readPerson, recordDeletionRequest } from "#accounts/index.ts";
import { isPlatform } from "#core/platform.ts";
import { log } from "#core/log.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { OVERLOADED_MESSAGE, setOverloadedHeaders } from "#dashboard/layout/error-pages.tsx";
import { readForm } from "#dashboard/request/form.ts";
import { isOverloaded } from "#db/errors.ts";
import { deauthorize, deletePersonalData } from "#post-status/index.ts";

/*
 * The calls that some platforms make when a person removes the app or asks for the deletion of data. Authenticated by the
 * signature of the app's secret: a browser cannot forge one, so the rules for forms of our pages do not apply.
 */

/** The person whom a signed call is about, or the refusal. */
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

/** Answers a signed call; a failure on our side tells the platform to call again. */
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

/** POST /connect/{platform}/deauthorize: the person removed the app. */
export async function receiveDeauthorization(c: PageContext): Promise<Response> {
  return await answer(c, async (person) => {
    await deauthorize(c.var.services, person);
    log("info", "login_deauthorized", { platform: person.platform });
    return c.json({ success: true });
  });
}

/** POST /connect/{platform}/data-deletion: answers with the address at which the person sees what was done. */
export async function receiveDeletionRequest(c: PageContext): Promise<Response> {
  return await answer(c, async (person) => {
    const { services } = c.var;
    const code = await recordDeletionRequest(services, person);
    await deletePersonalData(services, { ...person, code });
    log("info", "personal_data_deletion", { platform: person.platform });
    return c.json({ url: `${services.config.origin}/data-deletion/${code}`, confirmation_code: code });
  });
}
