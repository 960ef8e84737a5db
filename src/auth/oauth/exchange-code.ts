import { toBase64Url } from "#core/encoding.ts";
import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secret-format.ts";
import { type IssuedTokens, issueTokens } from "./issue-tokens.ts";
import { refuseOAuth } from "./refusal.ts";
import { requireOurResource } from "./resource.ts";
import { claimCode, type Client, revokeReplayed } from "./store.ts";

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

async function s256(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

/** Turns a code into tokens, once. */
export async function exchangeCode(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  client: Client,
  input: { code: string; verifier: string; redirectUri: string | null; resources: readonly string[] },
): Promise<IssuedTokens> {
  const { db, clock, config } = services;
  requireOurResource(config, input.resources);
  if (secretKind(input.code) === "authorization_code" && VERIFIER.test(input.verifier)) {
    const claim = {
      codeHash: await hashSecret(input.code),
      clientId: client.id,
      challenge: await s256(input.verifier),
      redirectUri: input.redirectUri,
      now: clock.now(),
    };
    const grant = await claimCode(db, claim);
    if (grant !== null) {
      return issueTokens(services, {
        grantId: grant.id,
        clientId: client.id,
        scopes: grant.scopes,
        granted: grant.scopes,
      });
    }
    await revokeReplayed(db, claim);
  }
  return refuseOAuth("invalid_grant", "the code is not valid for this client, address and verifier, or no longer");
}
