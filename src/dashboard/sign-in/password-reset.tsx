import type { Child, FC } from "hono/jsx";
import {
  type AccountAccess,
  previewPasswordReset,
  requestPasswordReset,
  resetPassword,
  verifyEmail,
} from "#auth/index.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import { withinRateLimit } from "#dashboard/request/rate-limit.ts";
import { createMailer } from "#core/mailer.ts";
import { DateTime, Field, Notice, FormErrorNotice, UsernameField } from "#dashboard/layout/components.tsx";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { writeKnownBrowser } from "#dashboard/request/known-browser-cookie.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";

const ForgotPasswordPage: FC<{ sent: boolean; error?: FormError | undefined }> = ({ sent, error }) => (
  <AuthLayout title="Forgot your password" footer={<a href="/login">Back to sign in</a>}>
    <h1>Forgot your password?</h1>
    {sent ? (
      <Notice kind="success">
        If an account with this e-mail exists, we have sent it a link. The link is valid for 30 minutes. At most five
        mails are sent in an hour.
      </Notice>
    ) : (
      <form method="post" action="/password/forgot">
        <FormErrorNotice error={error} fields={["email"]} />
        <Field name="email" label="E-mail" type="email" autocomplete="email" required error={error} />
        <button>Send link</button>
      </form>
    )}
  </AuthLayout>
);

/** Handles `GET /password/forgot`. */
export async function showForgot(c: PageContext): Promise<Response> {
  return createMailer(c.env) === null ? c.notFound() : renderPage(c, <ForgotPasswordPage sent={false} />);
}

/** Handles `POST /password/forgot`. The response does not show whether the user exists. */
export async function doForgot(c: PageContext): Promise<Response> {
  const mailer = createMailer(c.env);
  if (mailer === null) {
    return c.notFound();
  }
  if (!(await withinRateLimit(c, "password-reset"))) {
    const error = { message: "too many attempts from your IP address: wait a minute" };
    return renderPage(c, <ForgotPasswordPage sent={false} error={error} />, 429);
  }
  const form = await readForm(c);
  const requested = await runUseCase(() => requestPasswordReset(c.var.services, mailer, { email: form.text("email") }));
  return requested.ok
    ? renderPage(c, <ForgotPasswordPage sent />)
    : renderPage(c, <ForgotPasswordPage sent={false} error={requested.error} />, 400);
}

/** The kinds of access that a reset can end, in the order of the page. Names of checkboxes begin with them. */
type AccessKind = "session" | "key" | "app" | "passkey" | "webhook" | "feed";

/** A checkbox with a hidden field. The field tells an unticked checkbox from one that the page did not show. */
const AccessCheckbox: FC<{ kind: AccessKind; id: string; kept: readonly string[]; children?: Child }> = (props) => {
  const value = `${props.kind}:${props.id}`;
  return (
    <label class="checkbox">
      <input type="hidden" name="listed" value={value} />
      <input type="checkbox" name="end" value={value} checked={!props.kept.includes(value)} />
      <span>{props.children}</span>
    </label>
  );
};

const AccessList: FC<{ access: AccountAccess; kept: readonly string[] }> = ({ access, kept }) => {
  const { timeZone } = access;
  const { sessions, keys, apps, passkeys, webhooks, feeds } = access;
  const count = [sessions, keys, apps, passkeys, webhooks, feeds].flat().length;
  return count === 0 ? null : (
    <fieldset class="checkbox-group">
      <legend>Access that ends</legend>
      <p class="hint">What is ticked ends with the new password. Untick only what you recognize and want to keep.</p>
      {sessions.map((session) => (
        <AccessCheckbox kind="session" id={session.label} kept={kept}>
          Browser signed in <DateTime value={session.createdAt} timeZone={timeZone} />
        </AccessCheckbox>
      ))}
      {keys.map((key) => (
        <AccessCheckbox kind="key" id={key.id} kept={kept}>
          API key <bdi>{key.name}</bdi> <code>{key.hint}</code>
        </AccessCheckbox>
      ))}
      {apps.map((app) => (
        <AccessCheckbox kind="app" id={app.grantId} kept={kept}>
          App <bdi>{app.name}</bdi>, connected <DateTime value={app.since} timeZone={timeZone} showTime={false} />
        </AccessCheckbox>
      ))}
      {passkeys.map((passkey) => (
        <AccessCheckbox kind="passkey" id={passkey.id} kept={kept}>
          Passkey <bdi>{passkey.name}</bdi>, added{" "}
          <DateTime value={passkey.createdAt} timeZone={timeZone} showTime={false} />
        </AccessCheckbox>
      ))}
      {webhooks.map((webhook) => (
        <AccessCheckbox kind="webhook" id={webhook.id} kept={kept}>
          Webhook to <code>{webhook.url}</code>
        </AccessCheckbox>
      ))}
      {feeds.map((feed) => (
        <AccessCheckbox kind="feed" id={feed.id} kept={kept}>
          Calendar address of <bdi>{feed.workspaceName}</bdi>, made{" "}
          <DateTime value={feed.createdAt} timeZone={timeZone} />
        </AccessCheckbox>
      ))}
    </fieldset>
  );
};

const ResetPasswordPage: FC<{
  token: string;
  access: AccountAccess;
  kept: readonly string[];
  error?: FormError | undefined;
}> = ({ token, access, kept, error }) => (
  <AuthLayout title="Set a new password">
    <h1>Set a new password</h1>
    <FormErrorNotice error={error} fields={["new_password"]} />
    <form method="post" action="/password/reset">
      <input type="hidden" name="token" value={token} />
      <UsernameField email={access.email} />
      <Field
        name="new_password"
        label="New password"
        type="password"
        autocomplete="new-password"
        required
        minlength={12}
        hint="At least 12 characters."
        error={error}
      />
      <AccessList access={access} kept={kept} />
      <button>Set password</button>
    </form>
  </AuthLayout>
);

const InvalidLinkPage: FC<{ error: FormError; canMail: boolean }> = ({ error, canMail }) => (
  <AuthLayout title="Set a new password" footer={<a href="/login">Back to sign in</a>}>
    <h1>Set a new password</h1>
    <Notice kind="error">{toSentence(error.message)}</Notice>
    {canMail && (
      <p>
        <a class="button" href="/password/forgot">
          Request a new link
        </a>
      </p>
    )}
  </AuthLayout>
);

async function renderResetPage(
  c: PageContext,
  form: { token: string; kept: readonly string[] },
  error?: FormError,
): Promise<Response> {
  const preview = await runUseCase(() => previewPasswordReset(c.var.services, form));
  return preview.ok
    ? renderPage(c, <ResetPasswordPage {...form} access={preview.value} error={error} />, error ? 400 : 200)
    : renderPage(c, <InvalidLinkPage error={preview.error} canMail={createMailer(c.env) !== null} />, 400);
}

/** Handles `GET /password/reset`. Opening the link does not use it up. */
export function showReset(c: PageContext): Promise<Response> {
  return renderResetPage(c, { token: c.req.query("token") ?? "", kept: [] });
}

/** Handles `POST /password/reset`. */
export async function doReset(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const token = form.text("token");
  const ended = new Set(form.all("end"));
  const kept = form.all("listed").filter((value) => !ended.has(value));
  const keptIds = (kind: AccessKind) =>
    kept.filter((value) => value.startsWith(`${kind}:`)).map((value) => value.slice(kind.length + 1));
  const done = await runUseCase(() =>
    resetPassword(c.var.services, {
      token,
      password: form.text("new_password"),
      keep: {
        sessions: keptIds("session"),
        keys: keptIds("key"),
        apps: keptIds("app"),
        passkeys: keptIds("passkey"),
        webhooks: keptIds("webhook"),
        feeds: keptIds("feed"),
      },
    }),
  );
  if (!done.ok) {
    return renderResetPage(c, { token, kept }, done.error);
  }
  await writeKnownBrowser(c, done.value.email);
  return c.redirect("/login?done=reset", 303);
}

const VerifyEmailPage: FC<{ token: string; result?: "confirmed" | "invalid" }> = ({ token, result }) => (
  <AuthLayout title="Confirm your e-mail">
    <h1>Confirm your e-mail</h1>
    {result === "confirmed" && <Notice kind="success">Your e-mail is confirmed.</Notice>}
    {result === "invalid" && (
      <Notice kind="error">This link has expired or was already used. Request a new one in your profile.</Notice>
    )}
    {result === undefined ? (
      <form method="post" action="/verify-email">
        <input type="hidden" name="token" value={token} />
        <button>Confirm</button>
      </form>
    ) : (
      <p>
        <a class="button" href="/dashboard">
          Go to the dashboard
        </a>
      </p>
    )}
  </AuthLayout>
);

/** Handles `GET /verify-email`. It asks for a click, because mail scanners also open links. */
export function showVerify(c: PageContext): Promise<Response> {
  return renderPage(c, <VerifyEmailPage token={c.req.query("token") ?? ""} />);
}

/** Handles `POST /verify-email`. */
export async function doVerify(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const confirmed = await verifyEmail(c.var.services, { token: form.text("token") });
  return renderPage(
    c,
    <VerifyEmailPage token="" result={confirmed ? "confirmed" : "invalid"} />,
    confirmed ? 200 : 400,
  );
}
