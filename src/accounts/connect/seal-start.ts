import type { JsonObject } from "#core/json.ts";
import type { Services } from "#context.ts";
import { seal, unseal } from "#core/aes-gcm.ts";
import type { ConsumedState, StartedState } from "./store-connect-states.ts";

/** What the service stores when a login starts and needs again in the OAuth callback. */
export interface LoginStart {
  readonly codeVerifier: string;
  /** What the adapter's `start` returned for the callback (`StartedLogin.state`). */
  readonly started: JsonObject;
}

/** The hash of the state is part of the encryption purpose, so that a text cannot be decrypted in the row of another login. */
const verifierPurpose = (hash: string) => `connect_state/${hash}/code_verifier`;
const startedPurpose = (hash: string) => `connect_state/${hash}/started`;

export async function sealStart(
  { config, ids }: Pick<Services, "config" | "ids">,
  hash: string,
  start: LoginStart,
): Promise<Pick<StartedState, "sealedCodeVerifier" | "sealedStarted">> {
  return {
    sealedCodeVerifier: await seal(config, ids, verifierPurpose(hash), start.codeVerifier),
    sealedStarted: await seal(config, ids, startedPurpose(hash), JSON.stringify(start.started)),
  };
}

/** Decrypts the stored start of a login. Null if no browser has started the login. */
export async function unsealStart(
  { config }: Pick<Services, "config">,
  hash: string,
  { sealedCodeVerifier, sealedStarted }: Pick<ConsumedState, "sealedCodeVerifier" | "sealedStarted">,
): Promise<LoginStart | null> {
  return sealedStarted === null
    ? null
    : {
        codeVerifier: await unseal(config, verifierPurpose(hash), sealedCodeVerifier),
        started: JSON.parse(await unseal(config, startedPurpose(hash), sealedStarted)) as JsonObject,
      };
}
