import type { ArmHint } from "#core/arming.ts";
import { DAY, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { StoredAttempt, StoredTargetError } from "#db/schema.ts";
import type { Services } from "#context.ts";
import { armHintOf, RUN_LEASE_MS } from "#arming/arm-posts.ts";
import { nextDueAt } from "#arming/next-due-at.ts";
import { planHashOf } from "#planning/plan/plan-hash.ts";
import { setAsideStatements } from "#publisher/restore/store-set-aside.ts";
import {
  claimPostRow,
  failMissedPost,
  type PublishRun,
  type ReadAlongside,
  reclaimRow,
  selectPublishRun,
  takeOverRun,
} from "./store-run.ts";

/** A post may be claimed this long before it is due: it is then held, and its visible call leaves when it is due. */
export const CLAIM_AHEAD_MS = 2 * SECOND;
/** A post found later than this after its time is not published any more. */
const MAX_LATE_MS = DAY;

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
  /** P7 (claimed too early, or scheduled again after its run had ended): the hint says when it is due. */
  | { readonly state: "not_due"; readonly hint: ArmHint }
  /** Publishing is held, by the operator or because the database was put back; the object asks again later. */
  | { readonly state: "held" }
  /** P10 (the post has ended or must not be published) and P14 (more than a day late). */
  | { readonly state: "nothing_to_do" };

type ClaimServices = Pick<Services, "db" | "clock" | "adapterFor" | "config" | "ids">;

/** `version` is the one that the object was armed with, or whose run it continues: the row is never older, unless it was put back. */
interface ClaimInput {
  readonly postId: string;
  readonly workspaceId?: string | undefined;
  readonly runId: string;
  readonly version: number;
}

/**
 * The first call of every run, made shortly before the post is due; from here on it can be neither edited nor cancelled. Only the row decides whether the
 * post is still to be published, and with what content.
 */
export async function claimPost(
  services: ClaimServices,
  input: ClaimInput,
  alongside?: ReadAlongside,
): Promise<ClaimResult> {
  const { postId, runId, version } = input;
  const db = services.db;
  if (services.config.publishingHeld) {
    return { state: "held" };
  }
  const now = services.clock.now();
  const watchAt = now + RUN_LEASE_MS;
  const notBefore = now - MAX_LATE_MS;
  await failpoint("claim.before_send");
  // mutant: claim-at-any-time
  const dueBy = now + CLAIM_AHEAD_MS;
  const publishRun = await claimPostRow(db, { postId, runId, version, now, dueBy, notBefore }, alongside);
  await failpoint("claim.after_send");
  if (!publishRun) {
    return { state: "nothing_to_do" };
  }
  const { post } = publishRun;
  if (post.status === "scheduled") {
    if (publishRun.held) {
      return { state: "held" };
    }
    if (post.version < version) {
      return await setAside(services, publishRun, version);
    }
    if (nextDueAt(post.scheduledAt, publishRun.targets) > notBefore) {
      return { state: "not_due", hint: dueHintOf(services, publishRun) };
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
  return await ownOrTakeOver(services, publishRun, { ...input, renewRunId: false }, watchAt);
}

/**
 * Reads the post of a run that was claimed before. Never claims a newer version: a post that was scheduled again after the run had ended is
 * claimed under a new run id, because what the journal holds under the old one belongs to the older version. With `renewRunId` the run
 * goes on under a new id: a write of P17 (the post waits) whose answer was lost may still arrive, and must not release a run that sends.
 */
export async function continueRun(
  services: ClaimServices,
  { renewRunId, ...input }: ClaimInput & { readonly renewRunId: boolean },
): Promise<ClaimResult> {
  const { postId, version } = input;
  const db = services.db;
  const watchAt = services.clock.now() + RUN_LEASE_MS;
  await failpoint("claim.before_send");
  const publishRun = await selectPublishRun(db, postId);
  await failpoint("claim.after_send");
  if (!publishRun) {
    return { state: "nothing_to_do" };
  }
  const { post } = publishRun;
  if (post.status !== "scheduled") {
    return await ownOrTakeOver(services, publishRun, { ...input, renewRunId }, watchAt);
  }
  if (post.version > version) {
    return { state: "not_due", hint: dueHintOf(services, publishRun) };
  }
  // The row was put back to before this run's claim. The journal knows what was sent, so the run continues.
  if (publishRun.held || services.config.publishingHeld) {
    return { state: "held" };
  }
  if (post.version < version) {
    return await setAside(services, publishRun, version);
  }
  const runId = renewRunId ? services.ids.secretUuid() : input.runId;
  if (!(await reclaimRow(db, { postId, runId, version, watchAt }))) {
    throw new Error("the row changed while its run took it back");
  }
  return {
    state: "claimed",
    runId,
    publishRun: { ...publishRun, post: { ...post, status: "publishing", runId, watchAt } },
    watchAt,
  };
}

/** The row holds an older version than the object: what it says must not be sent. */
async function setAside(
  services: Pick<Services, "db" | "clock" | "ids">,
  { post }: PublishRun,
  knownVersion: number,
): Promise<ClaimResult> {
  const now = services.clock.now();
  const db = services.db;
  const lookUp = post.status === "publishing" || post.scheduledAt <= now;
  log("error", "publish.row_put_back", { postId: post.id, version: post.version, knownVersion, lookUp });
  await db.d1.batch(
    setAsideStatements(
      db,
      [{ id: post.id, version: post.version, knownVersion, lookUp, runId: services.ids.secretUuid() }],
      now,
    ),
  );
  return { state: "nothing_to_do" };
}

function dueHintOf(services: Pick<Services, "adapterFor">, { post, targets }: PublishRun): ArmHint {
  return armHintOf(services, { ...post, scheduledAt: nextDueAt(post.scheduledAt, targets) });
}

/** P8, P9 and P10. */
async function ownOrTakeOver(
  services: ClaimServices,
  publishRun: PublishRun,
  { runId, version, renewRunId }: ClaimInput & { readonly renewRunId: boolean },
  watchAt: number,
): Promise<ClaimResult> {
  const { post } = publishRun;
  if (post.status !== "publishing") {
    return { state: "nothing_to_do" };
  }
  const isOwn = post.runId === runId;
  if (isOwn && !renewRunId) {
    return { state: "claimed", runId, publishRun, watchAt: post.watchAt ?? watchAt };
  }
  if (publishRun.held || services.config.publishingHeld) {
    return { state: "held" };
  }
  if (post.version < version) {
    return await setAside(services, publishRun, version);
  }
  // A new id that no caller has: if the answer or the journal is lost, the next claim takes over again instead of
  // finding its own id and sending what this run's predecessor may have sent.
  // mutant: take-over-keeps-run-id
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
    state: isOwn ? "claimed" : "taken_over",
    runId: newRunId,
    publishRun: { ...publishRun, post: { ...post, runId: newRunId } },
    watchAt,
  };
}

/** What early preparation works with; undefined unless the post is still to be published as `version` and publishing is not held. */
export async function peekRun(
  services: Pick<Services, "config" | "db">,
  input: Omit<ClaimInput, "runId">,
): Promise<PublishRun | undefined> {
  if (services.config.publishingHeld) {
    return undefined;
  }
  const publishRun = await selectPublishRun(services.db, input.postId);
  const isCurrent = publishRun?.post.status === "scheduled" && publishRun.post.version === input.version;
  return isCurrent && !publishRun.held ? publishRun : undefined;
}

/** Whether the rows are still what was confirmed; anything else is never sent. */
export async function matchesConfirmedPlan(publishRun: PublishRun): Promise<boolean> {
  const { postType, media, planHash } = publishRun.post;
  // mutant: unconfirmed-content
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
