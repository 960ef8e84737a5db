import type { Child, FC } from "hono/jsx";
import { accountState } from "#dashboard/accounts/account-item.tsx";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import { type Display, formatDate, formatDateTime } from "#dashboard/wording/display.ts";
import type { PausedReason } from "#core/codes.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { ListedStatus } from "#core/status.ts";
import { addDays, wallTimeAt } from "#core/wall-time.ts";
import { describeNotice, type Notice } from "#notices/index.ts";
import type { AccountWithPosts, FailedPost, Overview, SkippedPosts, TargetProblem } from "#posts/index.ts";
import { PostLine } from "./post-line.tsx";
import type { SubscriptionEnd } from "#dashboard/wording/subscription-end.ts";

type AutomaticPause = Exclude<PausedReason, "user">;

/** Why the service paused posts, and where the user can solve it. */
const PAUSES = {
  account: { because: "no account of theirs can publish", href: "/dashboard/accounts", action: "Look at the accounts" },
  subscription: { because: "the subscription has ended", href: "/dashboard/plan", action: "Choose a plan" },
  restored: {
    because: "the database was put back, and they may be outdated",
    href: "/dashboard?view=list&status=paused",
    action: "Check them, then resume or cancel",
  },
} as const satisfies Record<AutomaticPause, { because: string; href: string; action: string }>;

function pauseOf(reason: PausedReason) {
  return reason === "user" ? null : PAUSES[reason];
}

const Item: FC<{ href: string; action: string; label?: string; children?: Child }> = (props) => (
  <li class="attention-item">
    <div>{props.children}</div>
    <a href={props.href} aria-label={props.label}>
      {props.action}
    </a>
  </li>
);

const AccountProblem: FC<{ account: AccountWithPosts; display: Display; now: number }> = ({
  account,
  display,
  now,
}) => {
  const { posts, loginEndsAt } = account;
  const isBlocked = accountState(account, now) === "blocked";
  return (
    <Item
      href={`/dashboard/accounts#account-${account.id}`}
      action="Reconnect"
      label={`Reconnect ${account.displayName}`}
    >
      <PlatformBadge platform={account.platform} /> <bdi>{account.displayName}</bdi>{" "}
      {isBlocked
        ? `needs a new login${posts.ahead > 0 ? `; ${countOf(posts.ahead, "post")} ahead ${posts.ahead === 1 ? "needs" : "need"} it` : ""}.`
        : `has a login that ends on ${formatDate(wallTimeAt(display.timeZone, loginEndsAt ?? 0).date, "medium")}; ${
            posts.afterLoginEnd === 0
              ? "no post after that needs it yet"
              : `${countOf(posts.afterLoginEnd, "post")} after that ${posts.afterLoginEnd === 1 ? "needs" : "need"} it`
          }.`}
    </Item>
  );
};

const MAX_PROBLEMS = 3;
const UNCONFIRMED = "it may be published; look at the platform before you send it again.";

/** Describes the problems of targets: one line for each reason, with the accounts that it concerns. */
function describeProblems(problems: readonly TargetProblem[]): readonly string[] {
  const accountsOf = new Map<string, string[]>();
  for (const { platform, username, status, message } of problems) {
    const reason = status === "unconfirmed" ? UNCONFIRMED : (message ?? "it was not published.");
    accountsOf.set(reason, [...(accountsOf.get(reason) ?? []), `${PLATFORM_NAMES[platform]} (${username})`]);
  }
  return [...accountsOf].map(([reason, accounts]) => `${accounts.join(", ")}: ${reason}`);
}

const FailedPostItem: FC<{ post: FailedPost; display: Display; now: number }> = ({ post, display, now }) => {
  const lines = describeProblems(post.problems);
  const isUnconfirmed = post.problems.length > 0 && post.problems.every(({ status }) => status === "unconfirmed");
  const state = isUnconfirmed ? "Unconfirmed" : post.status === "failed" ? "Failed" : "Partly failed";
  return (
    <li class="attention-post">
      <PostLine post={post} display={display} now={now} tag={<span class="tag blocked">{state}</span>} />
      <ul class="problems">
        {lines.slice(0, MAX_PROBLEMS).map((line) => (
          <li>{line}</li>
        ))}
        {lines.length > MAX_PROBLEMS && (
          <li>{`${countOf(lines.length - MAX_PROBLEMS, "more reason")} on the page of the post`}</li>
        )}
      </ul>
    </li>
  );
};

const SkippedPostsItem: FC<{ skipped: SkippedPosts }> = ({ skipped: { platform, count, postId } }) => (
  <Item href="/dashboard/accounts" action="Connect it again" label={`Connect ${PLATFORM_NAMES[platform]} again`}>
    {`${countOf(count, "post")} will not go to ${PLATFORM_NAMES[platform]}, whose account is disconnected. Connect it again or leave it out: `}
    <a href={`/dashboard/posts/${postId}`}>{count === 1 ? "look at the post" : "look at the first post"}</a>.
  </Item>
);

/** An item that warns of the end of a trial, or of the grace period after a failed payment. */
const SubscriptionEndItem: FC<{ end: SubscriptionEnd; count: number; display: Display }> = ({
  end: { at, isTrial },
  count,
  display,
}) => {
  const date = formatDate(wallTimeAt(display.timeZone, at).date, "medium");
  const posts = `${countOf(count, "post is", "posts are")} planned after that and will be paused then.`;
  return (
    <Item href="/dashboard/plan" action={isTrial ? "Choose a plan" : "Update the payment"}>
      {isTrial
        ? `Your free trial ends on ${date}; ${posts}`
        : `The last payment failed, and your plan ends on ${date}; ${posts}`}
    </Item>
  );
};

/** The accounts that cannot publish now, or whose login ends before posts that need it. */
function accountsWithProblems(overview: Overview, now: number): readonly AccountWithPosts[] {
  return overview.accounts.filter(
    (account) => accountState(account, now) !== "active" || account.posts.afterLoginEnd > 0,
  );
}

/** A list with more entries takes the height of two cards. */
const SHORT_LIST = 3;

const MAX_WEBHOOKS = 5;

/**
 * An item for a notice about a webhook. All other kinds of notices are left out, because the overview already shows
 * their causes.
 */
const WebhookItem: FC<{ notice: Notice; display: Display }> = ({ notice, display }) => {
  const { title, action } = describeNotice(notice, (instant) => formatDateTime(display, instant));
  return (
    <Item href={notice.path} action={action} label={`${action}: ${title}`}>
      <bdi>{title}</bdi> <small>{formatDateTime(display, notice.at)}</small>
    </Item>
  );
};

/** Lists everything that the person must act on, each with a link. If there is nothing, one sentence says so. */
export const Attention: FC<{
  overview: Overview;
  subscriptionEnd: SubscriptionEnd | null;
  display: Display;
  now: number;
  pendingApprovals: number;
  openNotices: number;
  notices: readonly Notice[];
}> = ({ overview, subscriptionEnd, display, now, pendingApprovals, openNotices, notices }) => {
  const webhooks = notices.filter(({ kind }) => kind === "webhook_disabled").slice(0, MAX_WEBHOOKS);
  const accounts = accountsWithProblems(overview, now);
  const { failedPosts, pausedPosts, skippedPosts, postsAfterSubscription } = overview;
  const end = postsAfterSubscription > 0 ? subscriptionEnd : null;
  const count =
    accounts.length +
    webhooks.length +
    failedPosts.length +
    pausedPosts.length +
    skippedPosts.length +
    (end === null ? 0 : 1) +
    (pendingApprovals === 0 ? 0 : 1);
  const isCalm = count === 0;
  // The list view of the calendar shows four weeks from its date on, so begin 27 days ago to include today.
  const listFrom = addDays(wallTimeAt(display.timeZone, now).date, -27);
  const listHref = (status: ListedStatus) => `/dashboard?view=list&date=${listFrom}&status=${status}`;
  const isLong = count > SHORT_LIST;
  return (
    <section class={isLong ? "card long" : "card"} aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {isCalm && openNotices === 0 && <p class="calm">Nothing needs your attention.</p>}
      {!isCalm && (
        <ul class="attention">
          {pendingApprovals > 0 && (
            <Item href="/approvals" action="Look and decide">
              {`${countOf(pendingApprovals, "request waits", "requests wait")} for your approval: nothing is scheduled or changed before you decide.`}
            </Item>
          )}
          {accounts.map((account) => (
            <AccountProblem account={account} display={display} now={now} />
          ))}
          {end !== null && <SubscriptionEndItem end={end} count={postsAfterSubscription} display={display} />}
          {webhooks.map((notice) => (
            <WebhookItem notice={notice} display={display} />
          ))}
          {skippedPosts.map((skipped) => (
            <SkippedPostsItem skipped={skipped} />
          ))}
          {pausedPosts.map(({ reason, count }) => {
            const pause = pauseOf(reason);
            return (
              pause && (
                <Item href={pause.href} action={pause.action}>
                  {`${countOf(count, "post is", "posts are")} paused, because ${pause.because}.`}
                </Item>
              )
            );
          })}
          {failedPosts.map((post) => (
            <FailedPostItem post={post} display={display} now={now} />
          ))}
        </ul>
      )}
      {openNotices > 0 && (
        <p>
          <a href="/notices">{openNotices < 100 ? countOf(openNotices, "notice") : "More than 99 notices"}</a>, with
          what to do about each.
        </p>
      )}
      {overview.hasMoreFailedPosts && (
        <p>
          More failed in the last weeks: <a href={listHref("failed")}>failed</a> and{" "}
          <a href={listHref("partially_failed")}>partly failed</a> posts.
        </p>
      )}
    </section>
  );
};
