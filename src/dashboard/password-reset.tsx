import type { FC } from "hono/jsx";
import { requestPasswordReset, resetPassword, verifyEmail } from "#auth/index.ts";
import type { PageContext } from "./env.ts";
import { readForm, runUseCase } from "./form.ts";
import { AuthLayout } from "./layout.tsx";
import { withinRateLimit } from "./rate-limit.ts";
import { createMailer } from "./mailer.ts";
import { Field, type FormError, Notice, FormErrorNotice } from "./components.tsx";
import { renderPage } from "./render-page.ts";

const ForgotPasswordPage: FC<{ sent: boolean; error?: FormError | undefined }> = ({ sent, error }) => (
  <AuthLayout title="Forgot your password" footer={<a href="/login">Back to sign in</a>}>
    <h1>Forgot your password?</h1>
    {sent ? (
      <Notice kind="success">
        If an account with this e-mail exists, we have sent it a link. The link is valid for 30 minutes.
      </Notice>
    ) : (
      <form method="post" action="/password/forgot">
        <FormErrorNotice error={error} fields={["email"]} />
        <Field name="email" label="E-mail" type="email" autocomplete="username" required error={error} />
        <button>Send link</button>
      </form>
    )}
  </AuthLayout>
);

/** `GET /password/forgot` */
export async function showForgot(c: PageContext): Promise<Response> {
  return createMailer(c.env) === null ? c.notFound() : renderPage(c, <ForgotPasswordPage sent={false} />);
}

/** `POST /password/forgot`: the response is the same whether the user exists or not. */
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

const ResetPasswordPage: FC<{ token: string; error?: FormError | undefined }> = ({ token, error }) => (
  <AuthLayout title="Set a new password">
    <h1>Set a new password</h1>
    <FormErrorNotice error={error} fields={["new_password"]} />
    <form method="post" action="/password/reset">
      <input type="hidden" name="token" value={token} />
      <Field
        name="new_password"
        label="New password"
        type="password"
        autocomplete="new-password"
        required
        minlength={12}
        hint="At least 12 characters. All browsers will be signed out."
        error={error}
      />
      <button>Set password</button>
    </form>
  </AuthLayout>
);

/** `GET /password/reset` */
export function showReset(c: PageContext): Promise<Response> {
  return renderPage(c, <ResetPasswordPage token={c.req.query("token") ?? ""} />);
}

/** `POST /password/reset` */
export async function doReset(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const token = form.text("token");
  const done = await runUseCase(() => resetPassword(c.var.services, { token, password: form.text("new_password") }));
  return done.ok
    ? c.redirect("/login?done=reset", 303)
    : renderPage(c, <ResetPasswordPage token={token} error={done.error} />, 400);
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

/** `GET /verify-email`: requires a click, because mail scanners open links. */
export function showVerify(c: PageContext): Promise<Response> {
  return renderPage(c, <VerifyEmailPage token={c.req.query("token") ?? ""} />);
}

/** `POST /verify-email` */
export async function doVerify(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const confirmed = await verifyEmail(c.var.services, { token: form.text("token") });
  return renderPage(
    c,
    <VerifyEmailPage token="" result={confirmed ? "confirmed" : "invalid"} />,
    confirmed ? 200 : 400,
  );
}
