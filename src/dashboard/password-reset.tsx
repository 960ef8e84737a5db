import type { FC } from "hono/jsx";
import { requestPasswordReset, resetPassword, verifyEmail } from "#auth/index.ts";
import type { PageContext } from "./env.ts";
import { readForm, tryVerb } from "./form.ts";
import { Door } from "./layout.tsx";
import { mayCall } from "./limit-address.ts";
import { mailerOf } from "./mail.ts";
import { Field, type FormProblem, Notice, Problem } from "./parts.tsx";
import { render } from "./render.ts";

const Forgot: FC<{ sent: boolean; problem?: FormProblem | undefined }> = ({ sent, problem }) => (
  <Door title="Forgot your password" below={<a href="/login">Back to sign in</a>}>
    <h1>Forgot your password?</h1>
    {sent ? (
      <Notice kind="good">
        If there is an account with this e-mail, a link is on its way. It works for 30 minutes.
      </Notice>
    ) : (
      <form method="post" action="/password/forgot">
        <Problem problem={problem} fields={["email"]} />
        <Field name="email" label="E-mail" type="email" autocomplete="username" required problem={problem} />
        <button>Send the link</button>
      </form>
    )}
  </Door>
);

/** `GET /password/forgot` */
export async function showForgot(c: PageContext): Promise<Response> {
  return mailerOf(c.env) === null ? c.notFound() : render(c, <Forgot sent={false} />);
}

/** `POST /password/forgot`: answers the same whether there is such a user or not. */
export async function doForgot(c: PageContext): Promise<Response> {
  const mailer = mailerOf(c.env);
  if (mailer === null) {
    return c.notFound();
  }
  if (!(await mayCall(c, "password-reset"))) {
    const problem = { message: "too many attempts from your address: wait a minute" };
    return render(c, <Forgot sent={false} problem={problem} />, 429);
  }
  const form = await readForm(c);
  const asked = await tryVerb(() => requestPasswordReset(c.var.services, mailer, { email: form.text("email") }));
  return asked.ok ? render(c, <Forgot sent />) : render(c, <Forgot sent={false} problem={asked.problem} />, 400);
}

const Reset: FC<{ token: string; problem?: FormProblem | undefined }> = ({ token, problem }) => (
  <Door title="Set a new password">
    <h1>Set a new password</h1>
    <Problem problem={problem} fields={["new_password"]} />
    <form method="post" action="/password/reset">
      <input type="hidden" name="token" value={token} />
      <Field
        name="new_password"
        label="New password"
        type="password"
        autocomplete="new-password"
        required
        minlength={12}
        hint="At least 12 characters. Every browser that is signed in now will be signed out."
        problem={problem}
      />
      <button>Set the password</button>
    </form>
  </Door>
);

/** `GET /password/reset` */
export function showReset(c: PageContext): Promise<Response> {
  return render(c, <Reset token={c.req.query("token") ?? ""} />);
}

/** `POST /password/reset` */
export async function doReset(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const token = form.text("token");
  const done = await tryVerb(() => resetPassword(c.var.services, { token, password: form.text("new_password") }));
  return done.ok
    ? c.redirect("/login?done=reset", 303)
    : render(c, <Reset token={token} problem={done.problem} />, 400);
}

const Verify: FC<{ token: string; ended?: "good" | "bad" }> = ({ token, ended }) => (
  <Door title="Confirm your e-mail">
    <h1>Confirm your e-mail</h1>
    {ended === "good" && <Notice kind="good">Thank you: your e-mail is confirmed.</Notice>}
    {ended === "bad" && <Notice kind="bad">This link has expired or was used. Your profile offers a new one.</Notice>}
    {ended === undefined ? (
      <form method="post" action="/verify-email">
        <input type="hidden" name="token" value={token} />
        <button>Confirm</button>
      </form>
    ) : (
      <p>
        <a class="button" href="/dashboard">
          To the dashboard
        </a>
      </p>
    )}
  </Door>
);

/** `GET /verify-email`: asks for a click, because mail scanners follow links. */
export function showVerify(c: PageContext): Promise<Response> {
  return render(c, <Verify token={c.req.query("token") ?? ""} />);
}

/** `POST /verify-email` */
export async function doVerify(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const good = await verifyEmail(c.var.services, { token: form.text("token") });
  return render(c, <Verify token="" ended={good ? "good" : "bad"} />, good ? 200 : 400);
}
