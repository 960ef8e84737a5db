import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { fromBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { startSession } from "#auth/start-session.ts";
import { issueLoginToken, spendLoginToken } from "#auth/store-login-tokens.ts";
import { attempt, CEREMONY_MS, relyingParty } from "./ceremony.ts";
import { findPasskey, touchPasskey } from "./store.ts";

type Needs = Pick<Services, "db" | "clock" | "ids" | "config">;

/** What the browser needs to offer the passkeys it has for this site; nobody is named yet. */
export async function beginPasskeySignIn(services: Needs): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const challenge = await issueLoginToken(services, {
    userId: "",
    purpose: "passkey_sign_in",
    lifetimeMs: CEREMONY_MS,
  });
  return generateAuthenticationOptions({
    rpID: relyingParty(services.config).id,
    challenge: fromBase64Url(challenge),
    timeout: CEREMONY_MS,
    userVerification: "required",
  });
}

/** A session token for the owner of the passkey. */
export async function signInWithPasskey(
  services: Needs,
  input: { response: AuthenticationResponseJSON },
): Promise<string> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { db, clock, config } = services;
  const passkey = await findPasskey(db, input.response.id);
  if (passkey === undefined) {
    return refuse({ code: "invalid_request", message: "this passkey is not registered here" });
  }
  const party = relyingParty(config);
  const { verified, authenticationInfo } = await attempt(() =>
    verifyAuthenticationResponse({
      response: input.response,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      expectedChallenge: async (challenge) =>
        (await spendLoginToken(services, { token: challenge, purpose: "passkey_sign_in" })) !== null,
      credential: {
        id: passkey.id,
        publicKey: fromBase64Url(passkey.publicKey),
        counter: passkey.counter,
        transports: passkey.transports,
      },
    }),
  );
  if (!verified) {
    refuse({ code: "invalid_request", message: "that passkey could not be verified: try again" });
  }
  await touchPasskey(db, passkey.id, authenticationInfo.newCounter, clock.now());
  return startSession(services, { userId: passkey.userId });
}
