import type { FC } from "hono/jsx";
import { endSession, signIn, signUpIsOpen } from "#auth/index.ts";
import type { PageContext } from "./env.ts";
import { localPath, readForm } from "./form.ts";
import { openTheWayBack } from "./headers.ts";
import { Door } from "./layout.tsx";
import { callerAddress, mayCall } from "./limit-address.ts";
import { mailerOf } from "./mail.ts";
import { Field, Notice } from "./parts.tsx";
import { render } from "./render.ts";
import { clearSession, readSession, writeSession } from "./session-cookie.ts";

const SignIn: FC<{
  email: string;
  next: string;
  signUp: boolean;
  reset: boolean;
  wrong?: string | undefined;
  said?: string | undefined;
}> = (props) => (
  <Door
    title="Sign in"
    below={
      props.signUp ? (
        <>
          New here? <a href={`/signup?next=${encodeURIComponent(props.next)}`}>Create an account</a>
        </>
      ) : undefined
    }
  >
    <h1>Sign in</h1>
    {props.next.startsWith("/oauth/authorize") && <p class="lead">Sign in to answer the app that sent you here.</p>}
    {props.said !== undefined && <Notice kind="good">{props.said}</Notice>}
    {props.wrong !== undefined && <Notice kind="bad">{props.wrong}</Notice>}
    <form method="post" action="/login">
      <input type="hidden" name="next" value={props.next} />
      <Field name="email" label="E-mail" type="email" autocomplete="username webauthn" required value={props.email} />
      <Field name="password" label="Password" type="password" autocomplete="current-password" required />
      <button>Sign in</button>
    </form>
    <div class="or" data-passkey-sign-in data-next={props.next} hidden>
      <button type="button" class="quiet wide">
        Sign in with a passkey
      </button>
      <p class="wrong" role="alert" hidden></p>
    </div>
    {props.reset && (
      <p class="aside">
        <a href="/password/forgot">Forgot your password?</a>
      </p>
    )}
  </Door>
);

async function page(c: PageContext, given: { email: string; next: string; wrong?: string }, status: 200 | 400 | 429) {
  openTheWayBack(c);
  const said = c.req.query("done") === "reset" ? "Your new password is set. Sign in with it." : undefined;
  const signUp = await signUpIsOpen(c.var.services);
  return render(c, <SignIn {...given} said={said} signUp={signUp} reset={mailerOf(c.env) !== null} />, status);
}

/** `GET /login` */
export function showSignIn(c: PageContext): Promise<Response> {
  return page(c, { email: "", next: localPath(c.req.query("next")) }, 200);
}

/** `POST /login`: a wrong password and an unknown e-mail are answered alike, byte for byte. */
export async function doSignIn(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const form = await readForm(c);
  const email = form.text("email");
  const next = localPath(form.text("next"));
  const guesses = await c.env.LIMIT_SIGN_IN.limit({ key: `${callerAddress(c)}:${email.trim().toLowerCase()}` });
  if (!guesses.success || !(await mayCall(c, "sign-in"))) {
    c.header("Retry-After", "60");
    return page(c, { email, next, wrong: "Too many attempts from your address. Wait a minute, then try again." }, 429);
  }
  const token = await signIn(services, { email, password: form.text("password") });
  if (token === null) {
    const wrong = "E-mail or password is not right. After several wrong attempts, wait a minute before the next one.";
    return page(c, { email, next, wrong }, 400);
  }
  await forgetSession(c);
  writeSession(c, token);
  return c.redirect(next, 303);
}

/** `POST /logout`: ends this browser's session; keys and apps live on. With `next` somebody else goes on from there. */
export async function doSignOut(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  await forgetSession(c);
  clearSession(c);
  const next = form.text("next");
  return c.redirect(next === "" ? "/login" : `/login?next=${encodeURIComponent(localPath(next))}`, 303);
}

async function forgetSession(c: PageContext): Promise<void> {
  const token = readSession(c);
  if (token !== undefined) {
    await endSession(c.var.services, token);
  }
}
