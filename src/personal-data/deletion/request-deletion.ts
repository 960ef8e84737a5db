import { requireRecentAuthentication, type SignedInUser } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { DAY, MINUTE } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import { log } from "#core/log.ts";
import { countWaitingPosts } from "#post-status/index.ts";
import { selectWorkspaceIds } from "#personal-data/store-workspaces.ts";
import { lastOf, type LastOf } from "./store-recipient.ts";
import { findUserDeletion, insertDeletion } from "./store-user-deletions.ts";
import { startDeletion } from "./start-deletion.ts";

/** How long (ms) a person can withdraw the request. */
export const GRACE_MS = 7 * DAY;
/** After how long (ms) the cron takes over the work of a request that was interrupted. */
const TAKEN_OVER_AFTER_MS = 2 * MINUTE;

/** What a deletion would end. The page shows it before the person requests the deletion. */
export interface DeletionConsequences {
  /** How many scheduled posts would be cancelled. */
  readonly waitingPosts: number;
  /** Set if the service would lose its last user or operator. */
  readonly lastOf: LastOf | null;
}

export async function deletionConsequences(
  services: Pick<Services, "db">,
  userId: string,
): Promise<DeletionConsequences> {
  const workspaceIds = await selectWorkspaceIds(services.db, userId);
  return {
    waitingPosts: await countWaitingPosts(services, workspaceIds),
    lastOf: await lastOf(services.db, userId),
  };
}

export interface DeletionRequest {
  readonly password: string;
  /** The e-mail address, which the person types again as a check. */
  readonly typedEmail: string;
  /** Whether the last user or operator of the service has confirmed to know the consequences. */
  readonly acceptsLast: boolean;
}

/**
 * Requests the deletion of the actor's own account. Everything that acts for the person ends at once. Everything is
 * erased a week later, and until then the person can withdraw the request.
 */
export async function requestDeletion(
  services: Services,
  session: SignedInUser,
  { password, typedEmail, acceptsLast }: DeletionRequest,
): Promise<void> {
  const { db, clock } = services;
  const { userId, credential } = session.actor;
  if (typedEmail.trim().toLowerCase() !== session.email) {
    refuse({ code: "invalid_request", message: "type your e-mail address as it stands above", param: "typed_email" });
  }
  if (!acceptsLast && (await lastOf(db, userId)) !== null) {
    refuse({
      code: "invalid_request",
      message: "this service would be left without its last user or operator: confirm that you know what follows",
      param: "accepts_last",
    });
  }
  await requireRecentAuthentication(services, session, { password });
  const now = clock.now();
  await insertDeletion(db, {
    userId,
    requestedBy: "person",
    now,
    dueAt: now + GRACE_MS,
    nextRunAt: now + TAKEN_OVER_AFTER_MS,
    keptSession: credential.id,
  });
  const deletion = await findUserDeletion(db, userId);
  try {
    await (deletion === null ? null : startDeletion(services, deletion));
  } catch (error) {
    // The request is stored, so the cron does the work that failed here.
    log("error", "user_deletion_failed", { error: error instanceof Error ? error.name : typeof error });
  }
}

/**
 * Requests the deletion of a user, for the operator (`npm run user`) and after a restore. It only writes to the
 * database: keys, apps and sessions end now, and the cron does the rest. False for an unknown user.
 */
export async function requestDeletionOf(
  { db, clock }: Pick<Services, "db" | "clock">,
  {
    userId,
    requestedBy,
    graceMs,
  }: { readonly userId: string; readonly requestedBy: "operator" | "restore"; readonly graceMs: number },
): Promise<boolean> {
  const now = clock.now();
  return await insertDeletion(db, {
    userId,
    requestedBy,
    now,
    dueAt: now + graceMs,
    nextRunAt: now,
    keptSession: null,
  });
}
