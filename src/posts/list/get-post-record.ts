import { findArchived } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { batch } from "#db/batch.ts";
import { refusePostNotFound } from "#posts/rows/refuse.ts";
import { archivedAttempts, archivedChanges, toArchivedPost } from "./archived-posts.ts";
import { toPost } from "#posts/rows/store-post-rows.ts";
import {
  accountsByIdStatement,
  changesStatement,
  type RecordAccountRow,
  recordAccountsStatement,
} from "./store-post-record.ts";
import { postsStatement, readAttempts, targetHistoriesStatement } from "#posts/rows/store-posts-by-id.ts";
import type { PostChange } from "#posts/rows/types.ts";
import type { PostRecord } from "./types.ts";

/** Reads everything about a post in one round trip. The post may be cancelled or archived. */
export async function getPostRecord(
  ctx: Pick<Context, "actor" | "bucket" | "clock" | "db">,
  input: { readonly id: string },
): Promise<PostRecord> {
  const { actor } = ctx;
  const db = ctx.db;
  const { posts, histories, changes, accounts } = await batch(db, {
    posts: postsStatement(db, actor, [input.id]),
    histories: targetHistoriesStatement(db, actor, input.id),
    changes: changesStatement(db, actor, input.id),
    accounts: recordAccountsStatement(db, actor, input.id),
  });
  const [row] = posts.results;
  if (!row) {
    return await getArchivedRecord(ctx, input.id);
  }
  const stored = changes.results[0]?.changes ?? "[]";
  return {
    post: toPost(row, ctx.clock.now()),
    attempts: readAttempts(histories.results),
    changes: JSON.parse(stored) as PostChange[],
    accounts: toAccounts(accounts.results),
  };
}

async function getArchivedRecord(
  ctx: Pick<Context, "actor" | "bucket" | "clock" | "db">,
  id: string,
): Promise<PostRecord> {
  const archived = (await findArchived(ctx, id)) ?? refusePostNotFound();
  const post = toArchivedPost(archived, ctx.clock.now());
  const changes = archivedChanges(archived);
  const named = [...post.targets, ...changes].flatMap(({ accountId }) => accountId ?? []);
  const { results } = await accountsByIdStatement(ctx.db, ctx.actor, named).all<RecordAccountRow>();
  return { post, attempts: archivedAttempts(archived), changes, accounts: toAccounts(results) };
}

function toAccounts(rows: readonly RecordAccountRow[]): PostRecord["accounts"] {
  return new Map(
    rows.map((account) => [
      account.id,
      {
        username: account.username,
        displayName: account.display_name,
        status: account.disconnected_at === null ? account.status : "disconnected",
        statusReason: account.status_reason,
      },
    ]),
  );
}
