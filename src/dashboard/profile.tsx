import type { FC } from "hono/jsx";
import { changePassword, sendVerification, setTimeZone, type SignedIn } from "#auth/index.ts";
import { listPasskeys, type Passkey, removePasskey } from "#auth/passkeys/index.ts";
import type { PageContext } from "./env.ts";
import { readForm, tryVerb } from "./form.ts";
import { Room } from "./layout.tsx";
import { mailerOf } from "./mail.ts";
import { Confirmed, Field, type FormProblem, Instant, Notice, Problem } from "./parts.tsx";
import { render } from "./render.ts";
import { TimeZoneField } from "./time-zones.tsx";

const DONE: Readonly<Record<string, string>> = {
  password: "Your new password is set. Every other browser is signed out.",
  "time-zone": "Your time zone is set.",
  "passkey-removed": "The passkey is removed.",
  "passkey-added": "The passkey is added. You can sign in with it from now on.",
  "mail-sent": "A letter with a link is on its way.",
};

interface Props {
  readonly signedIn: SignedIn;
  readonly passkeys: readonly Passkey[];
  readonly canMail: boolean;
  readonly done: string | undefined;
  readonly problem?: FormProblem | undefined;
}

const Password: FC<Props> = ({ signedIn, problem }) => (
  <section class="card" aria-labelledby="password">
    <h2 id="password">{signedIn.hasPassword ? "Change your password" : "Set a password"}</h2>
    <form method="post" action="/dashboard/profile/password">
      <input type="text" name="username" autocomplete="username" value={signedIn.email} hidden readonly />
      {signedIn.hasPassword && (
        <Field
          name="current_password"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          problem={problem}
        />
      )}
      <Field
        name="new_password"
        label="New password"
        type="password"
        autocomplete="new-password"
        required
        minlength={12}
        hint="At least 12 characters. Every other browser is signed out."
        problem={problem}
      />
      <label class="box">
        <input type="checkbox" name="revoke_all" value="yes" />
        <span>Also revoke all API keys and throw out all connected apps</span>
      </label>
      <button>Set the password</button>
    </form>
  </section>
);

const Passkeys: FC<Props> = ({ signedIn, passkeys, problem }) => (
  <section class="card" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    <p>Sign in with your fingerprint, your face or your device's code instead of a password.</p>
    {passkeys.length > 0 && (
      <ul class="items">
        {passkeys.map((passkey) => (
          <li class="item">
            <div class="item-head">
              <h3>{passkey.name}</h3>
            </div>
            <p class="item-facts">
              <span>
                Added <Instant at={passkey.createdAt} timeZone={signedIn.timeZone} time={false} />
              </span>
              <span>
                {passkey.lastUsedAt === null ? (
                  "Never used"
                ) : (
                  <>
                    Used <Instant at={passkey.lastUsedAt} timeZone={signedIn.timeZone} />
                  </>
                )}
              </span>
            </p>
            <div class="item-actions">
              <Confirmed
                action={`/dashboard/passkeys/${encodeURIComponent(passkey.id)}/remove`}
                verb="Remove"
                what={passkey.name}
                ask="You can no longer sign in with it."
              />
            </div>
          </li>
        ))}
      </ul>
    )}
    <form data-passkey-add>
      <Field
        name="passkey_name"
        label="Name of this device"
        maxlength={60}
        required
        value="This device"
        problem={problem}
      />
      <button hidden>Add a passkey</button>
      <p class="wrong" role="alert" hidden></p>
      <noscript>
        <p class="hint">Adding a passkey needs JavaScript; everything else here works without it.</p>
      </noscript>
    </form>
  </section>
);

const Profile: FC<Props> = (props) => (
  <Room title="Profile" section="profile" signedIn={props.signedIn}>
    {props.done !== undefined && DONE[props.done] !== undefined && <Notice kind="good">{DONE[props.done]}</Notice>}
    <Problem problem={props.problem} fields={["current_password", "new_password", "time_zone"]} />
    <div class="columns">
      <section class="card" aria-labelledby="you">
        <h2 id="you">You</h2>
        <dl class="facts">
          <dt>E-mail</dt>
          <dd>{props.signedIn.email}</dd>
          {props.canMail && (
            <>
              <dt>Confirmed</dt>
              <dd>{props.signedIn.emailVerified ? "Yes" : "Not yet"}</dd>
            </>
          )}
        </dl>
        {props.canMail && !props.signedIn.emailVerified && (
          <form method="post" action="/dashboard/profile/verify-email">
            <button class="quiet">Send me the link again</button>
          </form>
        )}
        <form method="post" action="/dashboard/profile/time-zone">
          <TimeZoneField
            value={props.signedIn.timeZone}
            hint="Every time on these pages is shown in it."
            problem={props.problem}
          />
          <button>Save</button>
        </form>
      </section>
      <Password {...props} />
      <Passkeys {...props} />
    </div>
  </Room>
);

async function page(c: PageContext, problem?: FormProblem): Promise<Response> {
  const { services, signedIn } = c.var;
  const passkeys = await listPasskeys(services, { userId: signedIn.actor.userId });
  const props = { signedIn, passkeys, canMail: mailerOf(c.env) !== null, done: c.req.query("done"), problem };
  return render(c, <Profile {...props} />, problem ? 400 : 200);
}

/** `GET /dashboard/profile` */
export function showProfile(c: PageContext): Promise<Response> {
  return page(c);
}

/** `POST /dashboard/profile/password` */
export async function doChangePassword(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const { userId, credential } = c.var.signedIn.actor;
  // A session left open somewhere must not become a place to guess the password.
  const guesses = await c.env.LIMIT_SIGN_IN.limit({ key: `change:${userId}` });
  if (!guesses.success) {
    return page(c, { message: "too many attempts: wait a minute, then try again" });
  }
  const changed = await tryVerb(() =>
    changePassword(
      c.var.services,
      { userId, sessionHash: credential.id },
      {
        current: form.text("current_password"),
        next: form.text("new_password"),
        revokeAll: form.text("revoke_all") === "yes",
      },
    ),
  );
  return changed.ok ? c.redirect("/dashboard/profile?done=password", 303) : page(c, changed.problem);
}

/** `POST /dashboard/profile/time-zone` */
export async function doSetTimeZone(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const { userId } = c.var.signedIn.actor;
  const set = await tryVerb(() => setTimeZone(c.var.services, { userId, timeZone: form.text("time_zone") }));
  return set.ok ? c.redirect("/dashboard/profile?done=time-zone", 303) : page(c, set.problem);
}

/** `POST /dashboard/profile/verify-email` */
export async function doSendVerification(c: PageContext): Promise<Response> {
  const mailer = mailerOf(c.env);
  if (mailer === null) {
    return c.notFound();
  }
  const { services, signedIn } = c.var;
  services.defer(sendVerification(services, mailer, { userId: signedIn.actor.userId, email: signedIn.email }));
  return c.redirect("/dashboard/profile?done=mail-sent", 303);
}

/** `POST /dashboard/passkeys/:id/remove` */
export async function doRemovePasskey(c: PageContext): Promise<Response> {
  await removePasskey(c.var.services, { userId: c.var.signedIn.actor.userId, id: c.req.param("id") ?? "" });
  return c.redirect("/dashboard/profile?done=passkey-removed", 303);
}
