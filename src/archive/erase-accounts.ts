import type { Services } from "#context.ts";
import { ARCHIVE_PREFIX, PartChanged, partIdOf, partKey, PartMissing, readPart, writePart } from "./part-file.ts";
import { selectPartIdsOfWorkspace, selectPartsOfAccounts, updatePartSize } from "./store-parts.ts";
import type { ArchivedTargetRow } from "./types.ts";

const TRIES = 5;

/** What is erased of a target: the same columns as of a target in the database. */
const ERASED = { username: "deleted", remote_id: null, remote_url: null, progress: null, extras: null, history: "[]" };

/**
 * Erases what archived posts hold of the platform's data about the person whose accounts these are, also in files that the index does not
 * name: those of interrupted runs and of a database that was put back. Safe to repeat.
 */
export async function eraseArchivedAccounts(
  services: Pick<Services, "db" | "bucket">,
  { workspaceIds, accountIds }: { readonly workspaceIds: readonly string[]; readonly accountIds: readonly string[] },
): Promise<void> {
  const accounts = new Set(accountIds);
  const db = services.db;
  const indexed = await selectPartsOfAccounts(db, workspaceIds, accountIds);
  for (const part of indexed) {
    const sizeBytes = await rewritePart(services, partKey(part), accounts);
    await (sizeBytes === null ? null : updatePartSize(db, part, sizeBytes));
  }
  for (const workspaceId of workspaceIds) {
    for (const key of await findUnindexed(services, workspaceId)) {
      await rewriteUnindexed(services, key, accounts);
    }
  }
}

/** The files of the workspace without a row. What is written from here on holds targets that are erased already. */
async function findUnindexed(
  services: Pick<Services, "db" | "bucket">,
  workspaceId: string,
): Promise<readonly string[]> {
  const keys = await listFiles(services.bucket, workspaceId);
  // Read after the list: the row of a part follows its file.
  const named = keys.length === 0 ? new Set() : await selectPartIdsOfWorkspace(services.db, workspaceId);
  return keys.filter((key) => !named.has(partIdOf(key)));
}

async function listFiles(bucket: Services["bucket"], workspaceId: string): Promise<readonly string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const listed = await bucket.list({
      prefix: `${ARCHIVE_PREFIX}${workspaceId}/`,
      ...(cursor !== undefined && { cursor }),
    });
    keys.push(...listed.objects.map(({ key }) => key));
    cursor = listed.truncated ? listed.cursor : undefined;
  } while (cursor !== undefined);
  return keys;
}

/** A file of a move that fails meanwhile is deleted by the move itself. */
async function rewriteUnindexed(
  services: Pick<Services, "bucket">,
  key: string,
  accounts: ReadonlySet<string>,
): Promise<void> {
  try {
    await rewritePart(services, key, accounts);
  } catch (error) {
    if (!(error instanceof PartMissing)) {
      throw error;
    }
  }
}

/** Under the same key, so that the index of a database that is put back names the new content too. Null when nothing was to be erased. */
async function rewritePart(
  services: Pick<Services, "bucket">,
  key: string,
  accounts: ReadonlySet<string>,
): Promise<number | null> {
  for (let attempt = 1; ; attempt += 1) {
    const { posts, version } = await readPart(services, key);
    if (!posts.some(({ targets }) => targets.some(({ account_id }) => accounts.has(account_id)))) {
      return null;
    }
    const erase = (target: ArchivedTargetRow) => (accounts.has(target.account_id) ? { ...target, ...ERASED } : target);
    const changed = posts.map((post) => ({ ...post, targets: post.targets.map(erase) }));
    try {
      return await writePart(services, key, changed, version);
    } catch (error) {
      // A request about another person has rewritten it meanwhile.
      if (!(error instanceof PartChanged) || attempt === TRIES) {
        throw error;
      }
    }
  }
}
