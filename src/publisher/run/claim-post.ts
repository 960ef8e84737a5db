import type { ArmHint } from "#core/arming.ts";
import { DAY, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { StoredAttempt, StoredTargetError } from "#db/schema.ts";
import type { Services } from "#context.ts";
import { armHintOf, RUN_LEASE_MS } from "#arming/arm-posts.ts";
import { nextDueAt } from "#arming/store-next-due-at.ts";
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

/** How long (ms) before its due time an object may claim its post. The claimed post then waits for its due time. */
export const CLAIM_AHEAD_MS = 2 * SECOND;
/** A post that is found later than this (ms) after its due time is not published. */
const MAX_LATE_MS = DAY;

export type ClaimResult =
  /** This run publishes: it claimed the post (P6), or repeated its own claim (P8). `watchAt` is the value in D1. */
  | {
      readonly state: "claimed";
      readonly runId: string;
      readonly publishRun: PublishRun;
      readonly watchAt: number;
    }
  /**
   * This run takes over from a run whose journal is lost (P9). It verifies every open target before it sends anything.
   */
  | {
      readonly state: "taken_over";
      readonly runId: string;
      readonly publishRun: PublishRun;
      readonly watchAt: number;
    }
  /** The post was claimed too early, or was scheduled again after its run ended (P7). The hint has the due time. */
  | { readonly state: "not_due"; readonly hint: ArmHint }
  /** The operator or a restore holds publishing, so the object asks again later. */
  | { readonly state: "held" }
  /** The post has ended or must not be published (P10), or is more than a day late (P14). */
  | { readonly state: "nothing_to_do" };

type ClaimServices = Pick<Services, "db" | "clock" | "adapterFor" | "config" | "ids">;

/**
 * What a claim needs. `version` is the one for which the object was armed, or whose run it continues. The row is older
 * only after a restore.
 */
interface ClaimInput {
  readonly postId: string;
  readonly runId: string;
  readonly version: number;
}

/**
 * Claims a post shortly before it is due; from then on nobody can edit or cancel it. Only the row decides whether the
 * post is published, and with what content.
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
 * Reads the post of a run that has claimed it, but never a newer version: the journal of the run belongs to the older
 * one, so a new run must claim a post that was scheduled again. `renewRunId` gives the run a new id. A lost write that
 * released the post until its next try (P17) may still arrive, and must not release a run that sends.
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
  // A restore put the row back to before this run's claim. The journal knows what the run has sent, so the run
  // continues.
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

/** Handles a row that is older than the version which the object knows. It must not be sent. */
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

/** Decides about a post that another run has claimed (P8, P9, P10). */
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
  // Take over under a new id. With the same id, a claim after a lost answer or journal would not take over, and would
  // send what the lost run may have sent.
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

/**
 * Reads the post for early preparation. Undefined if its version has changed, if it is not scheduled, or while
 * publishing is held.
 */
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

/** Whether the rows are what the confirm wrote. If not, nothing of them is sent. */
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
