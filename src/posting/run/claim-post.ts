import type { ArmHint } from "#core/arming.ts";
import { DAY, MINUTE } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import type { StoredAttempt, StoredTargetError } from "#db/schema.ts";
import type { Services } from "#context.ts";
import { armHintOf } from "#posting/arming/arm-posts.ts";
import { planHashOf } from "#posting/confirm/plan-hash.ts";
import { claimPostRow, failMissedPost, type PublishRun, selectPublishRun, takeOverRun } from "./store-run.ts";

/** A post found later than this after its time is not published any more. */
const MAX_LATE_MS = DAY;
/** How long a run may be silent before the reconciler wakes its object. */
export const RUN_LEASE_MS = 5 * MINUTE;

export type ClaimResult =
  /** P6 (claim) and P8 (repeated claim of the same run): this run publishes. `watchAt` is what D1 now holds. */
  | {
      readonly state: "claimed";
      readonly runId: string;
      readonly publishRun: PublishRun;
      readonly watchAt: number;
    }
  /** P9 (take-over of a run whose journal is lost): every open target is verified before anything is sent. */
  | {
      readonly state: "taken_over";
      readonly runId: string;
      readonly publishRun: PublishRun;
      readonly watchAt: number;
    }
  /** P7 (claimed before its time, or scheduled again after its run had ended): the hint says when it is due. */
  | { readonly state: "not_due"; readonly hint: ArmHint }
  /** P10 (the post has ended or must not be published) and P14 (more than a day late). */
  | { readonly state: "nothing_to_do" };

type ClaimServices = Pick<Services, "db" | "clock" | "adapterFor" | "ids">;

/** The first call of every run: only the row decides whether the post is still to be published, and with what content. */
export async function claimPost(
  services: ClaimServices,
  input: { postId: string; runId: string },
): Promise<ClaimResult> {
  const { db } = services;
  const { postId, runId } = input;
  const now = services.clock.now();
  const watchAt = now + RUN_LEASE_MS;
  const notBefore = now - MAX_LATE_MS;
  await failpoint("claim.before_send");
  const publishRun = await claimPostRow(db, { postId, runId, now, notBefore, watchAt });
  await failpoint("claim.after_send");
  if (!publishRun) {
    return { state: "nothing_to_do" };
  }
  const { post } = publishRun;
  if (post.status === "scheduled") {
    if (post.scheduledAt > notBefore) {
      return { state: "not_due", hint: armHintOf(services, post) };
    }
    const { error, historyEntry } = missedWindowRecord(now);
    await failMissedPost(db, {
      postId,
      now,
      notBefore,
      error: JSON.stringify(error),
      historyEntry: JSON.stringify(historyEntry),
    });
    return { state: "nothing_to_do" };
  }
  return await ownOrTakeOver(services, publishRun, runId, watchAt);
}

/**
 * Reads the post of a run that was claimed before. Never claims: a post that was scheduled again after the run had ended is
 * claimed under a new run id, because what the journal holds under the old one belongs to the older version.
 */
export async function continueRun(
  services: ClaimServices,
  { postId, runId }: { postId: string; runId: string },
): Promise<ClaimResult> {
  const watchAt = services.clock.now() + RUN_LEASE_MS;
  await failpoint("claim.before_send");
  const publishRun = await selectPublishRun(services.db, postId);
  await failpoint("claim.after_send");
  if (!publishRun) {
    return { state: "nothing_to_do" };
  }
  return publishRun.post.status === "scheduled"
    ? { state: "not_due", hint: armHintOf(services, publishRun.post) }
    : await ownOrTakeOver(services, publishRun, runId, watchAt);
}

/** P8, P9 and P10. */
async function ownOrTakeOver(
  services: ClaimServices,
  publishRun: PublishRun,
  runId: string,
  watchAt: number,
): Promise<ClaimResult> {
  const { post } = publishRun;
  if (post.status !== "publishing") {
    return { state: "nothing_to_do" };
  }
  if (post.runId === runId) {
    return { state: "claimed", runId, publishRun, watchAt: post.watchAt ?? watchAt };
  }
  // A new id that no caller has: if the answer or the journal is lost, the next claim takes over again instead of
  // finding its own id and sending what this run's predecessor may have sent.
  const newRunId = services.ids.secretUuid();
  const isTakenOver = await takeOverRun(services.db, {
    postId: post.id,
    previousRunId: post.runId,
    runId: newRunId,
    watchAt,
  });
  if (!isTakenOver) {
    throw new Error("another run took over the post at the same time");
  }
  return {
    state: "taken_over",
    runId: newRunId,
    publishRun: { ...publishRun, post: { ...post, runId: newRunId } },
    watchAt,
  };
}

/** What early preparation works with; undefined unless the post is still to be published as `version`. */
export async function peekRun(
  services: Pick<Services, "db">,
  input: { postId: string; version: number },
): Promise<PublishRun | undefined> {
  const publishRun = await selectPublishRun(services.db, input.postId);
  return publishRun?.post.status === "scheduled" && publishRun.post.version === input.version ? publishRun : undefined;
}

/** Whether the rows are still what was confirmed; anything else is never sent. */
export async function matchesConfirmedPlan(publishRun: PublishRun): Promise<boolean> {
  const { postType, media, planHash } = publishRun.post;
  return (await planHashOf({ postType, media, targets: publishRun.targets })) === planHash;
}

function missedWindowRecord(now: number): { error: StoredTargetError; historyEntry: StoredAttempt } {
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
    historyEntry: {
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
