import type { Platform } from "#core/platform.ts";
import type { Db } from "#db/client.ts";
import { connectStates } from "#db/schema.ts";

type StateRow = typeof connectStates.$inferSelect;

export type StateInsert = Pick<StateRow, "hash" | "userId" | "workspaceId" | "platform" | "expiresAt" | "input">;

export async function insertState(db: Db, state: StateInsert): Promise<void> {
  await db.orm.insert(connectStates).values({ ...state, codeVerifier: "" });
}

/** Which OAuth state to look up, and for which user. */
export interface StateLookup {
  readonly hash: string;
  readonly platform: Platform;
  /** The user who is signed in to the browser. A state that another user started is not found. */
  readonly signedInUserId: string | null;
  readonly now: number;
}

/** SQL for a state that can still be used. Its parameters ?1 to ?4 are the members of a `StateLookup`. */
const USABLE_STATE =
  "s.hash = ?1 AND s.platform = ?2 AND s.used_at IS NULL AND s.expires_at > ?3 AND (?4 IS NULL OR s.user_id = ?4)";

const lookupParams = ({ hash, platform, now, signedInUserId }: StateLookup) =>
  [hash, platform, now, signedInUserId] as const;

/** A login that has not started, with what the page before it shows. */
export interface OpenState {
  readonly userId: string;
  readonly workspaceId: string;
  readonly input: Readonly<Record<string, string>>;
  readonly workspaceName: string;
  readonly ownerEmail: string;
}

interface OpenStateRow {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly input: string | null;
  readonly name: string;
  readonly email: string;
}

export async function findOpenState(db: Db, lookup: StateLookup): Promise<OpenState | null> {
  const row = await db.d1
    .prepare(
      `SELECT s.user_id, s.workspace_id, s.input, w.name, u.email FROM connect_states s
       JOIN workspaces w ON w.id = s.workspace_id JOIN users u ON u.id = s.user_id
       WHERE ${USABLE_STATE}`,
    )
    .bind(...lookupParams(lookup))
    .first<OpenStateRow>();
  return (
    row && {
      userId: row.user_id,
      workspaceId: row.workspace_id,
      input: row.input === null ? {} : (JSON.parse(row.input) as Record<string, string>),
      workspaceName: row.name,
      ownerEmail: row.email,
    }
  );
}

export interface StartedState {
  readonly method: string;
  readonly sealedCodeVerifier: string;
  readonly sealedStarted: string;
  readonly browserHash: string;
}

/** Stores the start of a login and replaces an earlier start. False if the state was used or has expired meanwhile. */
export async function saveStart(db: Db, lookup: StateLookup, started: StartedState): Promise<boolean> {
  const { meta } = await db.d1
    .prepare(
      `UPDATE connect_states AS s SET method = ?5, code_verifier = ?6, sealed_started = ?7, browser_hash = ?8
       WHERE ${USABLE_STATE}`,
    )
    .bind(
      ...lookupParams(lookup),
      started.method,
      started.sealedCodeVerifier,
      started.sealedStarted,
      started.browserHash,
    )
    .run();
  return meta.changes === 1;
}

export interface ConsumedState {
  readonly userId: string;
  readonly workspaceId: string;
  readonly sealedCodeVerifier: string;
  /** The encrypted start of the login. Null if no browser has started it. */
  readonly sealedStarted: string | null;
}

interface ConsumedStateRow {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly code_verifier: string;
  readonly sealed_started: string | null;
}

/**
 * Uses up a state. The update contains every condition, so only one of several parallel callbacks gets the row. With a
 * `browserHash`, only the browser that started the login gets it.
 */
export async function consumeState(
  db: Db,
  lookup: StateLookup,
  browserHash: string | null,
): Promise<ConsumedState | null> {
  // mutant: no-browser-check
  const row = await db.d1
    .prepare(
      `UPDATE connect_states AS s SET used_at = ?3
       WHERE ${USABLE_STATE} AND (?5 IS NULL OR s.browser_hash = ?5)
       RETURNING user_id, workspace_id, code_verifier, sealed_started`,
    )
    .bind(...lookupParams(lookup), browserHash)
    .first<ConsumedStateRow>();
  return (
    row && {
      userId: row.user_id,
      workspaceId: row.workspace_id,
      sealedCodeVerifier: row.code_verifier,
      sealedStarted: row.sealed_started,
    }
  );
}

export interface ChoiceInsert {
  readonly hash: string;
  readonly connectionId: string;
  /**
   * The new browser secret, as a hash. It replaces the secret from before the login, so that an earlier cookie cannot
   * open the choice of accounts.
   */
  readonly browserHash: string;
  readonly expiresAt: number;
}

/** Turns a used state into a choice of accounts, and erases what only the callback needed. */
export async function saveChoice(db: Db, choice: ChoiceInsert): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE connect_states SET connection_id = ?2, browser_hash = ?3, expires_at = ?4, code_verifier = '', sealed_started = NULL
       WHERE hash = ?1`,
    )
    .bind(choice.hash, choice.connectionId, choice.browserHash, choice.expiresAt)
    .run();
}

/** A login whose accounts a person chooses in a browser without a session. The page shows the name of the workspace. */
export interface StoredChoice {
  readonly connectionId: string;
  readonly workspaceName: string;
  readonly ownerEmail: string;
}

export async function findStoredChoice(db: Db, lookup: StateLookup, browserHash: string): Promise<StoredChoice | null> {
  // mutant: any-browser-chooses
  return await db.d1
    .prepare(
      `SELECT s.connection_id AS connectionId, w.name AS workspaceName, u.email AS ownerEmail FROM connect_states s
       JOIN workspaces w ON w.id = s.workspace_id JOIN users u ON u.id = s.user_id
       WHERE s.hash = ?1 AND s.platform = ?2 AND s.expires_at > ?3 AND (?4 IS NULL OR s.user_id = ?4)
         AND s.connection_id IS NOT NULL AND s.browser_hash = ?5`,
    )
    .bind(...lookupParams(lookup), browserHash)
    .first<StoredChoice>();
}

/** Deletes at most `limit` expired states, so that the first cron run after an outage stays short. Returns how many. */
export async function deleteExpiredStates(db: Db, now: number, limit: number): Promise<number> {
  const { meta } = await db.d1
    .prepare(
      "DELETE FROM connect_states WHERE hash IN (SELECT hash FROM connect_states WHERE expires_at <= ?1 LIMIT ?2)",
    )
    .bind(now, limit)
    .run();
  return meta.changes;
}
