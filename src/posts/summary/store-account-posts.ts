import { type AccountRow, connectedAccountsStatement, toAccount } from "#accounts/index.ts";
import type { Actor } from "#core/actor.ts";
import { DAY } from "#core/clock.ts";
import type { Statement, StatementResult } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";
import type { AccountPosts, AccountWithPosts } from "./types.ts";

/**
 * Counting the posts of an account stops at this number, and pages then show "more than". It limits what a page reads
 * for an account with thousands of posts.
 */
export const ACCOUNT_POSTS_MAX = 1000;

/** The longest time (ms) for which the due time of a target that waits for a retry can lie in the past. */
const LONGEST_RETRY_MS = DAY;

interface AccountPostsRow {
  readonly account_id: string;
  readonly posts: string;
}

/**
 * Two statements for one batch: the connected accounts, and the number of upcoming posts of each. With `onlyInNeed`, an
 * account that needs no login now counts only posts after its login ends.
 */
export function accountsWithPostsStatements(
  db: Db,
  actor: Actor,
  now: number,
  { onlyInNeed }: { readonly onlyInNeed: boolean },
): { readonly accounts: Statement<AccountRow>; readonly accountPosts: Statement<AccountPostsRow> } {
  return {
    accounts: connectedAccountsStatement(db, actor),
    accountPosts: db.d1
      .prepare(
        // CROSS JOIN keeps SQLite from starting with the posts, so that the index on account and time limits the rows
        // read.
        `SELECT a.id AS account_id, (SELECT json_object('ahead', count(*), 'afterLoginEnd', coalesce(sum(after_end), 0),
             'pausedByDisconnect', coalesce(sum(only_account), 0))
           FROM (SELECT t.due_at > c.ends_at AS after_end, p.status = 'scheduled' AND NOT ${HAS_PUBLICATION} AND NOT EXISTS (
                 SELECT 1 FROM post_targets o
                 WHERE o.post_id = p.id AND o.account_id <> t.account_id AND o.state IN ${OPEN_STATES_SQL}) AS only_account
               FROM post_targets t CROSS JOIN posts p ON p.id = t.post_id
               WHERE t.account_id = a.id AND t.due_at > ${onlyInNeed ? "max(?3, iif(a.status = 'active', coalesce(c.ends_at, 9e15), 0))" : "?3"} AND t.state IN ${OPEN_STATES_SQL} AND p.status IN ('scheduled', 'paused')
               LIMIT ${ACCOUNT_POSTS_MAX + 1})) AS posts
         FROM accounts a JOIN connections c ON c.id = a.connection_id
         WHERE a.user_id = ?1 AND a.workspace_id = ?2 AND a.disconnected_at IS NULL`,
      )
      .bind(actor.userId, actor.workspaceId, now - LONGEST_RETRY_MS),
  };
}

const NO_POSTS: AccountPosts = { ahead: 0, afterLoginEnd: 0, pausedByDisconnect: 0 };

export function readAccountsWithPosts(
  read: { readonly accounts: StatementResult<AccountRow>; readonly accountPosts: StatementResult<AccountPostsRow> },
  now: number,
): readonly AccountWithPosts[] {
  const postsOf = new Map(
    read.accountPosts.results.map((row) => [row.account_id, JSON.parse(row.posts) as AccountPosts]),
  );
  return read.accounts.results.map((row) => ({
    ...toAccount(row, now),
    posts: postsOf.get(row.id) ?? NO_POSTS,
  }));
}
