import type { JsonObject } from "#core/json.ts";
import type { Services } from "#context.ts";
import { seal, unseal } from "#core/aes-gcm.ts";
import type { ConsumedState, StartedState } from "./store-connect-states.ts";

/** What the callback needs again of the start of a login. */
export interface LoginStart {
  readonly codeVerifier: string;
  /** `StartedLogin.state` of the adapter. */
  readonly started: JsonObject;
}

/** The state's hash is part of the purpose, so that nothing decrypts in another login's row. */
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

/** Null for a login that was not started in a browser. */
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
