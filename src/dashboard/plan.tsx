import type { FC } from "hono/jsx";
import type { SignedIn } from "#auth/index.ts";
import { applyStripeEvent, billingOf, openPortal, startCheckout } from "#auth/billing/index.ts";
import { GRACE_DAYS, type Plan, PLANS } from "#core/plan.ts";
import type { Config } from "#config.ts";
import { pauseForSubscription, resumeForSubscription } from "#posting/status/pause-for-subscription.ts";
import type { PageContext } from "./env.ts";
import { readForm, tryVerb } from "./form.ts";
import { allowPayment } from "./headers.ts";
import { Room } from "./layout.tsx";
import { type FormProblem, Instant, Notice, Problem } from "./parts.tsx";
import { PLAN_NAMES, planFacts } from "./plan-words.ts";
import { render } from "./render.ts";

const Standing: FC<{ signedIn: SignedIn; config: Config; canPay: boolean }> = ({ signedIn, config, canPay }) => {
  const { subscription, actor, timeZone } = signedIn;
  const plan = PLAN_NAMES[actor.plan];
  const until = subscription?.currentPeriodEnd ?? null;
  const end = until === null ? null : <Instant at={until} timeZone={timeZone} />;
  if (config.planForAll !== null) {
    return <Notice kind="good">Everybody here has the {plan} plan.</Notice>;
  }
  if (!actor.subscribed) {
    return (
      <Notice kind="bad">
        Your {subscription?.status === "trialing" ? "trial" : "subscription"} has ended. The API answers 403 and
        scheduled posts are paused; they go on, if their time is still ahead, as soon as you{" "}
        {canPay ? "choose a plan" : "have a plan again: ask the operator of this service"}.
      </Notice>
    );
  }
  switch (subscription?.status) {
    case "trialing":
      return (
        <Notice kind="note">
          You are trying the {plan} plan for free until {end}.
        </Notice>
      );
    case "past_due":
      return (
        <Notice kind="bad">
          The last payment failed. Everything works for {GRACE_DAYS} days, until {end}; please update your card.
        </Notice>
      );
    default:
      return (
        <Notice kind="good">
          You are on the {plan} plan.{end !== null && <> The paid period runs to {end}.</>}
        </Notice>
      );
  }
};

const PlanCard: FC<{ plan: Plan; mine: boolean; offer: "none" | "choose" }> = ({ plan, mine, offer }) => (
  <li class={mine ? "card plan-card mine" : "card plan-card"}>
    <h2>
      {PLAN_NAMES[plan]} {mine && <span class="tag live">Yours</span>}
    </h2>
    <ul class="plain">
      {planFacts(plan).map((fact) => (
        <li>{fact}</li>
      ))}
    </ul>
    {offer === "choose" && (
      <form method="post" action="/dashboard/plan/checkout">
        <button class={mine ? "" : "quiet"} name="plan" value={plan}>{`Choose ${PLAN_NAMES[plan]}`}</button>
      </form>
    )}
  </li>
);

async function page(c: PageContext, problem?: FormProblem): Promise<Response> {
  allowPayment(c);
  const { services, signedIn } = c.var;
  const billing = billingOf(services.config);
  const status = signedIn.subscription?.status;
  const pays = status === "active" || status === "past_due";
  const offer = billing !== null && !pays ? "choose" : "none";
  const document = (
    <Room title="Plan" section="plan" signedIn={signedIn}>
      {c.req.query("done") === "paid" && (
        <Notice kind="good">
          Thank you. Your plan is active as soon as the payment is confirmed, usually within seconds.
        </Notice>
      )}
      <Problem problem={problem} />
      <Standing signedIn={signedIn} config={services.config} canPay={billing !== null} />
      <ul class="plan-cards">
        {PLANS.map((plan) => (
          <PlanCard plan={plan} mine={plan === signedIn.actor.plan} offer={offer} />
        ))}
      </ul>
      {billing !== null && pays && (
        <form method="post" action="/dashboard/plan/portal">
          <button>Manage payment</button>
        </form>
      )}
      {billing === null && services.config.planForAll === null && (
        <p class="hint">Plans are set by the operator of this service.</p>
      )}
    </Room>
  );
  return render(c, document, problem ? 400 : 200);
}

/** `GET /dashboard/plan` */
export function showPlan(c: PageContext): Promise<Response> {
  return page(c);
}

/** `POST /dashboard/plan/checkout` */
export async function doCheckout(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const billing = billingOf(services.config);
  const form = await readForm(c);
  const plan = PLANS.find((word) => word === form.text("plan"));
  if (billing === null || plan === undefined) {
    return c.notFound();
  }
  const { userId } = signedIn.actor;
  const address = await tryVerb(() => startCheckout(services, billing, { userId, email: signedIn.email, plan }));
  return leave(c, address);
}

/** `POST /dashboard/plan/portal` */
export async function doPortal(c: PageContext): Promise<Response> {
  const { services, signedIn } = c.var;
  const billing = billingOf(services.config);
  if (billing === null) {
    return c.notFound();
  }
  const address = await tryVerb(() => openPortal(services, billing, { userId: signedIn.actor.userId }));
  return leave(c, address);
}

function leave(c: PageContext, address: Awaited<ReturnType<typeof tryVerb<string>>>): Response | Promise<Response> {
  return address.ok ? c.redirect(address.value, 303) : page(c, address.problem);
}

/** `POST /billing/events`: signed events of the payment provider. Anything but a 2xx is sent again, which is what a fault wants. */
export async function takePaymentEvent(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const billing = billingOf(services.config);
  if (billing === null) {
    return c.notFound();
  }
  const event = { body: await c.req.text(), signature: c.req.header("stripe-signature") ?? "" };
  const applied = await tryVerb(() => applyStripeEvent(services, billing, event));
  if (!applied.ok) {
    return c.json({ error: applied.problem.message }, 400);
  }
  if (applied.value !== null) {
    const { userId, subscribed } = applied.value;
    // Both are harmless when there is nothing to do, so that an event may come as often as it likes.
    await (subscribed ? resumeForSubscription(services, [userId]) : pauseForSubscription(services, [userId]));
  }
  return c.json({ received: true });
}
