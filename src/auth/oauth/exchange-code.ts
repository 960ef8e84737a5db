import { sha256Base64Url } from "#core/encoding.ts";
import type { Services } from "#context.ts";
import { generateSecret, hashSecret, secretKind } from "#auth/secrets.ts";
import { type IssuedTokens, issueTokens } from "./issue-tokens.ts";
import { refuseOAuth } from "./oauth-refusal.ts";
import { requireGrantedResource } from "./resource.ts";
import { consumeCode, type Client, findResourceOfCode, revokeReplayedGrant } from "./store.ts";

const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Exchanges an authorization code for tokens. Each code works only once. */
export async function exchangeCode(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  client: Client,
  input: { code: string; verifier: string; redirectUri: string | null; resources: readonly string[] },
): Promise<IssuedTokens> {
  const { db, clock, ids, config } = services;
  const codeHash = await hashSecret(input.code);
  requireGrantedResource(config, input.resources, await findResourceOfCode(db, codeHash, client.id));
  if (secretKind(input.code) === "authorization_code" && CODE_VERIFIER.test(input.verifier)) {
    const claim = {
      codeHash,
      clientId: client.id,
      challenge: await sha256Base64Url(input.verifier),
      redirectUri: input.redirectUri,
      now: clock.now(),
    };
    const grant = await consumeCode(db, claim);
    if (grant !== null) {
      return issueTokens(services, {
        grantId: grant.id,
        clientId: client.id,
        scopes: grant.scopes,
        grantedScopes: grant.scopes,
        accessToken: generateSecret(ids, "access_token"),
        refreshToken: generateSecret(ids, "refresh_token"),
        issuedAt: claim.now,
        now: claim.now,
      });
    }
    await revokeReplayedGrant(db, claim);
  }
  return refuseOAuth(
    "invalid_grant",
    "the code is invalid, expired or used, or belongs to another client, redirect_uri or verifier",
  );
}
