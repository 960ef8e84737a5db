import type { ArmHint } from "#core/arming.ts";
import { DAY, MINUTE } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import type { StoredAttempt, StoredTargetError } from "#db/schema.ts";
import type { Services } from "#context.ts";
import { armHintOf } from "#posting/arming/arm-posts.ts";
import { planHashOf } from "#posting/confirm/plan-hash.ts";
import { claimRow, missRow, type PublishRun, selectRun, takeOverRow } from "./store-run.ts";

/** A post found later than this after its time is not published any more. */
const MAX_LATE_MS = DAY;
/** How long a run may be silent before the reconciler looks after it. */
export const LEASE_MS = 5 * MINUTE;

export type Claim =
  /** P6, P8: this run publishes. `watchAt` is what D1 now holds. */
  | { readonly state: "mine"; readonly runId: string; readonly plan: PublishRun; readonly watchAt: number }
  /** P9: taken over from a run whose journal is lost: nothing may be sent before it was looked for. */
  | { readonly state: "taken_over"; readonly runId: string; readonly plan: PublishRun; readonly watchAt: number }
  /** P7: not yet; the hint says when. */
  | { readonly state: "early"; readonly hint: ArmHint }
  /** P10, P14: nothing to do. */
  | { readonly state: "over" };

/** Whoever starts to publish asks here first: the row alone knows whether the post is still to go out, and as what. */
export async function claimPost(
  services: Pick<Services, "db" | "clock" | "adapterFor" | "ids">,
  input: { postId: string; runId: string },
): Promise<Claim> {
  const { db } = services;
  const { postId, runId } = input;
  const now = services.clock.now();
  const watchAt = now + LEASE_MS;
  const notBefore = now - MAX_LATE_MS;
  await failpoint("claim.before_send");
  const plan = await claimRow(db, { postId, runId, now, notBefore, watchAt });
  await failpoint("claim.after_send");
  if (!plan) {
    return { state: "over" };
  }
  const { post } = plan;
  if (post.status === "scheduled") {
    if (post.scheduledAt > notBefore) {
      return { state: "early", hint: armHintOf(services, post) };
    }
    const { error, line } = missedWindow(now);
    await missRow(db, { postId, now, notBefore, error: JSON.stringify(error), line: JSON.stringify(line) });
    return { state: "over" };
  }
  if (post.status !== "publishing") {
    return { state: "over" };
  }
  if (post.runId === runId) {
    return { state: "mine", runId, plan, watchAt: post.watchAt ?? watchAt };
  }
  // A new id that no caller has: if the answer or the journal is lost, the next claim takes over again instead of
  // finding its own id and sending what this run's predecessor may have sent.
  const newRunId = services.ids.secretUuid();
  const taken = await takeOverRow(db, { postId, from: post.runId, runId: newRunId, watchAt });
  if (!taken) {
    throw new Error("another run took over the post at the same time");
  }
  return { state: "taken_over", runId: newRunId, plan: { ...plan, post: { ...post, runId: newRunId } }, watchAt };
}

/** The plan for early preparation; undefined unless the post is still to be published as `version`. */
export async function peekRun(
  services: Pick<Services, "db">,
  input: { postId: string; version: number },
): Promise<PublishRun | undefined> {
  const plan = await selectRun(services.db, input.postId);
  return plan?.post.status === "scheduled" && plan.post.version === input.version ? plan : undefined;
}

/** Whether the rows still are what was confirmed; anything else is never sent. */
export async function isAsConfirmed(plan: PublishRun): Promise<boolean> {
  const { postType, media, planHash } = plan.post;
  return (await planHashOf({ postType, media, targets: plan.targets })) === planHash;
}

function missedWindow(now: number): { error: StoredTargetError; line: StoredAttempt } {
  const message = "The time to publish passed by more than a day while the service could not publish.";
  return {
    error: {
      code: "missed_window",
      category: "internal",
      message,
      platformCode: null,
      retryable: true,
      whoMustAct: "user",
    },
    line: {
      at: now,
      step: "claim",
      outcome: "missed_window",
      httpStatus: null,
      platformCode: null,
      message,
      nextAttemptAt: null,
    },
  };
}
