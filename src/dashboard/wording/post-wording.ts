import { isCodeOf, type PausedReason, TARGET_ERRORS } from "#core/codes.ts";
import type { PostStatus, TargetStatus } from "#core/status.ts";
import { STATUS_LABELS } from "./status-labels.ts";
import type { Attempt, PostChange, TargetError } from "#posts/index.ts";

/* Words of the post page for statuses, pauses, errors and changes, as data. */

export const POST_STATUS_LABELS = { ...STATUS_LABELS, cancelled: "Cancelled" } as const satisfies Record<
  PostStatus,
  string
>;

export const TARGET_STATUS_LABELS = {
  pending: "Waiting",
  processing: "Being published",
  published: "Published",
  failed: "Failed",
  unconfirmed: "Unconfirmed",
  skipped: "Left out",
} as const satisfies Record<TargetStatus, string>;

/** What each kind of pause means, and who must act. */
export const PAUSED_SENTENCES = {
  user: "It was paused by hand and is not published until it is resumed.",
  subscription:
    "It was paused because the subscription ended. Choose a plan, and it is resumed if its time is still ahead.",
  account: "None of its accounts can be posted to. Connect one again, and it is resumed if its time is still ahead.",
  restored:
    "The database of this service was put back to an earlier state, so the post may be outdated or public already. Look at its accounts, then resume, edit or cancel it.",
} as const satisfies Record<PausedReason, string>;

const WHO_MUST_ACT = {
  user: "You have to act.",
  operator: "The operator of this service has to act.",
  platform: "The platform has to act; trying again later may help.",
  nobody: "Nobody has to act: it passes by itself.",
} as const satisfies Record<TargetError["whoMustAct"], string>;

/** Says who must act on a target's error, and what to do. */
export function adviceFor({ code, whoMustAct }: TargetError): string {
  const action = isCodeOf(TARGET_ERRORS, code) ? TARGET_ERRORS[code] : "";
  return `${WHO_MUST_ACT[whoMustAct]} ${action}`.trimEnd();
}

/** Whether reconnecting the account can solve a target's error. */
export function isLoginError({ category, code, whoMustAct }: TargetError): boolean {
  return whoMustAct === "user" && (category === "auth" || code === "missing_scope");
}

const ATTEMPT_WORDS: Readonly<Record<string, string>> = {
  "prepare ready": "Handed over to the platform, ready to be published",
  "prepare again": "The platform is processing it",
  "commit published": "Published",
  "commit accepted": "Accepted by the platform, which now publishes it",
  "commit more": "A part is public, the next one follows",
  "commit stale": "The platform no longer has what was prepared; prepared again",
  "commit uncertain": "No clear answer: it may be public, so it is looked for before anything is sent",
  "verify published": "Found at the platform: it is public",
  "verify again": "Not to be seen at the platform yet; looked for again",
  "verify accepted": "The platform is still publishing it",
  "verify absent": "Not at the platform: it is sent again",
  "verify more": "A part is public, the next one follows",
  "verify stale": "Not at the platform, which no longer has what was prepared; prepared again",
  "verify cannot_tell": "Could not be confirmed: it is never sent again by itself",
  "recover uncertain": "The service was interrupted: it is looked for before anything is sent",
  "claim missed_window": "Not sent: its time had passed by more than a day",
};

const STEP_WORDS: Readonly<Record<string, string>> = {
  access: "Using the login",
  claim: "Starting",
  commit: "Publishing",
  prepare: "Preparing",
  recover: "Continuing after an interruption",
  verify: "Looking for it at the platform",
};

const REFUSAL_WORDS: Readonly<Record<string, string>> = {
  rate_limited: "the platform asked to wait",
  reconnect: "the login no longer works",
  rejected: "the platform refused it",
  temporary: "the platform could not do it at the moment",
};

export function describeAttempt({ step, outcome }: Pick<Attempt, "step" | "outcome">): string {
  return (
    ATTEMPT_WORDS[`${step} ${outcome}`] ??
    `${STEP_WORDS[step] ?? "Publishing"}: ${REFUSAL_WORDS[outcome] ?? "this did not work"}`
  );
}

/** Says who changed a post: a person in the dashboard, an API key, an app or the service. */
export function describeAuthor({ via, by }: Pick<PostChange, "by" | "via">): string {
  if (by !== null) {
    return `by the ${by.kind === "key" ? "API key" : "app"} “${by.name}”`;
  }
  return via === null ? "by Almanac" : via === "dashboard" ? "in the dashboard" : "through the API";
}

export const CHANGE_LABELS = {
  edited: "Edited",
  paused: "Paused",
  resumed: "Resumed",
  cancelled: "Cancelled",
  retry_stopped: "Retry stopped",
  account_disconnected: "An account was disconnected and is left out",
  account_reconnected: "An account was connected again and takes part again",
} as const satisfies Record<PostChange["what"], string>;

const CHANGE_REASONS = {
  user: null,
  subscription: { paused: "because the subscription ended", resumed: "because there is a subscription again" },
  account: { paused: "because no account can be posted to", resumed: "because an account can be posted to again" },
  restored: { paused: "because the database was put back", resumed: "after the database was put back" },
} as const satisfies Record<PausedReason, { readonly paused: string; readonly resumed: string } | null>;

/** Says why the service paused or resumed a post. */
export function describeReason({ what, reason }: Pick<PostChange, "what" | "reason">): string {
  const reasons = reason === undefined ? null : CHANGE_REASONS[reason];
  return reasons === null ? "" : what === "resumed" ? reasons.resumed : reasons.paused;
}
