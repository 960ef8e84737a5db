import { DAY, SECOND } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { orderScopes } from "#auth/inputs.ts";
import { hashSecret, secretKind } from "#auth/secret-format.ts";
import { type IssuedTokens, issueTokens } from "./issue-tokens.ts";
import { refuseOAuth } from "./refusal.ts";
import { requireOurResource } from "./resource.ts";
import { type Client, findRefresh, revokeByRefresh, rotateRefresh } from "./store.ts";

const GRACE_MS = 10 * SECOND;
/** How long a spent token is remembered; using it again in that time ends the grant. The sweep adds a day. */
const REUSE_MEMORY_MS = 6 * DAY;

function invalidGrant(): never {
  return refuseOAuth("invalid_grant", "the refresh token is not valid for this client, or no longer");
}

/** A new pair for a refresh token, which is spent; whatever is refused before that leaves it usable. */
export async function refreshTokens(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  client: Client,
  input: { refreshToken: string; scope: string | undefined; resources: readonly string[] },
): Promise<IssuedTokens> {
  const { db, clock, config } = services;
  if (secretKind(input.refreshToken) !== "refresh_token") {
    return invalidGrant();
  }
  const hash = await hashSecret(input.refreshToken);
  const now = clock.now();
  const token = await findRefresh(db, hash, client.id);
  if (token === null) {
    return invalidGrant();
  }
  if (token.rotatedAt !== null && token.rotatedAt <= now - GRACE_MS) {
    // Two parties hold a token that only one should have.
    await revokeByRefresh(db, hash, client.id, now);
    return invalidGrant();
  }
  requireOurResource(config, input.resources);
  const scopes = input.scope === undefined ? token.scopes : narrowed(token.scopes, input.scope);
  const grantId = await rotateRefresh(db, {
    hash,
    clientId: client.id,
    now,
    graceMs: GRACE_MS,
    keepMs: REUSE_MEMORY_MS,
  });
  if (grantId === null) {
    return invalidGrant();
  }
  return issueTokens(services, { grantId, clientId: client.id, scopes, granted: token.scopes });
}

/** A refresh may ask for less, never for more (RFC 6749 6). */
function narrowed(granted: IssuedTokens["scopes"], parameter: string): IssuedTokens["scopes"] {
  const wanted = orderScopes(parameter.split(" "));
  if (wanted.length === 0 || !wanted.every((scope) => granted.includes(scope))) {
    return refuseOAuth("invalid_scope", "the scope is wider than what was granted");
  }
  return wanted;
}
