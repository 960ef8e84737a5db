import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secret-format.ts";
import { knownClient } from "./find-client.ts";
import { refuseOAuth } from "./refusal.ts";
import type { Client } from "./store.ts";

/** What a client showed of itself, by one method only. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string | null;
}

/** Proves a client. A public client with a secret and a confidential one without are both somebody else. */
export async function authenticateClient(
  services: Pick<Services, "db" | "clock">,
  credentials: ClientCredentials,
): Promise<Client> {
  const client = await knownClient(services, credentials.id);
  const { secret } = credentials;
  // Hashes are compared: how long equality takes tells nothing about the secret.
  const shown = secret !== null && secretKind(secret) === "client_secret" ? await hashSecret(secret) : null;
  if (client === null || (secret === null) !== (client.secretHash === null) || shown !== client.secretHash) {
    return refuseOAuth("invalid_client", "client authentication failed");
  }
  return client;
}
