import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { fromBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { startSession } from "#auth/sessions/start.ts";
import { issueLoginToken, consumeLoginToken } from "#auth/login-tokens.ts";
import { verifyOrRefuse, CHALLENGE_LIFETIME_MS, relyingParty } from "./ceremony.ts";
import { findPasskey, recordPasskeyUse } from "./store.ts";

type RequiredServices = Pick<Services, "db" | "clock" | "ids" | "config">;

/** The options with which the browser offers its passkeys for this site; the user is not known yet. */
export async function beginPasskeySignIn(services: RequiredServices): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const challenge = await issueLoginToken(services, {
    userId: "",
    purpose: "passkey_sign_in",
    lifetimeMs: CHALLENGE_LIFETIME_MS,
  });
  return generateAuthenticationOptions({
    rpID: relyingParty(services.config).id,
    challenge: fromBase64Url(challenge),
    timeout: CHALLENGE_LIFETIME_MS,
    userVerification: "required",
  });
}

/** Verifies a passkey response and starts a session of its owner; returns the session token. */
export async function signInWithPasskey(
  services: RequiredServices,
  input: { response: AuthenticationResponseJSON },
): Promise<string> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { db, clock, config } = services;
  const passkey = await findPasskey(db, input.response.id);
  if (passkey === undefined) {
    return refuse({ code: "invalid_request", message: "this passkey is not registered here" });
  }
  const party = relyingParty(config);
  const { verified, authenticationInfo } = await verifyOrRefuse(() =>
    verifyAuthenticationResponse({
      response: input.response,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      expectedChallenge: async (challenge) =>
        (await consumeLoginToken(services, { token: challenge, purpose: "passkey_sign_in" })) !== null,
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
  await recordPasskeyUse(db, passkey.id, authenticationInfo.newCounter, clock.now());
  return startSession(services, { userId: passkey.userId });
}
