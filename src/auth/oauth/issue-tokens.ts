import { DAY, HOUR } from "#core/clock.ts";
import type { Scope } from "#core/scope.ts";
import type { Services } from "#context.ts";
import { hashSecret, generateSecret } from "#auth/secrets.ts";
import { CLIENT_LIFETIME_MS } from "./register-client.ts";
import { insertTokens } from "./store.ts";

const ACCESS_MS = HOUR;
const REFRESH_MS = 30 * DAY;

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  /** Of the access token; the refresh token keeps all granted scopes. */
  readonly scopes: readonly Scope[];
}

/** Issues an access and a refresh token of a grant, in one round trip. */
export async function issueTokens(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { grantId: string; clientId: string; scopes: readonly Scope[]; grantedScopes: readonly Scope[] },
): Promise<IssuedTokens> {
  const { db, clock, ids } = services;
  const now = clock.now();
  const accessToken = generateSecret(ids, "access_token");
  const refreshToken = generateSecret(ids, "refresh_token");
  await insertTokens(db, {
    grantId: input.grantId,
    clientId: input.clientId,
    now,
    clientExpiresAt: now + CLIENT_LIFETIME_MS,
    tokens: [
      { hash: await hashSecret(accessToken), kind: "access", scopes: input.scopes, expiresAt: now + ACCESS_MS },
      {
        hash: await hashSecret(refreshToken),
        kind: "refresh",
        scopes: input.grantedScopes,
        expiresAt: now + REFRESH_MS,
      },
    ],
  });
  return { accessToken, refreshToken, expiresInSeconds: ACCESS_MS / 1000, scopes: input.scopes };
}
