import { CURRENT_PASSWORD, requireRecentAuthentication } from "#auth/index.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { readForm, runUseCase } from "#dashboard/request/form.ts";
import { renderProfilePage } from "./profile.tsx";
import { makeFeed, revokeFeed } from "#feeds/index.ts";

/** Handles `POST /dashboard/profile/feeds`. Only this response contains the address of the new calendar feed. */
export async function doMakeFeed(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const made = await runUseCase(async () => {
    await requireRecentAuthentication(c.var.services, c.var.signedIn, { password: form.text(CURRENT_PASSWORD) });
    return makeFeed(contextOf(c));
  });
  return renderProfilePage(c, made.ok ? { feedUrl: made.value.url } : { feedError: made.error });
}

/** Handles `POST /dashboard/profile/feeds/:id/revoke`. */
export async function doRevokeFeed(c: PageContext): Promise<Response> {
  await revokeFeed(contextOf(c), { id: c.req.param("id") ?? "" });
  return c.redirect("/dashboard/profile?done=feed-revoked", 303);
}
