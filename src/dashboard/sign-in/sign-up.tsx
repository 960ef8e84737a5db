import type { FC } from "hono/jsx";
import { signUp, signUpByEmail, signUpIsOpen, startSession } from "#auth/index.ts";
import type { Config } from "#config.ts";
import { type Plan, PLANS, TRIAL_DAYS } from "#core/plan.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { type FormError, localPath, readForm, runUseCase } from "#dashboard/request/form.ts";
import { relaxFormActionCsp } from "#dashboard/request/security-headers.ts";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import { withinRateLimit } from "#dashboard/request/rate-limit.ts";
import { createMailer, type Mailer } from "#core/mailer.ts";
import { Field, Notice, FormErrorNotice } from "#dashboard/layout/components.tsx";
import { PLAN_NAMES, planFeatures, trialFeatures } from "#dashboard/wording/plan-labels.ts";
import { type Operator, readOperator } from "#dashboard/public-pages/operator.ts";
import { Contact } from "#dashboard/public-pages/public-layout.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { writeKnownBrowser } from "#dashboard/request/known-browser-cookie.ts";
import { writeSession } from "#dashboard/request/session-cookie.ts";
import { TimeZoneField } from "#dashboard/layout/time-zone-field.tsx";

interface SignUpFormValues {
  readonly email: string;
  readonly plan: Plan;
  readonly timeZone: string;
  readonly setupCode: string;
  readonly next: string;
}

/** The choice of a plan. Hidden if the operator gives every user the same plan. */
const PlanSelect: FC<{ selected: Plan; config: Config }> = ({ selected, config }) => (
  <fieldset>
    <legend>Plan</legend>
    {PLANS.map((plan) => (
      <label class="choice">
        <input type="radio" name="plan" value={plan} checked={plan === selected} />
        <span>
          <b>{PLAN_NAMES[plan]}</b>
          <small>{planFeatures(plan, config)[0]}</small>
        </span>
      </label>
    ))}
    <p class="hint">{`During the free trial: ${trialFeatures(selected, config)}.`}</p>
  </fieldset>
);

const SignUpPage: FC<{
  values: SignUpFormValues;
  config: Config;
  /** Whether the form asks for a password. False if a mailed link asks for it later. */
  asksPassword: boolean;
  detectTimeZone: boolean;
  /** Whether this installation has terms and a privacy page, to which the form then links. */
  hasTerms: boolean;
  error?: FormError | undefined;
}> = ({ values, config, asksPassword, detectTimeZone, hasTerms, error }) => (
  <AuthLayout
    title="Create your account"
    footer={
      <>
        Already have an account? <a href={`/login?next=${encodeURIComponent(values.next)}`}>Sign in</a>
      </>
    }
  >
    <h1>Create your account</h1>
    {offersPlans(config) && <p class="lead">{TRIAL_DAYS} days free on every plan. No card required.</p>}
    <FormErrorNotice error={error} fields={["setup_code", "email", "password", "time_zone"]} />
    <form method="post" action="/signup">
      <input type="hidden" name="next" value={values.next} />
      {config.asksSetupCode && (
        <Field
          name="setup_code"
          label="Setup code"
          autocomplete="off"
          spellcheck="false"
          required
          value={values.setupCode}
          hint="Only the operator can create the first account. The link that npm run deploy printed contains the code."
          error={error}
        />
      )}
      <Field
        name="email"
        label="E-mail"
        type="email"
        autocomplete="email"
        required
        value={values.email}
        error={error}
      />
      {asksPassword && (
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="new-password"
          required
          minlength={12}
          hint="At least 12 characters. We recommend several unrelated words."
          error={error}
        />
      )}
      {offersPlans(config) && <PlanSelect selected={values.plan} config={config} />}
      <TimeZoneField
        value={values.timeZone}
        detect={detectTimeZone}
        hint="Your calendar uses this time zone. You can change it later."
        error={error}
      />
      {hasTerms && (
        <p class="hint">
          With an account you accept the <a href="/terms">terms</a> and the <a href="/privacy">privacy policy</a>.
        </p>
      )}
      <button>Create account</button>
    </form>
  </AuthLayout>
);

/**
 * The page after a sign-up by e-mail. It is the same for new and known addresses and shows no address, so that it
 * reveals nothing.
 */
const CheckMailPage: FC = () => (
  <AuthLayout title="Check your mail" footer={<a href="/login">Back to sign in</a>}>
    <h1>Check your mail</h1>
    <Notice kind="success">
      We have sent you an e-mail. Its link sets your password and is valid for a day. Then sign in, or return to the app
      that sent you here.
    </Notice>
  </AuthLayout>
);

const SignUpClosedPage: FC<{ operator: Operator | null }> = ({ operator }) => (
  <AuthLayout title="Sign-up is closed" footer={<a href="/login">Sign in</a>}>
    <h1>Sign-up is closed</h1>
    <Notice kind="info">
      This service does not accept new accounts. Ask{" "}
      {operator === null ? (
        "whoever runs it"
      ) : (
        <>
          {operator.name} (<Contact operator={operator} />)
        </>
      )}{" "}
      for one.
    </Notice>
  </AuthLayout>
);

function offersPlans({ planForAll }: Config): boolean {
  return planForAll === null;
}

function renderSignUp(
  c: PageContext,
  values: SignUpFormValues,
  status: 200 | 400 | 429,
  error?: FormError,
): Promise<Response> {
  const page = (
    <SignUpPage
      values={values}
      config={c.var.services.config}
      asksPassword={createMailer(c.env) === null}
      detectTimeZone={status === 200}
      hasTerms={readOperator(c.var.services.config) !== null}
      error={error}
    />
  );
  return renderPage(c, page, status);
}

async function signUpWithMail(c: PageContext, mailer: Mailer, values: SignUpFormValues): Promise<Response> {
  const requested = await runUseCase(() => signUpByEmail(c.var.services, mailer, values));
  return requested.ok ? renderPage(c, <CheckMailPage />) : renderSignUp(c, values, 400, requested.error);
}

/** Handles `GET /signup`. */
export async function showSignUp(c: PageContext): Promise<Response> {
  relaxFormActionCsp(c);
  if (!(await signUpIsOpen(c.var.services))) {
    return renderPage(c, <SignUpClosedPage operator={readOperator(c.var.services.config)} />, 403);
  }
  const values: SignUpFormValues = {
    email: "",
    plan: "growth",
    timeZone: "UTC",
    setupCode: c.req.query("setup_code") ?? "",
    next: localPath(c.req.query("next")),
  };
  return renderSignUp(c, values, 200);
}

/** Handles `POST /signup`. */
export async function doSignUp(c: PageContext): Promise<Response> {
  relaxFormActionCsp(c);
  const { services } = c.var;
  const form = await readForm(c);
  const values: SignUpFormValues = {
    email: form.text("email"),
    plan: PLANS.find((plan) => plan === form.text("plan")) ?? "growth",
    timeZone: form.text("time_zone") || "UTC",
    setupCode: form.text("setup_code"),
    next: localPath(form.text("next")),
  };
  if (!(await withinRateLimit(c, "sign-up"))) {
    c.header("Retry-After", "60");
    const error = { message: "too many attempts from your IP address: wait a minute, then try again" };
    return renderSignUp(c, values, 429, error);
  }
  const mailer = createMailer(c.env);
  if (mailer !== null) {
    return signUpWithMail(c, mailer, values);
  }
  const created = await runUseCase(() => signUp(services, { ...values, password: form.text("password") }));
  if (!created.ok) {
    return renderSignUp(c, values, 400, created.error);
  }
  const { userId } = created.value;
  writeSession(c, await startSession(services, { userId }));
  await writeKnownBrowser(c, values.email);
  return c.redirect(values.next, 303);
}
