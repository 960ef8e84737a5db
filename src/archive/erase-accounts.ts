import type { Services } from "#context.ts";
import { ARCHIVE_PREFIX, PartChanged, partIdOf, partKey, PartMissing, readPart, writePart } from "./part-file.ts";
import { selectPartIdsOfWorkspace, selectPartsOfAccounts, updatePartSize } from "./store-parts.ts";
import type { ArchivedTargetRow } from "./types.ts";

const TRIES = 5;

/**
 * The columns of an archived target that name a person, with the values that erase them. Targets in the database get
 * the same values.
 */
const ERASED = { username: "deleted", remote_id: null, remote_url: null, progress: null, extras: null, history: "[]" };

/**
 * Erases a platform's data about the person of these accounts from archived posts. It also rewrites files that the
 * index does not list: those of interrupted runs and of a restored database. Safe to repeat.
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

/**
 * Finds archive files of the workspace that the index does not list. Files written from now on contain only erased
 * targets.
 */
async function findUnindexed(
  services: Pick<Services, "db" | "bucket">,
  workspaceId: string,
): Promise<readonly string[]> {
  const keys = await listFiles(services.bucket, workspaceId);
  // Read the index after the list of files: the file of a part is written before its row, so the other order would call
  // a new file unindexed.
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

/**
 * Erases the person from files that the index does not list. If the move that wrote such a file fails, that move
 * deletes the file itself.
 */
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

/**
 * Erases the person from a part and keeps its R2 key, so that the index of a restored database points to the new
 * content. Null if there was nothing to erase.
 */
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
      // A parallel request about another person has rewritten the same part, so read it and try again.
      if (!(error instanceof PartChanged) || attempt === TRIES) {
        throw error;
      }
    }
  }
}
