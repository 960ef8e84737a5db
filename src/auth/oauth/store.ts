import { eq } from "drizzle-orm";
import type { Confirms } from "#core/actor.ts";
import type { Scope } from "#core/scope.ts";
import { batch, withRows } from "#db/batch.ts";
import type { Db } from "#db/client.ts";
import { oauthClients, type oauthGrants } from "#db/schema.ts";

export type Client = typeof oauthClients.$inferSelect;

export async function selectClient(db: Db, id: string): Promise<Client | undefined> {
  const [client] = await db.orm.select().from(oauthClients).where(eq(oauthClients.id, id));
  return client;
}

export interface UnusedClientLimits {
  readonly unusedLifetimeMs: number;
  /** Before this age (ms) a registration is never deleted, whatever others register meanwhile. */
  readonly safeMs: number;
  readonly keepUnused: number;
  /** How many unused registrations of the last `safeMs` one network may have. */
  readonly perNetwork: number;
}

/**
 * Stores a client registration and deletes the oldest unused ones beyond `keepUnused`, so that strangers cannot fill
 * the table. False if the network has registered too many.
 */
export async function insertDynamicClient(
  db: Db,
  client: Omit<Client, "kind" | "expiresAt">,
  limits: UnusedClientLimits,
): Promise<boolean> {
  const { id, name, uri, redirectUris, secretHash, createdAt, registeredFrom } = client;
  const { inserted } = await batch(db, {
    inserted: db.d1
      .prepare(
        `INSERT INTO oauth_clients (id, kind, name, uri, redirect_uris, secret_hash, created_at, expires_at, registered_from)
         SELECT ?1, 'dynamic', ?2, ?3, ?4, ?5, ?6, ?7, ?8
         WHERE (SELECT count(*) FROM oauth_clients WHERE registered_from = ?8 AND created_at > ?9) < ?10`,
      )
      .bind(
        id,
        name,
        uri,
        JSON.stringify(redirectUris),
        secretHash,
        createdAt,
        createdAt + limits.unusedLifetimeMs,
        registeredFrom,
        createdAt - limits.safeMs,
        limits.perNetwork,
      ),
    // mutant: fresh-clients-evicted
    evicted: db.d1
      .prepare(
        // A used client expires much later than a new registration, so the order by expiry deletes only unused clients.
        `DELETE FROM oauth_clients WHERE created_at <= ?3 AND id IN (SELECT id FROM oauth_clients
           WHERE kind = 'dynamic' AND expires_at <= created_at + ?1 ORDER BY created_at DESC, id LIMIT -1 OFFSET ?2)`,
      )
      .bind(limits.unusedLifetimeMs, limits.keepUnused, createdAt - limits.safeMs),
  });
  return inserted.meta.changes === 1;
}

/**
 * Stores a client's fetched metadata document, which is valid until `expiresAt`. The row stays, because pages show the
 * names of connected apps.
 */
export async function upsertClient(db: Db, client: Client): Promise<void> {
  const { name, uri, redirectUris, expiresAt } = client;
  await db.orm
    .insert(oauthClients)
    .values(client)
    .onConflictDoUpdate({ target: oauthClients.id, set: { name, uri, redirectUris, expiresAt } });
}

type GrantInsert = typeof oauthGrants.$inferInsert & {
  readonly confirms: Confirms;
  readonly workspaceId: string | null;
};

const EXTEND_CLIENT =
  "UPDATE oauth_clients SET expires_at = ?2, registered_from = NULL WHERE id = ?1 AND kind = 'dynamic'";

/** SQL for the number of apps to which user ?2 has given access, without client ?3. */
const OTHER_APPS = `(SELECT count(DISTINCT client_id) FROM oauth_grants
  WHERE user_id = ?2 AND client_id <> ?3 AND revoked_at IS NULL)`;

/**
 * Stores the user's consent and prolongs a dynamic client, which is in use now. Null on success; otherwise the number
 * of the user's other apps. It has reached `limit`, or the workspace belongs to another user.
 */
export async function insertGrant(
  db: Db,
  grant: GrantInsert,
  clientExpiresAt: number,
  limit: number,
): Promise<number | null> {
  const { inserted, counted } = await batch(db, {
    inserted: db.d1
      .prepare(
        `INSERT INTO oauth_grants (id, user_id, client_id, scopes, resource, redirect_uri, code_hash, code_challenge, code_expires_at, created_at, confirms, workspace_id)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?12, ?13 WHERE ${OTHER_APPS} < ?11
           AND (?13 IS NULL OR EXISTS (SELECT 1 FROM workspaces w WHERE w.id = ?13 AND w.user_id = ?2))`,
      )
      .bind(
        grant.id,
        grant.userId,
        grant.clientId,
        JSON.stringify(grant.scopes),
        grant.resource,
        grant.redirectUri,
        grant.codeHash,
        grant.codeChallenge,
        grant.codeExpiresAt,
        grant.createdAt,
        limit,
        grant.confirms,
        grant.workspaceId,
      ),
    client: db.d1
      .prepare(`${EXTEND_CLIENT} AND EXISTS (SELECT 1 FROM oauth_grants WHERE id = ?3)`)
      .bind(grant.clientId, clientExpiresAt, grant.id),
    counted: withRows<{ used: number }>(
      db.d1.prepare(`SELECT ${OTHER_APPS} AS used FROM (SELECT ?1)`).bind(grant.id, grant.userId, grant.clientId),
    ),
  });
  return inserted.meta.changes === 1 ? null : (counted.results[0]?.used ?? 0);
}

/** The user's last choices for this client. Who confirms is null if no grant may write posts. */
export async function selectLastChoice(
  db: Db,
  input: { userId: string; clientId: string },
): Promise<{ readonly confirms: Confirms | null; readonly workspaceId: string | null }> {
  const last = (column: string, condition = "") => `(SELECT ${column} FROM oauth_grants
    WHERE user_id = ?1 AND client_id = ?2 AND revoked_at IS NULL ${condition} ORDER BY created_at DESC, id DESC LIMIT 1)`;
  const row = await db.d1
    .prepare(
      `SELECT ${last("confirms", `AND scopes LIKE '%"posts:write"%'`)} AS confirms, ${last("workspace_id")} AS workspaceId`,
    )
    .bind(input.userId, input.clientId)
    .first<{ confirms: Confirms | null; workspaceId: string | null }>();
  return row ?? { confirms: null, workspaceId: null };
}

/** Whether the user has given access to this redirect URI of a client, and has not revoked it. */
export async function hasApproved(
  db: Db,
  input: { userId: string; clientId: string; redirectUri: string },
): Promise<boolean> {
  const row = await db.d1
    .prepare(
      `SELECT 1 FROM oauth_grants
       WHERE user_id = ?1 AND client_id = ?2 AND redirect_uri = ?3 AND revoked_at IS NULL LIMIT 1`,
    )
    .bind(input.userId, input.clientId, input.redirectUri)
    .first();
  return row !== null;
}

export interface CodeExchange {
  readonly codeHash: string;
  readonly clientId: string;
  readonly challenge: string;
  /** The redirect URI of the token request. Null if the client omitted it, because OAuth 2.1 removed the parameter. */
  readonly redirectUri: string | null;
  readonly now: number;
}

// mutant: any-verifier
const CODE_CONDITION = `code_hash = ?1 AND client_id = ?2 AND code_challenge = ?3 AND (?4 IS NULL OR redirect_uri = ?4)`;

/** The server (`resource`) that an authorization code's grant is for. Null if the client has no such code. */
export async function findResourceOfCode(db: Db, codeHash: string, clientId: string): Promise<string | null> {
  return db.d1
    .prepare("SELECT resource FROM oauth_grants WHERE code_hash = ?1 AND client_id = ?2")
    .bind(codeHash, clientId)
    .first<string>("resource");
}

/**
 * Uses up an authorization code with one conditional update. A wrong verifier does not use it up, and only one of two
 * parallel exchanges succeeds.
 */
export async function consumeCode(db: Db, claim: CodeExchange): Promise<{ id: string; scopes: Scope[] } | null> {
  const row = await db.d1
    .prepare(
      `UPDATE oauth_grants SET code_used_at = ?5
       WHERE ${CODE_CONDITION} AND code_used_at IS NULL AND revoked_at IS NULL AND code_expires_at > ?5 RETURNING id, scopes`,
    )
    .bind(claim.codeHash, claim.clientId, claim.challenge, claim.redirectUri, claim.now)
    .first<{ id: string; scopes: string }>();
  return row === null ? null : { id: row.id, scopes: JSON.parse(row.scopes) as Scope[] };
}

/**
 * Revokes the grant of an authorization code that is used again with the right verifier, because the code has leaked. A
 * wrong verifier revokes nothing (OAuth 2.1 7.5.3).
 */
export async function revokeReplayedGrant(db: Db, claim: CodeExchange): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE oauth_grants SET revoked_at = ?5 WHERE ${CODE_CONDITION} AND code_used_at IS NOT NULL AND revoked_at IS NULL`,
    )
    .bind(claim.codeHash, claim.clientId, claim.challenge, claim.redirectUri, claim.now)
    .run();
}

export interface RefreshTokenRow {
  readonly scopes: readonly Scope[];
  readonly resource: string;
  readonly expiresAt: number;
  readonly rotatedAt: number | null;
}

/** Finds a refresh token of this client, if its grant is not revoked. */
export async function findRefreshToken(db: Db, hash: string, clientId: string): Promise<RefreshTokenRow | null> {
  const row = await db.d1
    .prepare(
      `SELECT t.scopes AS scopes, t.expires_at AS expires_at, t.rotated_at AS rotated_at, g.resource AS resource
       FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id
       WHERE t.hash = ?1 AND t.kind = 'refresh' AND g.client_id = ?2 AND g.revoked_at IS NULL`,
    )
    .bind(hash, clientId)
    .first<{ scopes: string; expires_at: number; rotated_at: number | null; resource: string }>();
  return row === null
    ? null
    : {
        scopes: JSON.parse(row.scopes) as Scope[],
        resource: row.resource,
        expiresAt: row.expires_at,
        rotatedAt: row.rotated_at,
      };
}

/**
 * Marks a refresh token as rotated. It still works in the grace period: responses get lost, and several processes may
 * share a client.
 */
export async function rotateRefreshToken(
  db: Db,
  input: { hash: string; clientId: string; now: number; graceMs: number; reuseDetectionMs: number },
): Promise<{ grantId: string; at: number } | null> {
  const row = await db.d1
    .prepare(
      // A rotated token is kept only to detect its reuse, so it expires earlier.
      `UPDATE oauth_tokens SET rotated_at = coalesce(rotated_at, ?3), expires_at = min(expires_at, ?3 + ?5)
       WHERE hash = ?1 AND kind = 'refresh' AND expires_at > ?3 AND (rotated_at IS NULL OR rotated_at > ?3 - ?4)
         AND EXISTS (SELECT 1 FROM oauth_grants g WHERE g.id = grant_id AND g.client_id = ?2 AND g.revoked_at IS NULL)
       RETURNING grant_id, rotated_at`,
    )
    .bind(input.hash, input.clientId, input.now, input.graceMs, input.reuseDetectionMs)
    .first<{ grant_id: string; rotated_at: number }>();
  return row === null ? null : { grantId: row.grant_id, at: row.rotated_at };
}

/** Revokes the grant to which a client's refresh token belongs. All tokens of the grant are then invalid. */
export async function revokeGrantOfRefreshToken(db: Db, hash: string, clientId: string, now: number): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE oauth_grants SET revoked_at = ?3 WHERE client_id = ?2 AND revoked_at IS NULL
         AND id = (SELECT grant_id FROM oauth_tokens WHERE hash = ?1 AND kind = 'refresh')`,
    )
    .bind(hash, clientId, now)
    .run();
}

/**
 * Expires an access token but keeps its row until the clean-up. A repeated refresh computes the same token and must not
 * insert it again.
 */
export async function expireAccessToken(db: Db, hash: string, clientId: string, now: number): Promise<void> {
  await db.d1
    .prepare(
      `UPDATE oauth_tokens SET expires_at = min(expires_at, ?3) WHERE hash = ?1 AND kind = 'access'
         AND EXISTS (SELECT 1 FROM oauth_grants g WHERE g.id = grant_id AND g.client_id = ?2)`,
    )
    .bind(hash, clientId, now)
    .run();
}

export interface TokenInsert {
  readonly hash: string;
  readonly kind: "access" | "refresh";
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
}

/** Inserts a token pair in one round trip, and prolongs a dynamic client, so that a client in use never expires. */
export async function insertTokens(
  db: Db,
  issue: { grantId: string; clientId: string; tokens: readonly TokenInsert[]; now: number; clientExpiresAt: number },
): Promise<void> {
  await db.d1.batch([
    db.d1
      .prepare(
        `INSERT INTO oauth_tokens (hash, grant_id, kind, scopes, created_at, expires_at)
         SELECT value ->> 'hash', ?2, value ->> 'kind', value ->> 'scopes', ?3, value ->> 'expiresAt' FROM json_each(?1) WHERE true
         ON CONFLICT (hash) DO NOTHING`,
      )
      .bind(JSON.stringify(issue.tokens), issue.grantId, issue.now),
    db.d1.prepare(EXTEND_CLIENT).bind(issue.clientId, issue.clientExpiresAt),
  ]);
}

export interface ConnectedApp {
  readonly grantId: string;
  readonly clientId: string;
  readonly name: string;
  readonly uri: string | null;
  readonly scopes: readonly Scope[];
  readonly resource: string;
  readonly confirms: Confirms;
  /** The only workspace in which the app works; null if it works in all. */
  readonly workspaceId: string | null;
  readonly since: number;
}

/** The apps with an unexpired token of the user, newest first. */
export async function selectApps(db: Db, userId: string, now: number): Promise<ConnectedApp[]> {
  const { results } = await db.d1
    .prepare(
      `SELECT g.id AS grant_id, g.client_id AS client_id, coalesce(c.name, g.client_id) AS name, c.uri AS uri, g.scopes AS scopes, g.resource AS resource, g.confirms AS confirms, g.workspace_id AS workspaceId,
         g.created_at AS since
       FROM oauth_grants g LEFT JOIN oauth_clients c ON c.id = g.client_id
       WHERE g.user_id = ?1 AND g.revoked_at IS NULL AND EXISTS (SELECT 1 FROM oauth_tokens t WHERE t.grant_id = g.id AND t.expires_at > ?2)
       ORDER BY g.id DESC`,
    )
    .bind(userId, now)
    .all<
      Omit<ConnectedApp, "grantId" | "clientId" | "scopes"> & { grant_id: string; client_id: string; scopes: string }
    >();
  return results.map(({ grant_id: grantId, client_id: clientId, scopes, ...app }) => ({
    ...app,
    grantId,
    clientId,
    scopes: JSON.parse(scopes) as Scope[],
  }));
}

/** Sets who confirms for an app. False if the user has no such grant, or has revoked it. */
export async function updateGrantConfirms(
  db: Db,
  input: { userId: string; grantId: string; confirms: Confirms },
): Promise<boolean> {
  const updated = await db.d1
    .prepare("UPDATE oauth_grants SET confirms = ?3 WHERE id = ?1 AND user_id = ?2 AND revoked_at IS NULL RETURNING id")
    .bind(input.grantId, input.userId, input.confirms)
    .all();
  return updated.results.length === 1;
}

export async function revokeGrant(db: Db, userId: string, grantId: string, now: number): Promise<boolean> {
  const updated = await db.d1
    .prepare(
      "UPDATE oauth_grants SET revoked_at = coalesce(revoked_at, ?3) WHERE id = ?1 AND user_id = ?2 RETURNING id",
    )
    .bind(grantId, userId, now)
    .all();
  return updated.results.length === 1;
}
