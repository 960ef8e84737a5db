import type { Child, FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import { DateTime } from "#dashboard/layout/components.tsx";
import { type Display, formatDate, formatTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { FirstSteps } from "#dashboard/layout/first-steps.tsx";
import { PLAN_NAMES } from "#dashboard/wording/plan-labels.ts";
import type { Notice } from "#notices/index.ts";
import type { Overview } from "#posts/index.ts";
import { Attention } from "./attention.tsx";
import { HoursPlot } from "./hours-plot.tsx";
import { LatenessPlot } from "./lateness-plot.tsx";
import { OutcomesPlot } from "./outcomes-plot.tsx";
import { PostLine } from "./post-line.tsx";
import type { SubscriptionEnd } from "#dashboard/wording/subscription-end.ts";

interface OverviewPageProps {
  readonly signedIn: SignedInUser;
  readonly display: Display;
  readonly now: number;
  readonly overview: Overview;
  readonly notices: readonly Notice[];
  readonly subscriptionEnd: SubscriptionEnd | null;
  readonly docsUrl: string;
  /** What the service offers in a workspace without posts. */
  readonly offer: Child;
}

const NextPosts: FC<OverviewPageProps> = ({ overview, display, now }) => (
  <section class="card" aria-labelledby="next">
    <h2 id="next">Next posts</h2>
    {overview.nextPosts.length === 0 ? (
      <p>
        Nothing is scheduled. <a href="/dashboard/posts/new">Plan a post</a>
      </p>
    ) : (
      <>
        <ol class="plain-list next-posts">
          {overview.nextPosts.map((post) => (
            <li>
              <PostLine post={post} display={display} now={now} />
            </li>
          ))}
        </ol>
        <p>
          <a href="/dashboard">Open the calendar</a>
        </p>
      </>
    )}
  </section>
);

const PlanLink: FC<{ signedIn: SignedInUser }> = ({ signedIn }) => {
  const { subscription, actor, timeZone } = signedIn;
  const trialEnd = subscription?.status === "trialing" && actor.subscribed ? subscription.currentPeriodEnd : null;
  return (
    <>
      <a href="/dashboard/plan">{`Plan: ${PLAN_NAMES[actor.plan]}`}</a>
      {trialEnd !== null && (
        <>
          , free trial until <DateTime value={trialEnd} timeZone={timeZone} showTime={false} />
        </>
      )}
    </>
  );
};

export const OverviewPage: FC<OverviewPageProps> = (props) => {
  const { signedIn, display, now, overview, subscriptionEnd, docsUrl } = props;
  return (
    <DashboardLayout
      title="Overview"
      section="overview"
      signedIn={signedIn}
      lead={`${formatDate(wallTimeAt(display.timeZone, now).date, "long")}, ${formatTime(display, now)} in ${formatZone(display.timeZone, now)}`}
      hasLists={false}
      assets={{ styles: ["overview"] }}
    >
      <FirstSteps
        hasAccounts={overview.accounts.length > 0}
        history={overview}
        timeZone={display.timeZone}
        offer={props.offer}
      />
      <div class="overview-cards">
        <Attention
          overview={overview}
          subscriptionEnd={subscriptionEnd}
          display={display}
          now={now}
          pendingApprovals={signedIn.pendingApprovals}
          openNotices={signedIn.openNotices}
          notices={props.notices}
        />
        <NextPosts {...props} />
        {overview.hasPosts && (
          <>
            <OutcomesPlot overview={overview} />
            <HoursPlot overview={overview} display={display} now={now} />
            <LatenessPlot overview={overview} />
          </>
        )}
      </div>
      <p class="hint overview-links">
        <span>
          <PlanLink signedIn={signedIn} />
        </span>
        <a href="/dashboard/keys">API keys</a>
        <a href="/dashboard/apps">Connected apps</a>
        <a href={docsUrl}>Documentation</a>
      </p>
    </DashboardLayout>
  );
};
