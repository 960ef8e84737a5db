import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { fromBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import type { SignedInUser } from "#auth/sessions/resolve.ts";
import { startSession } from "#auth/sessions/start.ts";
import { recordAuthenticationStatement } from "#auth/sessions/store.ts";
import { issueLoginToken, consumeLoginToken } from "#auth/store-login-tokens.ts";
import { verifyOrRefuse, CHALLENGE_LIFETIME_MS, relyingParty } from "./ceremony.ts";
import { findPasskey, recordPasskeyUse, selectPasskeys } from "./store.ts";

type RequiredServices = Pick<Services, "db" | "clock" | "ids" | "config">;

/** What a passkey is used for. A challenge for one purpose is refused for another. */
type PasskeyUse =
  | { readonly purpose: "passkey_sign_in"; readonly userId: "" }
  | { readonly purpose: "passkey_reauthentication"; readonly userId: string };

/** The challenge of a sign-in belongs to no user, because the user is not known yet. */
const SIGN_IN = { purpose: "passkey_sign_in", userId: "" } as const;

async function createOptions(
  services: RequiredServices,
  use: PasskeyUse,
  allowed?: { id: string; transports: string[] }[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const challenge = await issueLoginToken(services, { ...use, lifetimeMs: CHALLENGE_LIFETIME_MS });
  return generateAuthenticationOptions({
    rpID: relyingParty(services.config).id,
    challenge: fromBase64Url(challenge),
    timeout: CHALLENGE_LIFETIME_MS,
    userVerification: "required",
    ...(allowed === undefined ? {} : { allowCredentials: allowed }),
  });
}

/** Verifies a browser's response to a passkey challenge, and records the use. Returns the owner of the passkey. */
async function verifyPasskey(
  services: RequiredServices,
  use: PasskeyUse,
  response: AuthenticationResponseJSON,
): Promise<string> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { db, clock, config } = services;
  const passkey = await findPasskey(db, response.id);
  if (passkey === undefined || (use.purpose === "passkey_reauthentication" && passkey.userId !== use.userId)) {
    return refuse({ code: "invalid_request", message: "this passkey is not registered here" });
  }
  const party = relyingParty(config);
  const { verified, authenticationInfo } = await verifyOrRefuse(() =>
    verifyAuthenticationResponse({
      response,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      expectedChallenge: async (challenge) =>
        (await consumeLoginToken(services, { token: challenge, purpose: use.purpose }))?.userId === use.userId,
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
  return passkey.userId;
}

/** Starts a sign-in with a passkey. Returns the options with which the browser offers the passkeys of this site. */
export function beginPasskeySignIn(services: RequiredServices): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return createOptions(services, SIGN_IN);
}

/** Verifies a passkey response and starts a session of the passkey's owner. Returns the session token. */
export async function signInWithPasskey(
  services: RequiredServices,
  input: { response: AuthenticationResponseJSON },
): Promise<string> {
  return startSession(services, { userId: await verifyPasskey(services, SIGN_IN, input.response) });
}

/**
 * Starts the proof of a signed-in user with a passkey. Returns the options with which the browser asks for one of the
 * user's passkeys.
 */
export async function beginPasskeyReauthentication(
  services: RequiredServices,
  input: { userId: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { userId } = input;
  const passkeys = await selectPasskeys(services.db, userId);
  const allowed = passkeys.map(({ id, transports }) => ({ id, transports }));
  return createOptions(services, { purpose: "passkey_reauthentication", userId }, allowed);
}

/** Verifies the passkey response of a signed-in user. Their session then counts as recently authenticated. */
export async function reauthenticateWithPasskey(
  services: RequiredServices,
  session: Pick<SignedInUser, "actor">,
  input: { response: AuthenticationResponseJSON },
): Promise<void> {
  const { userId, credential } = session.actor;
  await verifyPasskey(services, { purpose: "passkey_reauthentication", userId }, input.response);
  await recordAuthenticationStatement(services.db, {
    hash: credential.id,
    userId,
    now: services.clock.now(),
  }).run();
}
