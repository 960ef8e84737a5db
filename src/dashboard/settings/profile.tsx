import type { FC } from "hono/jsx";
import {
  alwaysNeedsPassword,
  changePassword,
  CURRENT_PASSWORD,
  sendVerification,
  setTimeZone,
  type SignedInUser,
} from "#auth/index.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { FeedSettings, NewFeed } from "./feed-settings.tsx";
import { AlertSettings } from "./alert-settings.tsx";
import { type CalendarFeed, listFeeds } from "#feeds/index.ts";
import { getMutedAlerts } from "#notices/index.ts";
import type { AlertKind } from "#core/alert.ts";
import { listPasskeys, type Passkey, removePasskey } from "#auth/passkeys/index.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { ConfirmIdentity, ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { ConfirmForm, Field, DateTime, Notice, FormErrorNotice, UsernameField } from "#dashboard/layout/components.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { TimeZoneField } from "#dashboard/layout/time-zone-field.tsx";

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  password: "Your new password is set. All other browsers were signed out.",
  "time-zone": "Your time zone was saved.",
  "passkey-removed": "The passkey is removed.",
  "passkey-added": "The passkey is added. You can sign in with it from now on.",
  "feed-revoked": "The calendar address is revoked.",
  alerts: "Saved: it applies to the next mail.",
  "mail-sent": "We have sent you an e-mail with a link. At most five are sent in an hour.",
  kept: "Your account is kept. Connect your accounts and plan your posts again.",
};

interface ProfileProps {
  readonly signedIn: SignedInUser;
  readonly passkeys: readonly Passkey[];
  readonly canMail: boolean;
  readonly mutedAlerts: readonly AlertKind[];
  readonly feeds: readonly CalendarFeed[];
  readonly done: string | undefined;
  readonly error?: FormError | undefined;
  readonly feedError?: FormError | undefined;
  /** The address of a calendar feed that was just created. */
  readonly feedUrl?: string | undefined;
}

const PasswordSection: FC<ProfileProps> = ({ signedIn, error }) => (
  <section class="card" aria-labelledby="password">
    <h2 id="password">{signedIn.hasPassword ? "Change your password" : "Set a password"}</h2>
    <form method="post" action="/dashboard/profile/password">
      <UsernameField email={signedIn.email} />
      {alwaysNeedsPassword(signedIn) ? (
        <ConfirmIdentity signedIn={signedIn} id="current_password" error={error} />
      ) : (
        <ReauthenticationFields signedIn={signedIn} id="current_password" error={error} />
      )}
      <Field
        name="new_password"
        label="New password"
        type="password"
        autocomplete="new-password"
        required
        minlength={12}
        hint="At least 12 characters. All other browsers will be signed out."
        error={error}
      />
      <label class="checkbox">
        <input type="checkbox" name="revoke_all" value="yes" />
        <span>Also end all API keys, connected apps, webhooks and calendar addresses</span>
      </label>
      <button>Set password</button>
    </form>
  </section>
);

const PasskeySection: FC<ProfileProps> = ({ signedIn, passkeys, error }) => (
  <section class="card" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    <p>Sign in with your fingerprint, face or device PIN instead of a password.</p>
    {passkeys.length > 0 && (
      <ul class="items">
        {passkeys.map((passkey) => (
          <li class="item">
            <div class="item-header">
              <h3>{passkey.name}</h3>
            </div>
            <p class="item-meta">
              <span>
                Added <DateTime value={passkey.createdAt} timeZone={signedIn.timeZone} showTime={false} />
              </span>
              <span>
                {passkey.lastUsedAt === null ? (
                  "Never used"
                ) : (
                  <>
                    Used <DateTime value={passkey.lastUsedAt} timeZone={signedIn.timeZone} />
                  </>
                )}
              </span>
            </p>
            <div class="item-actions">
              <ConfirmForm
                action={`/dashboard/passkeys/${encodeURIComponent(passkey.id)}/remove`}
                verb="Remove"
                target={passkey.name}
                description="You will no longer be able to sign in with it."
              />
            </div>
          </li>
        ))}
      </ul>
    )}
    <form data-passkey-add>
      <Field name="passkey_name" label="Device name" maxlength={60} required value="This device" error={error} />
      <ReauthenticationFields signedIn={signedIn} id="passkey_current_password" />
      <button hidden>Add a passkey</button>
      <p class="field-error" role="alert" hidden></p>
      <noscript>
        <p class="hint">Adding a passkey requires JavaScript.</p>
      </noscript>
    </form>
  </section>
);

const PersonalDataSection: FC = () => (
  <section class="card" aria-labelledby="personal-data">
    <h2 id="personal-data">Your data</h2>
    <p>Everything that belongs to you and your workspaces is yours to take along, or to have erased.</p>
    <p>
      <a href="/dashboard/profile/data">Download your data</a>
    </p>
    <p>
      <a href="/dashboard/profile/deletion">Delete your account</a>
    </p>
  </section>
);

const ProfilePage: FC<ProfileProps> = (props) => (
  <DashboardLayout title="Profile" section="profile" assets={{ styles: ["settings"] }} signedIn={props.signedIn}>
    {props.done !== undefined && DONE_MESSAGES[props.done] !== undefined && (
      <Notice kind="success">{DONE_MESSAGES[props.done]}</Notice>
    )}
    <FormErrorNotice error={props.error} fields={["current_password", "new_password", "time_zone"]} />
    <FormErrorNotice error={props.feedError} fields={["current_password"]} />
    {props.feedUrl !== undefined && <NewFeed url={props.feedUrl} />}
    <div class="columns">
      <section class="card" aria-labelledby="account">
        <h2 id="account">Account</h2>
        <dl class="details">
          <dt>E-mail</dt>
          <dd>{props.signedIn.email}</dd>
          {props.canMail && (
            <>
              <dt>E-mail confirmed</dt>
              <dd>{props.signedIn.emailVerified ? "Yes" : "Not yet"}</dd>
            </>
          )}
        </dl>
        {props.canMail && !props.signedIn.emailVerified && (
          <form method="post" action="/dashboard/profile/verify-email">
            <button class="secondary">Send the link again</button>
          </form>
        )}
        <form method="post" action="/dashboard/profile/time-zone">
          <TimeZoneField
            value={props.signedIn.timeZone}
            hint="All times on these pages use this time zone."
            error={props.error}
          />
          <button>Save</button>
        </form>
      </section>
      <PasswordSection {...props} />
      <PasskeySection {...props} />
      <AlertSettings muted={props.mutedAlerts} canMail={props.canMail} />
      <FeedSettings signedIn={props.signedIn} feeds={props.feeds} error={props.feedError} />
      <PersonalDataSection />
    </div>
  </DashboardLayout>
);

/** The result of a form, which the profile page shows. */
type Outcome = Pick<ProfileProps, "error" | "feedError" | "feedUrl">;

export async function renderProfilePage(c: PageContext, outcome: Outcome = {}): Promise<Response> {
  const { services, signedIn } = c.var;
  const ctx = contextOf(c);
  const [passkeys, mutedAlerts, feeds] = await Promise.all([
    listPasskeys(services, { userId: signedIn.actor.userId }),
    getMutedAlerts(ctx),
    listFeeds(ctx),
  ]);
  const canMail = services.mailer !== null;
  const props = { signedIn, passkeys, canMail, mutedAlerts, feeds, done: c.req.query("done"), ...outcome };
  const isRefused = outcome.error !== undefined || outcome.feedError !== undefined;
  return renderPage(c, <ProfilePage {...props} />, isRefused ? 400 : 200);
}

/** Handles `GET /dashboard/profile`. */
export function showProfile(c: PageContext): Promise<Response> {
  return renderProfilePage(c);
}

/** Handles `POST /dashboard/profile/password`. */
export async function doChangePassword(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const changed = await runUseCase(() =>
    changePassword(c.var.services, c.var.signedIn, {
      current: form.text(CURRENT_PASSWORD),
      next: form.text("new_password"),
      revokeAll: form.text("revoke_all") === "yes",
    }),
  );
  return changed.ok
    ? c.redirect("/dashboard/profile?done=password", 303)
    : renderProfilePage(c, { error: changed.error });
}

/** Handles `POST /dashboard/profile/time-zone`. */
export async function doSetTimeZone(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const { userId } = c.var.signedIn.actor;
  const saved = await runUseCase(() => setTimeZone(c.var.services, { userId, timeZone: form.text("time_zone") }));
  return saved.ok ? c.redirect("/dashboard/profile?done=time-zone", 303) : renderProfilePage(c, { error: saved.error });
}

/** Handles `POST /dashboard/profile/verify-email`. */
export async function doSendVerification(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  if (services.mailer === null) {
    return c.notFound();
  }
  services.defer(sendVerification(services, services.mailer, { userId: signedIn.actor.userId, email: signedIn.email }));
  return c.redirect("/dashboard/profile?done=mail-sent", 303);
}

/** Handles `POST /dashboard/passkeys/:id/remove`. */
export async function doRemovePasskey(c: PageContext): Promise<Response> {
  await removePasskey(c.var.services, { userId: c.var.signedIn.actor.userId, id: c.req.param("id") ?? "" });
  return c.redirect("/dashboard/profile?done=passkey-removed", 303);
}
