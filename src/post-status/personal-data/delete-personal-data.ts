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

/** A deletion request that is open for this long (ms) was interrupted, or waited for a publishing post. */
const OPEN_AFTER_MS = 5 * MINUTE;
const DELETIONS_PER_RUN = 10;

/**
 * Disconnects a person's accounts and deletes what the platform said about the person: names, pictures, addresses and
 * ids, also in published posts and events. Captions and the record of publishing stay, because they belong to the
 * post's author. While a post of an account is publishing, the request stays open and the cron finishes it. Safe to
 * repeat.
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
  // Erase the targets before searching the archive: a post that is archived from now on no longer contains the data.
  await db.d1.batch(eraseTargetsStatements(db, accountIds, clock.now()));
  await eraseArchivedAccounts(services, { workspaceIds, accountIds });
  // Erase copies before the batch that completes the request. If a copy fails here, the cron repeats the request.
  const { subjectIds, webhookIds } = await findRecordedCopies(db, accountIds, workspaceIds);
  await Promise.all(webhookIds.map((id) => services.sender(id).erase(subjectIds)));
  await db.d1.batch([
    eraseEventsStatement(db, accountIds, workspaceIds),
    ...erasePersonStatements(db, deletion, accountIds, clock.now()),
  ]);
}

/** Finishes deletion requests that were interrupted, a limited number per run. */
export async function finishOpenDeletions(services: Services): Promise<void> {
  const open = await openDeletions(services.db, services.clock.now() - OPEN_AFTER_MS, DELETIONS_PER_RUN);
  for (const deletion of open) {
    await deletePersonalData(services, deletion);
  }
}
