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

/** How long a person can change their mind. */
export const GRACE_MS = 7 * DAY;
/** The request does the work itself; if it is interrupted, the cron continues after this time. */
const TAKEN_OVER_AFTER_MS = 2 * MINUTE;

/** The page shows these consequences before the person requests the deletion. */
export interface DeletionConsequences {
  /** Scheduled posts that would be cancelled. */
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
  /** The e-mail address, typed again as a check. */
  readonly typedEmail: string;
  /** The last user or operator of the service confirms knowing what follows. */
  readonly acceptsLast: boolean;
}

/**
 * A person requests the deletion of their account. Everything that acts for them ends at once, and everything is erased a week later; until
 * then they can withdraw the request.
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
    // The request is stored, so the cron does the rest.
    log("error", "user_deletion_failed", { error: error instanceof Error ? error.name : typeof error });
  }
}

/**
 * For the operator (`npm run user`) and for a restore: writes only to the database. Keys, apps and sessions end now, and the cron does the
 * rest. False for an unknown user.
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
