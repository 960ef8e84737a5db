import type { FC } from "hono/jsx";
import { ALERT_KINDS, type AlertKind } from "#core/alert.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { readForm } from "#dashboard/request/form.ts";
import { setMutedAlerts } from "#notices/index.ts";

const LABELS = {
  post_failed: "A post failed",
  post_unconfirmed: "It is not known whether a post was published",
  account_needs_reconnect: "An account needs a new login",
  account_expires_soon: "A login ends within 7 days, and posts need it after that",
  webhook_disabled: "A webhook was disabled",
  webhook_made: "An API key or an app made a webhook or changed its address",
  subscription_ends: "The subscription ends",
} as const satisfies Record<AlertKind, string>;

export const AlertSettings: FC<{ muted: readonly AlertKind[]; canMail: boolean }> = ({ muted, canMail }) => (
  <section class="card" aria-labelledby="alerts">
    <h2 id="alerts">Notices by mail</h2>
    {canMail ? (
      <p>
        All of them are listed under <a href="/notices">Notices</a>. Those that are ticked are also sent to you, at most
        one mail in ten minutes for a workspace.
      </p>
    ) : (
      <p>
        The operator of this installation set up no mail, so that none is sent. All of them are listed under{" "}
        <a href="/notices">Notices</a>.
      </p>
    )}
    <form method="post" action="/dashboard/profile/alerts">
      <fieldset>
        <legend class="visually-hidden">Sent by mail</legend>
        {ALERT_KINDS.map((kind) => (
          <label class="checkbox">
            <input type="checkbox" name="alert" value={kind} checked={!muted.includes(kind)} />
            <span>{LABELS[kind]}</span>
          </label>
        ))}
      </fieldset>
      <button>Save</button>
    </form>
  </section>
);

/** Handles `POST /dashboard/profile/alerts`. */
export async function doSetAlerts(c: PageContext): Promise<Response> {
  const wanted = (await readForm(c)).all("alert");
  await setMutedAlerts(
    contextOf(c),
    ALERT_KINDS.filter((kind) => !wanted.includes(kind)),
  );
  return c.redirect("/dashboard/profile?done=alerts", 303);
}
