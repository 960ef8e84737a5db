import type { FC } from "hono/jsx";
import type { Account } from "#accounts/index.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import type { SchedulePreview } from "#planning/index.ts";
import { type Display, formatDate } from "#dashboard/wording/display.ts";
import type { SubscriptionEnd } from "#dashboard/wording/subscription-end.ts";

/**
 * Warns of what ends before the post's time and would prevent its publishing: logins, a trial, a plan without a
 * payment.
 */
export const EndsBefore: FC<{
  accounts: readonly Pick<Account, "id" | "platform" | "username" | "loginEndsAt">[];
  subscriptionEnd: SubscriptionEnd | null;
  preview: Pick<SchedulePreview, "scheduledAt" | "targets">;
  display: Display;
}> = ({ accounts, subscriptionEnd, preview, display }) => {
  const { targets } = preview;
  // A post that is published now is not affected by any end in the future.
  const scheduledAt = preview.scheduledAt === "now" ? 0 : preview.scheduledAt;
  const dateOf = (instant: number) => formatDate(wallTimeAt(display.timeZone, instant).date, "medium");
  const logins = targets.flatMap(({ accountId }) => {
    const account = accounts.find(({ id }) => id === accountId);
    return account && account.loginEndsAt !== null && account.loginEndsAt < scheduledAt
      ? [{ name: `${PLATFORM_NAMES[account.platform]} ${account.username}`, endsAt: account.loginEndsAt }]
      : [];
  });
  return (
    <>
      {logins.map(({ name, endsAt }) => (
        <p class="notice info">
          {`${name}: this login ends on ${dateOf(endsAt)}, before this post. `}
          <a href="/dashboard/accounts">Reconnect it in time</a>.
        </p>
      ))}
      {subscriptionEnd !== null && subscriptionEnd.at < scheduledAt && (
        <p class="notice info">
          {subscriptionEnd.isTrial
            ? `Your free trial ends on ${dateOf(subscriptionEnd.at)}. If you have no plan by then, this post is paused. `
            : `The last payment failed, and your plan ends on ${dateOf(subscriptionEnd.at)}. If it is not paid by then, this post is paused. `}
          <a href="/dashboard/plan">{subscriptionEnd.isTrial ? "Choose a plan" : "Update the payment"}</a>
        </p>
      )}
    </>
  );
};
