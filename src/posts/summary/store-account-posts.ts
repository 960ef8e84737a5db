import { type AccountRow, connectedAccountsStatement, toAccount } from "#accounts/index.ts";
import type { Actor } from "#core/actor.ts";
import { DAY } from "#core/clock.ts";
import type { Db } from "#db/client.ts";
import { OPEN_STATES_SQL } from "#posts/rows/state-machine.ts";
import { HAS_PUBLICATION } from "#posts/rows/store-target-status.ts";
import type { AccountPosts, AccountWithPosts } from "./types.ts";

/** A page says "more than" beyond this; it bounds what one page reads for an account with thousands of posts. */
export const ACCOUNT_POSTS_MAX = 1000;

/** Targets that wait for their next try are due in the past, but never for longer than this. */
const LONGEST_RETRY_MS = DAY;

interface AccountPostsRow {
  readonly account_id: string;
  readonly posts: string;
}

/**
 * The connected accounts and, in the same order, the posts ahead of each: two statements for one batch. With `onlyInNeed`, the posts that
 * can be published as things are are not counted: of an account that needs no login now, those after its login ends are.
 */
export function accountsWithPostsStatements(
  db: Db,
  actor: Actor,
  now: number,
  { onlyInNeed }: { readonly onlyInNeed: boolean },
): [accounts: D1PreparedStatement, posts: D1PreparedStatement] {
  return [
    connectedAccountsStatement(db, actor),
    db.d1
      .prepare(
        // The cross join keeps SQLite from starting with the posts: the index on account and time bounds what is read.
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
  ];
}

const NO_POSTS: AccountPosts = { ahead: 0, afterLoginEnd: 0, pausedByDisconnect: 0 };

/** Parses the results of both statements. */
export function readAccountsWithPosts(
  accounts: D1Result | undefined,
  posts: D1Result | undefined,
  now: number,
): readonly AccountWithPosts[] {
  const postsOf = new Map(
    ((posts?.results ?? []) as unknown as AccountPostsRow[]).map((row) => [
      row.account_id,
      JSON.parse(row.posts) as AccountPosts,
    ]),
  );
  return ((accounts?.results ?? []) as unknown as AccountRow[]).map((row) => ({
    ...toAccount(row, now),
    posts: postsOf.get(row.id) ?? NO_POSTS,
  }));
}
