import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { fromBase64Url, toBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseName } from "#auth/parse-inputs.ts";
import { issueLoginToken, consumeLoginToken } from "#auth/store-login-tokens.ts";
import { verifyOrRefuse, CHALLENGE_LIFETIME_MS, relyingParty } from "./ceremony.ts";
import { insertPasskey, selectPasskeys } from "./store.ts";

type RequiredServices = Pick<Services, "db" | "clock" | "ids" | "config">;

/** Returns the options with which the browser creates a passkey for this user. */
export async function beginPasskeyRegistration(
  services: RequiredServices,
  user: { userId: string; email: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  // Loaded lazily, because only passkey requests need the library's certificate and CBOR code.
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const existing = await selectPasskeys(services.db, user.userId);
  const challenge = await issueLoginToken(services, {
    userId: user.userId,
    purpose: "passkey_registration",
    lifetimeMs: CHALLENGE_LIFETIME_MS,
  });
  const party = relyingParty(services.config);
  return generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name,
    userID: Uint8Array.from(new TextEncoder().encode(user.userId)),
    userName: user.email,
    challenge: fromBase64Url(challenge),
    timeout: CHALLENGE_LIFETIME_MS,
    excludeCredentials: existing.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Verifies and stores a passkey that the browser created. */
export async function finishPasskeyRegistration(
  services: RequiredServices,
  input: { userId: string; name: string; response: RegistrationResponseJSON },
): Promise<void> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const name = parseName(input.name);
  const party = relyingParty(services.config);
  const { registrationInfo } = await verifyOrRefuse(() =>
    verifyRegistrationResponse({
      response: input.response,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      expectedChallenge: async (challenge) =>
        (await consumeLoginToken(services, { token: challenge, purpose: "passkey_registration" }))?.userId ===
        input.userId,
    }),
  );
  if (registrationInfo === undefined) {
    return refuse({ code: "invalid_request", message: "that passkey could not be verified: try again" });
  }
  const { credential } = registrationInfo;
  const inserted = await insertPasskey(services.db, {
    id: credential.id,
    userId: input.userId,
    name,
    publicKey: toBase64Url(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    createdAt: services.clock.now(),
  });
  if (!inserted) {
    refuse({ code: "invalid_request", message: "this passkey is already registered" });
  }
}
