import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { fromBase64Url, toBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseName } from "#auth/inputs.ts";
import { issueLoginToken, spendLoginToken } from "#auth/store-login-tokens.ts";
import { attempt, CEREMONY_MS, relyingParty } from "./ceremony.ts";
import { insertPasskey, selectPasskeys } from "./store.ts";

type Needs = Pick<Services, "db" | "clock" | "ids" | "config">;

/** What the browser needs to make a passkey for this user. */
export async function beginPasskey(
  services: Needs,
  user: { userId: string; email: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  // Loaded here: certificates and CBOR are of no use to any other request.
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const known = await selectPasskeys(services.db, user.userId);
  const challenge = await issueLoginToken(services, {
    userId: user.userId,
    purpose: "passkey_registration",
    lifetimeMs: CEREMONY_MS,
  });
  const party = relyingParty(services.config);
  return generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name,
    userID: Uint8Array.from(new TextEncoder().encode(user.userId)),
    userName: user.email,
    challenge: fromBase64Url(challenge),
    timeout: CEREMONY_MS,
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Keeps the passkey that the browser made. */
export async function finishPasskey(
  services: Needs,
  input: { userId: string; name: string; response: RegistrationResponseJSON },
): Promise<void> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const name = parseName(input.name);
  const party = relyingParty(services.config);
  const { registrationInfo } = await attempt(() =>
    verifyRegistrationResponse({
      response: input.response,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      expectedChallenge: async (challenge) =>
        (await spendLoginToken(services, { token: challenge, purpose: "passkey_registration" }))?.userId ===
        input.userId,
    }),
  );
  if (registrationInfo === undefined) {
    return refuse({ code: "invalid_request", message: "that passkey could not be verified: try again" });
  }
  const { credential } = registrationInfo;
  const made = await insertPasskey(services.db, {
    id: credential.id,
    userId: input.userId,
    name,
    publicKey: toBase64Url(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    createdAt: services.clock.now(),
  });
  if (!made) {
    refuse({ code: "invalid_request", message: "this passkey is already registered" });
  }
}
