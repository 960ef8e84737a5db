import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { applyStripeEvent, readBillingSettings, openPortal, startCheckout } from "#auth/billing/index.ts";
import { GRACE_DAYS, limitsFor, type Plan, PLANS } from "#core/plan.ts";
import type { Config } from "#config.ts";
import { pausePostsForSubscription } from "#post-status/subscription/pause-posts-for-subscription.ts";
import { resumePostsForSubscription } from "#post-status/subscription/resume-posts-for-subscription.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { allowPaymentRedirect } from "#dashboard/request/security-headers.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { DateTime, Notice, FormErrorNotice } from "#dashboard/layout/components.tsx";
import { formatBytes } from "#dashboard/wording/media-labels.ts";
import { countAccounts, PLAN_NAMES, planFeatures, trialFeatures } from "#dashboard/wording/plan-labels.ts";
import { readOperator } from "#dashboard/public-pages/operator.ts";
import { Contact } from "#dashboard/public-pages/public-layout.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";

/** Tells the user to ask the operator for a plan, because this installation has no payments. */
const AskOperator: FC<{ config: Config }> = ({ config }) => {
  const operator = readOperator(config);
  return operator === null ? (
    <>ask whoever runs this service</>
  ) : (
    <>
      ask {operator.name} (<Contact operator={operator} />)
    </>
  );
};

const SubscriptionNotice: FC<{ signedIn: SignedInUser; config: Config; canPay: boolean }> = ({
  signedIn,
  config,
  canPay,
}) => {
  const { subscription, actor, timeZone } = signedIn;
  const plan = PLAN_NAMES[actor.plan];
  const until = subscription?.currentPeriodEnd ?? null;
  const end = until === null ? null : <DateTime value={until} timeZone={timeZone} />;
  if (config.planForAll !== null) {
    return <Notice kind="success">All users of this service have the {plan} plan.</Notice>;
  }
  if (!actor.subscribed) {
    return (
      <Notice kind="error">
        Your {subscription?.status === "trialing" ? "trial" : "subscription"} has ended. API calls are refused and
        scheduled posts are paused. Posts whose time has not passed resume when you{" "}
        {canPay ? (
          "choose a plan"
        ) : (
          <>
            have a plan again: <AskOperator config={config} />
          </>
        )}
        .
      </Notice>
    );
  }
  switch (subscription?.status) {
    case "trialing":
      return (
        <Notice kind="info">
          Your free trial of the {plan} plan ends on {end}. <TrialLimits signedIn={signedIn} config={config} />{" "}
          {canPay ? (
            "Scheduled posts are then paused until you choose a plan."
          ) : (
            <>
              Scheduled posts are then paused until you have a plan: <AskOperator config={config} />.
            </>
          )}
        </Notice>
      );
    case "past_due":
      return (
        <Notice kind="error">
          The last payment failed. Your plan stays active for {GRACE_DAYS} days, until {end}. Please update your card.
        </Notice>
      );
    default:
      return (
        <Notice kind="success">
          You are on the {plan} plan.{end !== null && <> The current period ends on {end}.</>}
        </Notice>
      );
  }
};

/** Says what the trial allows now, and what more it allows after the e-mail address is confirmed. */
const TrialLimits: FC<{ signedIn: SignedInUser; config: Config }> = ({ signedIn: { actor }, config }) => {
  const now = countAccounts(actor.limits.accounts);
  const confirmed = limitsFor({ plan: actor.plan, isTrial: true, mustProveEmail: false }, config.limitOverrides);
  return confirmed.accounts === actor.limits.accounts ? (
    <>During the free trial: {trialFeatures(actor.plan, config)}.</>
  ) : (
    <>
      During the free trial: {formatBytes(confirmed.storageBytes)} of media and, until your e-mail address is confirmed,{" "}
      {now}. <a href="/dashboard/profile">Confirm it</a> to connect up to {confirmed.accounts}.
    </>
  );
};

const PlanCard: FC<{ plan: Plan; config: Config; isCurrent: boolean; offer: "none" | "choose" }> = ({
  plan,
  config,
  isCurrent,
  offer,
}) => (
  <li class={isCurrent ? "card plan-card current" : "card plan-card"}>
    <h2>
      {PLAN_NAMES[plan]} {isCurrent && <span class="tag active">Current plan</span>}
    </h2>
    <ul class="plain-list">
      {planFeatures(plan, config).map((feature) => (
        <li>{feature}</li>
      ))}
    </ul>
    {offer === "choose" && (
      <form method="post" action="/dashboard/plan/checkout">
        <button class={isCurrent ? "" : "secondary"} name="plan" value={plan}>{`Choose ${PLAN_NAMES[plan]}`}</button>
      </form>
    )}
  </li>
);

async function renderPlanPage(c: PageContext, error?: FormError): Promise<Response> {
  allowPaymentRedirect(c);
  const { services, signedIn } = c.var;
  const billing = readBillingSettings(services.config);
  const status = signedIn.subscription?.status;
  const isPaying = status === "active" || status === "past_due";
  const offer = billing !== null && !isPaying ? "choose" : "none";
  const document = (
    <DashboardLayout title="Plan" section="plan" assets={{ styles: ["settings"] }} signedIn={signedIn}>
      {c.req.query("done") === "paid" && (
        <Notice kind="success">
          Thank you. Your plan becomes active when the payment is confirmed, usually within seconds.
        </Notice>
      )}
      <FormErrorNotice error={error} />
      <SubscriptionNotice signedIn={signedIn} config={services.config} canPay={billing !== null} />
      <ul class="plan-cards">
        {PLANS.map((plan) => (
          <PlanCard plan={plan} config={services.config} isCurrent={plan === signedIn.actor.plan} offer={offer} />
        ))}
      </ul>
      {billing !== null && isPaying && (
        <form method="post" action="/dashboard/plan/portal">
          <button>Manage payment</button>
        </form>
      )}
      {offer === "choose" && (
        <p class="hint">
          The next page, at our payment provider Stripe, shows the price. Nothing is paid before you agree there.
        </p>
      )}
      {billing === null && services.config.planForAll === null && (
        <p class="hint">Plans are set by the operator of this service.</p>
      )}
    </DashboardLayout>
  );
  return renderPage(c, document, error ? 400 : 200);
}

/** Handles `GET /dashboard/plan`. */
export function showPlan(c: PageContext): Promise<Response> {
  return renderPlanPage(c);
}

/** Handles `POST /dashboard/plan/checkout`. */
export async function doCheckout(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const billing = readBillingSettings(services.config);
  const form = await readForm(c);
  const plan = PLANS.find((name) => name === form.text("plan"));
  if (billing === null || plan === undefined) {
    return c.notFound();
  }
  const { userId } = signedIn.actor;
  const address = await runUseCase(() => startCheckout(services, billing, { userId, email: signedIn.email, plan }));
  return redirectOrShowError(c, address);
}

/** Handles `POST /dashboard/plan/portal`. */
export async function doPortal(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const billing = readBillingSettings(services.config);
  if (billing === null) {
    return c.notFound();
  }
  const address = await runUseCase(() => openPortal(services, billing, { userId: signedIn.actor.userId }));
  return redirectOrShowError(c, address);
}

function redirectOrShowError(
  c: PageContext,
  address: Awaited<ReturnType<typeof runUseCase<string>>>,
): Response | Promise<Response> {
  return address.ok ? c.redirect(address.value, 303) : renderPlanPage(c, address.error);
}

/**
 * Handles `POST /billing/events`, signed events of the payment provider. The provider sends an event again unless the
 * response is 2xx.
 */
export async function receivePaymentEvent(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const billing = readBillingSettings(services.config);
  if (billing === null) {
    return c.notFound();
  }
  const event = { body: await c.req.text(), signature: c.req.header("stripe-signature") ?? "" };
  const applied = await runUseCase(() => applyStripeEvent(services, billing, event));
  if (!applied.ok) {
    return c.json({ error: applied.error.message }, 400);
  }
  if (applied.value !== null) {
    const { userId, subscribed } = applied.value;
    // An event may arrive several times, so both calls must have the same effect when they are repeated.
    await (subscribed ? resumePostsForSubscription(services, [userId]) : pausePostsForSubscription(services, [userId]));
  }
  return c.json({ received: true });
}
