import { DAY, SECOND } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { sortScopes } from "#auth/parse-inputs.ts";
import { hashSecret, secretKind } from "#auth/secrets.ts";
import { deriveNextTokens } from "./derive-tokens.ts";
import { type IssuedTokens, issueTokens } from "./issue-tokens.ts";
import { refuseOAuth } from "./oauth-refusal.ts";
import { requireGrantedResource } from "./resource.ts";
import { type Client, findRefreshToken, revokeGrantOfRefreshToken, rotateRefreshToken } from "./store.ts";

const ROTATION_GRACE_MS = 10 * SECOND;
/**
 * How long (ms) a rotated refresh token stays stored. Its reuse in that time revokes the grant. The clean-up deletes it
 * a day later.
 */
const REUSE_DETECTION_MS = 6 * DAY;

function invalidGrant(): never {
  return refuseOAuth("invalid_grant", "the refresh token is invalid, expired or revoked, or belongs to another client");
}

/**
 * Issues the next tokens for a refresh token and rotates it. Every use within the grace period gets the same pair, so
 * that a thief gets no tokens of their own. A refused request does not use up the token.
 */
export async function refreshTokens(
  services: Pick<Services, "db" | "clock" | "config">,
  client: Client,
  input: { refreshToken: string; scope: string | undefined; resources: readonly string[] },
): Promise<IssuedTokens> {
  const { db, clock, config } = services;
  if (secretKind(input.refreshToken) !== "refresh_token") {
    return invalidGrant();
  }
  const hash = await hashSecret(input.refreshToken);
  const now = clock.now();
  const token = await findRefreshToken(db, hash, client.id);
  if (token === null) {
    return invalidGrant();
  }
  if (token.rotatedAt !== null && token.rotatedAt <= now - ROTATION_GRACE_MS) {
    // A refresh token that is reused after the grace period may be stolen, so revoke the whole grant.
    await revokeGrantOfRefreshToken(db, hash, client.id, now);
    return invalidGrant();
  }
  requireGrantedResource(config, input.resources, token.resource);
  const scopes = input.scope === undefined ? token.scopes : narrowScopes(token.scopes, input.scope);
  const rotated = await rotateRefreshToken(db, {
    hash,
    clientId: client.id,
    now,
    graceMs: ROTATION_GRACE_MS,
    reuseDetectionMs: REUSE_DETECTION_MS,
  });
  if (rotated === null) {
    return invalidGrant();
  }
  return issueTokens(services, {
    grantId: rotated.grantId,
    clientId: client.id,
    scopes,
    grantedScopes: token.scopes,
    ...(await deriveNextTokens(config, input.refreshToken, scopes)),
    issuedAt: rotated.at,
    now,
  });
}

/**
 * Limits the scopes to the requested ones. A refresh may ask for fewer scopes than the grant has, never for more (RFC
 * 6749 6).
 */
function narrowScopes(granted: IssuedTokens["scopes"], parameter: string): IssuedTokens["scopes"] {
  const requested = sortScopes(parameter.split(" "));
  if (requested.length === 0 || !requested.every((scope) => granted.includes(scope))) {
    return refuseOAuth("invalid_scope", "the scope exceeds the granted scopes");
  }
  return requested;
}
