import type { FC } from "hono/jsx";
import { endSession, signIn, signInClient, signUpIsOpen } from "#auth/index.ts";
import { clientAddress } from "#core/public-address/client-address.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { localPath, readForm } from "#dashboard/request/form.ts";
import { relaxFormActionCsp } from "#dashboard/request/security-headers.ts";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import { withinRateLimit } from "#dashboard/request/rate-limit.ts";
import { createMailer } from "#core/mailer.ts";
import { Field, Notice } from "#dashboard/layout/components.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { readKnownBrowser, writeKnownBrowser } from "#dashboard/request/known-browser-cookie.ts";
import { clearSession, readSession, writeSession } from "#dashboard/request/session-cookie.ts";

const SignInPage: FC<{
  email: string;
  next: string;
  canSignUp: boolean;
  canResetPassword: boolean;
  error?: string | undefined;
  message?: string | undefined;
}> = (props) => (
  <AuthLayout
    title="Sign in"
    footer={
      props.canSignUp ? (
        <>
          New here? <a href={`/signup?next=${encodeURIComponent(props.next)}`}>Create an account</a>
        </>
      ) : undefined
    }
  >
    <h1>Sign in</h1>
    {props.next.startsWith("/oauth/authorize") && (
      <p class="lead">Sign in to continue to the app that sent you here.</p>
    )}
    {props.message !== undefined && <Notice kind="success">{props.message}</Notice>}
    {props.error !== undefined && <Notice kind="error">{props.error}</Notice>}
    <form method="post" action="/login">
      <input type="hidden" name="next" value={props.next} />
      {/* `type="text"` avoids the browser's own check of e-mail addresses. `inputmode` keeps the on-screen keyboard
         for addresses. */}
      <Field
        name="email"
        label="E-mail"
        type="text"
        inputmode="email"
        autocapitalize="none"
        spellcheck={false}
        autocomplete="username webauthn"
        required
        value={props.email}
      />
      <Field name="password" label="Password" type="password" autocomplete="current-password" required />
      <button>Sign in</button>
    </form>
    <div class="alternative" data-passkey-sign-in data-next={props.next} hidden>
      <button type="button" class="secondary full-width">
        Sign in with a passkey
      </button>
      <p class="field-error" role="alert" hidden></p>
    </div>
    {props.canResetPassword && (
      <p class="form-links">
        <a href="/password/forgot">Forgot your password?</a>
      </p>
    )}
  </AuthLayout>
);

async function renderSignInPage(
  c: PageContext,
  values: { email: string; next: string; error?: string },
  status: 200 | 400 | 429,
) {
  relaxFormActionCsp(c);
  const message = c.req.query("done") === "reset" ? "Your new password is set. Sign in with it." : undefined;
  const canSignUp = await signUpIsOpen(c.var.services);
  return renderPage(
    c,
    <SignInPage {...values} message={message} canSignUp={canSignUp} canResetPassword={createMailer(c.env) !== null} />,
    status,
  );
}

/** Handles `GET /login`. */
export function showSignIn(c: PageContext): Promise<Response> {
  return renderSignInPage(c, { email: "", next: localPath(c.req.query("next")) }, 200);
}

/** Handles `POST /login`. A wrong password and an unknown e-mail get exactly the same response. */
export async function doSignIn(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const form = await readForm(c);
  const email = form.text("email");
  const next = localPath(form.text("next"));
  const { address, network } = clientAddress(c.req.raw.headers);
  const client = await signInClient(services, { email, network, knownBrowser: readKnownBrowser(c) });
  const limit = await c.env.LIMIT_SIGN_IN.limit({
    key: client.isKnown ? client.id : `${address}:${email.trim().toLowerCase()}`,
  });
  if (!limit.success || (!client.isKnown && !(await withinRateLimit(c, "sign-in")))) {
    c.header("Retry-After", "60");
    return renderSignInPage(
      c,
      { email, next, error: "Too many attempts from your IP address. Wait a minute, then try again." },
      429,
    );
  }
  const token = await signIn(services, { email, password: form.text("password"), client });
  if (token === null) {
    const error =
      "Wrong e-mail or password. After several failed attempts, wait before trying again: a minute, then longer.";
    return renderSignInPage(c, { email, next, error }, 400);
  }
  await endCurrentSession(c);
  writeSession(c, token);
  await writeKnownBrowser(c, email);
  return c.redirect(next, 303);
}

/**
 * Handles `POST /logout`: ends the session of this browser only; keys and apps still work. With `next`, another user
 * can sign in and continue there.
 */
export async function doSignOut(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  await endCurrentSession(c);
  clearSession(c);
  const next = form.text("next");
  return c.redirect(next === "" ? "/login" : `/login?next=${encodeURIComponent(localPath(next))}`, 303);
}

async function endCurrentSession(c: PageContext): Promise<void> {
  const token = readSession(c);
  if (token !== undefined) {
    await endSession(c.var.services, token);
  }
}
