import type { Actor } from "#core/actor.ts";
import { MINUTE } from "#core/clock.ts";
import type { Scope } from "#core/scope.ts";
import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secrets.ts";
import { accessTokenStatement, type CredentialRow, keyStatement, recordKeyUse } from "./store.ts";
import { subscriptionAccess } from "#auth/subscriptions/access.ts";

export type Authentication =
  | { readonly ok: true; readonly actor: Actor }
  | { readonly ok: false; readonly reason: "missing" | "invalid" };

const LAST_USED_GRANULARITY_MS = 5 * MINUTE;
// Exactly one space (RFC 6750, bearer tokens); the scheme is case-insensitive (RFC 9110 11.1).
const BEARER = /^bearer ([0-9A-Za-z_]+)$/i;

/**
 * Authenticates an `Authorization` header: one D1 statement for a well-formed token, none for a malformed one. `resource` is the URL of
 * the API or of the MCP server: an access token opens the one that its user granted, an API key opens both.
 */
export async function authenticate(
  services: Pick<Services, "db" | "clock" | "config" | "defer">,
  authorization: string | null,
  resource: string,
): Promise<Authentication> {
  if (authorization === null) {
    return { ok: false, reason: "missing" };
  }
  const token = BEARER.exec(authorization)?.[1] ?? "";
  const kind = secretKind(token);
  if (kind !== "api_key" && kind !== "access_token") {
    return { ok: false, reason: "invalid" };
  }
  const { db, config } = services;
  const now = services.clock.now();
  const hash = await hashSecret(token);
  const statement = kind === "api_key" ? keyStatement(db, hash, now) : accessTokenStatement(db, hash, now, resource);
  const row = await statement.first<CredentialRow>();
  if (row === null) {
    return { ok: false, reason: "invalid" };
  }
  if (kind === "api_key" && (row.last_used_at === null || row.last_used_at <= now - LAST_USED_GRANULARITY_MS)) {
    services.defer(recordKeyUse(db, row.credential_id, now, LAST_USED_GRANULARITY_MS));
  }
  return {
    ok: true,
    actor: {
      userId: row.user_id,
      workspaceId: row.workspace_id,
      ...subscriptionAccess(
        config,
        { subscription: subscriptionOf(row), emailVerified: row.email_verified_at !== null },
        now,
      ),
      scopes: JSON.parse(row.scopes) as Scope[],
      credential: {
        kind: kind === "api_key" ? "api_key" : "oauth",
        id: row.credential_id,
        name: row.credential_name,
        confirms: row.confirms,
      },
      via: resource === config.mcpUrl ? "mcp" : "api",
      timeZone: row.time_zone,
      recordsEvents: row.records_events === 1,
    },
  };
}

function subscriptionOf(row: CredentialRow) {
  return row.plan === null || row.status === null
    ? null
    : { plan: row.plan, status: row.status, currentPeriodEnd: row.current_period_end };
}
