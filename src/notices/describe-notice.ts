import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import { ACCOUNT_POSTS_MAX } from "#posts/index.ts";
import type { Notice, NoticePost, NoticeSubject, NoticeText, NoticeWebhook } from "./types.ts";

/** Writes an instant as the reader is used to. */
export type FormatInstant = (instant: number) => string;

const MAX_PROBLEMS = 5;

function accountName({ platform, username }: { readonly platform: Platform; readonly username: string }): string {
  return `${PLATFORM_NAMES[platform]} (${username})`;
}

function postName({ firstWords }: NoticePost): string {
  return firstWords === "" ? "A post without text" : `“${firstWords}”`;
}

function countOfPosts(count: number): string {
  return count > ACCOUNT_POSTS_MAX
    ? `More than ${ACCOUNT_POSTS_MAX} posts`
    : `${count} ${count === 1 ? "post" : "posts"}`;
}

const nameOfWebhook = ({ description, url }: NoticeWebhook): string => (description === "" ? url : description);

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const WEBHOOK_REASONS = {
  gone: "Its receiver answered 410 Gone, which says that it wants no more events.",
  failing: "Nothing could be delivered to it for days.",
  access_ended:
    "Its address was chosen with an API key or by an app that has ended, or you ended it with the password.",
  user: "It was switched off in the dashboard or through the API.",
} as const;

function describePost(
  subject: Extract<NoticeSubject, { readonly kind: "post_failed" | "post_unconfirmed" }>,
  formatInstant: FormatInstant,
): NoticeText {
  const { kind, post, problems } = subject;
  const isFailed = kind === "post_failed";
  const reasons = problems
    .slice(0, MAX_PROBLEMS)
    .map((target) =>
      isFailed ? `${accountName(target)}: ${target.message ?? "it was not published."}` : accountName(target),
    );
  const more = problems.length - MAX_PROBLEMS;
  return {
    title: `${postName(post)} ${isFailed ? "was not published everywhere" : "may or may not be published"}`,
    lines: [
      `Scheduled for ${formatInstant(post.scheduledAt)}.`,
      ...reasons,
      ...(more > 0 ? [`${more} more on the page of the post.`] : []),
      isFailed
        ? "Repair the reason, then try again or change the post on its page."
        : "Look at the platform before you send it again: it may be there.",
    ],
    action: "Look at the post",
  };
}

function describeEndingLogin(
  subject: Extract<NoticeSubject, { readonly kind: "account_expires_soon" }>,
  formatInstant: FormatInstant,
): NoticeText {
  const { account, endsAt, postsAfter, firstPosts } = subject;
  const named = firstPosts.map((post) => `${postName(post)}, ${formatInstant(post.scheduledAt)}`);
  const more = Math.min(postsAfter, ACCOUNT_POSTS_MAX) - firstPosts.length;
  return {
    title: `The login of ${accountName(account)} ends on ${formatInstant(endsAt)}`,
    lines:
      postsAfter === 0
        ? ["No post after that needs it any more."]
        : [
            `${countOfPosts(postsAfter)} after that ${postsAfter === 1 ? "needs" : "need"} it:`,
            ...named,
            ...(more > 0 ? [`and ${postsAfter > ACCOUNT_POSTS_MAX ? "more than " : ""}${more} more.`] : []),
            "Connect the account again before then.",
          ],
    action: "Reconnect",
  };
}

function describeSubscription(
  { endsAt, isTrial }: Extract<NoticeSubject, { readonly kind: "subscription_ends" }>,
  formatInstant: FormatInstant,
): NoticeText {
  if (endsAt === null) {
    return {
      title: "Your subscription has ended",
      lines: ["The posts that were scheduled are paused. They continue when you choose a plan before their time."],
      action: "Choose a plan",
    };
  }
  const consequence = "Posts that are scheduled after that will be paused then.";
  return isTrial
    ? {
        title: `Your free trial ends on ${formatInstant(endsAt)}`,
        lines: [`${consequence} Choose a plan before then.`],
        action: "Choose a plan",
      }
    : {
        title: `The last payment failed, and your plan ends on ${formatInstant(endsAt)}`,
        lines: [`${consequence} Update the payment before then.`],
        action: "Update the payment",
      };
}

/** Describes a notice in plain sentences, for the dashboard and for mails: what happened and what to do. */
export function describeNotice({ subject }: Pick<Notice, "subject">, formatInstant: FormatInstant): NoticeText {
  switch (subject.kind) {
    case "post_failed":
    case "post_unconfirmed":
      return describePost(subject, formatInstant);
    case "account_needs_reconnect":
      return {
        title: `${accountName(subject.account)} needs a new login`,
        lines: [
          ...(subject.reason === null ? [] : [subject.reason]),
          "Posts that only this account would publish are paused until it is connected again.",
        ],
        action: "Reconnect",
      };
    case "account_expires_soon":
      return describeEndingLogin(subject, formatInstant);
    case "webhook_disabled":
      return {
        title: `The webhook ${nameOfWebhook(subject.webhook)} was disabled`,
        lines: [
          WEBHOOK_REASONS[subject.reason],
          ...(subject.webhook.description === "" ? [] : [subject.webhook.url]),
          subject.reason === "access_ended"
            ? "Enable it only if you know its address: what it missed can be sent."
            : "Repair the receiver, then enable the webhook: what it missed can be sent.",
        ],
        action: "Look at the webhook",
      };
    case "webhook_made":
      return {
        title: `The ${subject.by.kind === "key" ? "API key" : "app"} ${subject.by.name} sends your events to ${hostOf(subject.webhook.url)}`,
        lines: [
          `The webhook ${nameOfWebhook(subject.webhook)} sends the events of this workspace, with the texts of its posts, to ${subject.webhook.url}.`,
          "If you did not expect this, delete the webhook and revoke what made it.",
        ],
        action: "Look at the webhook",
      };
    case "subscription_ends":
      return describeSubscription(subject, formatInstant);
  }
}
