import type { Confirms } from "#core/actor.ts";
import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Scope } from "#core/scope.ts";
import type { Db } from "#db/client.ts";
import { failUnless } from "#db/conditional.ts";

/* The statements that run for every API request. A credential that is revoked, expired, of another kind or of a
   disabled user returns no row. Everything about a credential is one JSON text, so that a later statement can
   compare it whole. */

export interface CredentialRow {
  readonly id: string;
  /** The name of the API key, or of the app to which the user gave access. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly confirms: Confirms;
  readonly expiresAt: number | null;
  readonly userId: string;
  /** Null if the named workspace is unknown, of another user, or not the one to which the credential is pinned. */
  readonly workspaceId: string | null;
  readonly isPinned: boolean;
  readonly emailVerifiedAt: number | null;
  readonly timeZone: string;
  readonly subscription: {
    readonly plan: Plan;
    readonly status: SubscriptionStatus;
    readonly currentPeriodEnd: number | null;
  } | null;
  readonly recordsEvents: boolean;
}

export interface FoundCredential {
  /** The credential's row as the exact JSON text from the database. */
  readonly text: string;
  /** When (ms) the API key was last used. Null for an access token, whose use is not recorded. */
  readonly last_used_at: number | null;
  /** Whether the user has a second workspace. Not compared, because no call works differently for it. */
  readonly has_several: 0 | 1;
}

/** Identifies the credential of a request without containing the secret. */
export interface CredentialId {
  readonly kind: "api_key" | "access_token";
  readonly hash: string;
  /** The URL of the API or of the MCP server, whichever the request called. */
  readonly resource: string;
  /** The workspace that the request names; null if it names none. */
  readonly workspace: string | null;
}

const USER_COLUMNS = `u.id, w.id, u.email_verified_at, u.time_zone, s.plan, s.status, s.current_period_end,
  EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = w.id AND l.recording)`;

/** The workspace of a request: the one that it names, that of the credential, or the active one. A pin allows no other name. */
function joinWorkspace(named: "?3" | "?4", pin: "k.workspace_id" | "g.workspace_id"): string {
  // mutant: workspace-header-ignored
  const chosen = `coalesce(${named}, ${pin}, u.active_workspace_id)`;
  // mutant: workspace-of-strangers
  return `LEFT JOIN workspaces w ON w.id = ${chosen} AND w.user_id = u.id AND w.id = coalesce(${pin}, w.id)`;
}

const KEY_TEXT = `json_array(k.id, k.name, k.scopes, k.confirms, k.expires_at, k.workspace_id IS NOT NULL, ${USER_COLUMNS})`;
const KEY_ROWS = `FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN subscriptions s ON s.user_id = u.id
  ${joinWorkspace("?3", "k.workspace_id")}
  WHERE k.hash = ?1 AND k.revoked_at IS NULL AND u.disabled_at IS NULL`;

const TOKEN_TEXT = `json_array(g.id, coalesce(c.name, ''), t.scopes, g.confirms, t.expires_at, g.workspace_id IS NOT NULL, ${USER_COLUMNS})`;
// mutant: any-resource
const TOKEN_ROWS = `FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id JOIN users u ON u.id = g.user_id
  LEFT JOIN oauth_clients c ON c.id = g.client_id LEFT JOIN subscriptions s ON s.user_id = u.id
  ${joinWorkspace("?4", "g.workspace_id")}
  WHERE t.hash = ?1 AND t.kind = 'access' AND g.revoked_at IS NULL AND g.resource = ?3 AND u.disabled_at IS NULL`;

const HAS_SEVERAL = "EXISTS (SELECT 1 FROM workspaces o WHERE o.user_id = u.id LIMIT 1 OFFSET 1) AS has_several";

const FIND_KEY = `SELECT ${KEY_TEXT} AS text, k.last_used_at AS last_used_at, ${HAS_SEVERAL} ${KEY_ROWS} AND (k.expires_at IS NULL OR k.expires_at > ?2)`;
const FIND_TOKEN = `SELECT ${TOKEN_TEXT} AS text, NULL AS last_used_at, ${HAS_SEVERAL} ${TOKEN_ROWS} AND t.expires_at > ?2`;

const KEY_IS_UNCHANGED = failUnless(`(SELECT ${KEY_TEXT} ${KEY_ROWS}) IS ?2`);
const TOKEN_IS_UNCHANGED = failUnless(`(SELECT ${TOKEN_TEXT} ${TOKEN_ROWS}) IS ?2`);

/** Identifies the members of a credential's JSON text. A cached text with another layout cannot be decrypted. */
export const ROW_LAYOUT: Readonly<Record<CredentialId["kind"], string>> = {
  api_key: KEY_TEXT,
  access_token: TOKEN_TEXT,
};

/** A statement that finds a credential which is neither revoked nor expired. */
export function findCredential(
  db: Db,
  { kind, hash, resource, workspace }: CredentialId,
  now: number,
): Promise<FoundCredential | null> {
  const statement =
    kind === "api_key"
      ? db.d1.prepare(FIND_KEY).bind(hash, now, workspace)
      : db.d1.prepare(FIND_TOKEN).bind(hash, now, resource, workspace);
  return statement.first<FoundCredential>();
}

/**
 * A statement that fails if the stored credential differs from `text`. It does not check the expiry, which the caller
 * compares with the clock.
 */
export function unchangedStatement(
  db: Db,
  { kind, hash, resource, workspace }: CredentialId,
  text: string,
): D1PreparedStatement {
  return kind === "api_key"
    ? db.d1.prepare(KEY_IS_UNCHANGED).bind(hash, text, workspace)
    : db.d1.prepare(TOKEN_IS_UNCHANGED).bind(hash, text, resource, workspace);
}

type Columns = readonly [
  id: string,
  name: string,
  scopes: string,
  confirms: Confirms,
  expiresAt: number | null,
  isPinned: 0 | 1,
  userId: string,
  workspaceId: string | null,
  emailVerifiedAt: number | null,
  timeZone: string,
  plan: Plan | null,
  status: SubscriptionStatus | null,
  currentPeriodEnd: number | null,
  recordsEvents: 0 | 1,
];

export function readCredential(text: string): CredentialRow {
  const [
    id,
    name,
    scopes,
    confirms,
    expiresAt,
    isPinned,
    userId,
    workspaceId,
    emailVerifiedAt,
    timeZone,
    plan,
    status,
    end,
    records,
  ] = JSON.parse(text) as Columns;
  return {
    id,
    name,
    scopes: JSON.parse(scopes) as Scope[],
    confirms,
    expiresAt,
    userId,
    workspaceId,
    isPinned: isPinned === 1,
    emailVerifiedAt,
    timeZone,
    subscription: plan === null || status === null ? null : { plan, status, currentPeriodEnd: end },
    recordsEvents: records === 1,
  };
}

/**
 * Records when an API key was used. It runs after the response, and its condition lets only one of several parallel
 * requests write.
 */
export async function recordKeyUse(db: Db, id: string, now: number, granularityMs: number): Promise<void> {
  await db.d1
    .prepare("UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at <= ?3)")
    .bind(id, now, now - granularityMs)
    .run();
}
