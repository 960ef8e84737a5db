import { eraseArchivedAccounts } from "#archive/index.ts";
import { accountsOfPerson, erasePersonStatements, type OpenDeletion, openDeletions } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import { disconnectOnce } from "#post-status/accounts/disconnect-account.ts";
import {
  eraseEventsStatement,
  eraseTargetsStatements,
  findRecordedCopies,
  hasTargetInProgress,
} from "./store-personal-data.ts";

/** A request that is older and still open was interrupted, or waited for a post in progress. */
const OPEN_AFTER_MS = 5 * MINUTE;
const DELETIONS_PER_RUN = 10;

/**
 * Disconnects the person's accounts and deletes what the platform told about the person: names, pictures, addresses and ids,
 * those of published posts and of events among them. Captions and the record that a post was published stay, because they belong to the post's
 * author. While a post of an account is being published, the request stays open and the cron finishes it. Safe to repeat.
 */
export async function deletePersonalData(services: Services, deletion: OpenDeletion): Promise<void> {
  const { clock } = services;
  const db = services.db;
  const accounts = await accountsOfPerson(db, deletion);
  for (const { id, userId, workspaceId } of accounts.filter(({ isConnected }) => isConnected)) {
    await disconnectOnce({ ...services, actor: { userId, workspaceId } }, id);
  }
  const accountIds = accounts.map(({ id }) => id);
  if (await hasTargetInProgress(db, accountIds)) {
    return;
  }
  const workspaceIds = [...new Set(accounts.map(({ workspaceId }) => workspaceId))];
  // First, so that no post that still holds the data can be archived from here on; the archive is searched after it.
  await db.d1.batch(eraseTargetsStatements(db, accountIds, clock.now()));
  await eraseArchivedAccounts(services, { workspaceIds, accountIds });
  // Before the batch, which completes the request: one that fails here is repeated by the cron.
  const { subjectIds, webhookIds } = await findRecordedCopies(db, accountIds, workspaceIds);
  await Promise.all(webhookIds.map((id) => services.sender(id).erase(subjectIds)));
  await db.d1.batch([
    eraseEventsStatement(db, accountIds, workspaceIds),
    ...erasePersonStatements(db, deletion, accountIds, clock.now()),
  ]);
}

/** Finishes requests that were interrupted, a bounded number per run. */
export async function finishOpenDeletions(services: Services): Promise<void> {
  const open = await openDeletions(services.db, services.clock.now() - OPEN_AFTER_MS, DELETIONS_PER_RUN);
  for (const deletion of open) {
    await deletePersonalData(services, deletion);
  }
}
