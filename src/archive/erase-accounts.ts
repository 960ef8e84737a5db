import { undividedPostsDb } from "#db/client.ts";
import type { Services } from "#context.ts";
import { PartChanged, partKey, readPart, writePart } from "./part-file.ts";
import { selectPartsOfAccounts, updatePartSize } from "./store-parts.ts";
import type { ArchivedTargetRow, ArchivePart } from "./types.ts";

const TRIES = 5;

/** What is erased of a target: the same columns as of a target in the database. */
const ERASED = { username: "deleted", remote_id: null, remote_url: null, progress: null, history: "[]" };

/** Erases what archived posts hold of the platform's data about the person whose accounts these are. Safe to repeat. */
export async function eraseArchivedAccounts(
  services: Pick<Services, "db" | "bucket">,
  { workspaceIds, accountIds }: { readonly workspaceIds: readonly string[]; readonly accountIds: readonly string[] },
): Promise<void> {
  const accounts = new Set(accountIds);
  for (const part of await selectPartsOfAccounts(undividedPostsDb(services), workspaceIds, accountIds)) {
    await rewritePart(services, part, (target) =>
      accounts.has(target.account_id) ? { ...target, ...ERASED } : target,
    );
  }
}

/** Under the same key, so that the index of a database that is put back names the new content too. */
async function rewritePart(
  services: Pick<Services, "db" | "bucket">,
  part: ArchivePart,
  change: (target: ArchivedTargetRow) => ArchivedTargetRow,
): Promise<void> {
  const key = partKey(part);
  for (let attempt = 1; ; attempt += 1) {
    const { posts, version } = await readPart(services, key);
    const changed = posts.map(({ post, targets }) => ({ post, targets: targets.map(change) }));
    try {
      await updatePartSize(undividedPostsDb(services), part, await writePart(services, key, changed, version));
      return;
    } catch (error) {
      // A request about another person has rewritten it meanwhile.
      if (!(error instanceof PartChanged) || attempt === TRIES) {
        throw error;
      }
    }
  }
}
