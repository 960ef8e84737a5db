import { DAY, HOUR } from "#core/clock.ts";
import type { Scope } from "#core/scope.ts";
import type { Services } from "#context.ts";
import { hashSecret } from "#auth/secrets.ts";
import { CLIENT_LIFETIME_MS } from "./register-client.ts";
import { insertTokens } from "./store.ts";

const ACCESS_MS = HOUR;
const REFRESH_MS = 30 * DAY;

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  /** The scopes of the access token. The refresh token keeps all scopes of the grant. */
  readonly scopes: readonly Scope[];
}

/**
 * Stores an access token and a refresh token of a grant in one round trip. If the pair is already stored, it stays
 * unchanged.
 */
export async function issueTokens(
  { db }: Pick<Services, "db">,
  input: {
    grantId: string;
    clientId: string;
    scopes: readonly Scope[];
    grantedScopes: readonly Scope[];
    accessToken: string;
    refreshToken: string;
    /** When (ms) the token pair was first issued, which starts its lifetime. A repeated refresh must not prolong it. */
    issuedAt: number;
    now: number;
  },
): Promise<IssuedTokens> {
  const { accessToken, refreshToken, issuedAt, now } = input;
  await insertTokens(db, {
    grantId: input.grantId,
    clientId: input.clientId,
    now,
    clientExpiresAt: now + CLIENT_LIFETIME_MS,
    tokens: [
      { hash: await hashSecret(accessToken), kind: "access", scopes: input.scopes, expiresAt: issuedAt + ACCESS_MS },
      {
        hash: await hashSecret(refreshToken),
        kind: "refresh",
        scopes: input.grantedScopes,
        expiresAt: issuedAt + REFRESH_MS,
      },
    ],
  });
  return {
    accessToken,
    refreshToken,
    expiresInSeconds: Math.floor((issuedAt + ACCESS_MS - now) / 1000),
    scopes: input.scopes,
  };
}
