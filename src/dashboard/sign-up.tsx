import type { FC } from "hono/jsx";
import { sendVerification, signUp, signUpIsOpen, startSession } from "#auth/index.ts";
import { type Plan, PLANS, TRIAL_DAYS } from "#core/plan.ts";
import type { PageContext } from "./env.ts";
import { localPath, readForm, tryVerb } from "./form.ts";
import { openTheWayBack } from "./headers.ts";
import { Door } from "./layout.tsx";
import { mayCall } from "./limit-address.ts";
import { mailerOf } from "./mail.ts";
import { Field, type FormProblem, Notice, Problem } from "./parts.tsx";
import { PLAN_NAMES, planFacts } from "./plan-words.ts";
import { render } from "./render.ts";
import { writeSession } from "./session-cookie.ts";
import { TimeZoneField } from "./time-zones.tsx";

interface Given {
  readonly email: string;
  readonly plan: Plan;
  readonly timeZone: string;
  readonly next: string;
}

/** Not asked where the operator gives everybody the same plan. */
const PlanChoice: FC<{ chosen: Plan }> = ({ chosen }) => (
  <fieldset class="plans">
    <legend>Plan</legend>
    {PLANS.map((plan) => (
      <label class="plan">
        <input type="radio" name="plan" value={plan} checked={plan === chosen} />
        <span>
          <b>{PLAN_NAMES[plan]}</b>
          <small>{planFacts(plan)[0]}</small>
        </span>
      </label>
    ))}
  </fieldset>
);

const SignUp: FC<{ given: Given; asksPlan: boolean; fresh: boolean; problem?: FormProblem | undefined }> = ({
  given,
  asksPlan,
  fresh,
  problem,
}) => (
  <Door
    title="Create your account"
    below={
      <>
        Already have an account? <a href={`/login?next=${encodeURIComponent(given.next)}`}>Sign in</a>
      </>
    }
  >
    <h1>Create your account</h1>
    {asksPlan && <p class="lead">{TRIAL_DAYS} days free on every plan. No card needed to start.</p>}
    <Problem problem={problem} fields={["email", "password", "time_zone"]} />
    <form method="post" action="/signup">
      <input type="hidden" name="next" value={given.next} />
      <Field
        name="email"
        label="E-mail"
        type="email"
        autocomplete="username"
        required
        value={given.email}
        problem={problem}
      />
      <Field
        name="password"
        label="Password"
        type="password"
        autocomplete="new-password"
        required
        minlength={12}
        hint="At least 12 characters. A few unrelated words are best."
        problem={problem}
      />
      {asksPlan && <PlanChoice chosen={given.plan} />}
      <TimeZoneField
        value={given.timeZone}
        guess={fresh}
        hint="Your calendar is shown in it. You can change it later."
        problem={problem}
      />
      <button>Create account</button>
    </form>
  </Door>
);

const Closed: FC = () => (
  <Door title="Sign-up is closed" below={<a href="/login">Sign in</a>}>
    <h1>Sign-up is closed</h1>
    <Notice kind="note">This service takes no new accounts. Ask its operator for one.</Notice>
  </Door>
);

function asksPlan(c: PageContext): boolean {
  return c.var.services.config.planForAll === null;
}

/** `GET /signup` */
export async function showSignUp(c: PageContext): Promise<Response> {
  openTheWayBack(c);
  if (!(await signUpIsOpen(c.var.services))) {
    return render(c, <Closed />, 403);
  }
  const given: Given = { email: "", plan: "growth", timeZone: "UTC", next: localPath(c.req.query("next")) };
  return render(c, <SignUp given={given} asksPlan={asksPlan(c)} fresh />);
}

/** `POST /signup` */
export async function doSignUp(c: PageContext): Promise<Response> {
  openTheWayBack(c);
  const { services } = c.var;
  const form = await readForm(c);
  const given: Given = {
    email: form.text("email"),
    plan: PLANS.find((plan) => plan === form.text("plan")) ?? "growth",
    timeZone: form.text("time_zone") || "UTC",
    next: localPath(form.text("next")),
  };
  if (!(await mayCall(c, "sign-up"))) {
    c.header("Retry-After", "60");
    const problem = { message: "too many attempts from your address: wait a minute" };
    return render(c, <SignUp given={given} asksPlan={asksPlan(c)} fresh={false} problem={problem} />, 429);
  }
  const made = await tryVerb(() => signUp(services, { ...given, password: form.text("password") }));
  if (!made.ok) {
    return render(c, <SignUp given={given} asksPlan={asksPlan(c)} fresh={false} problem={made.problem} />, 400);
  }
  const { userId } = made.value;
  const mailer = mailerOf(c.env);
  if (mailer !== null) {
    services.defer(sendVerification(services, mailer, { userId, email: given.email.trim().toLowerCase() }));
  }
  writeSession(c, await startSession(services, { userId }));
  return c.redirect(given.next, 303);
}
