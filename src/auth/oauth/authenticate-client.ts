import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secrets.ts";
import { findStoredClient } from "./resolve-client.ts";
import { refuseOAuth } from "./oauth-refusal.ts";
import type { Client } from "./store.ts";

/** The credentials a client sent, by exactly one method. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string | null;
}

/** Authenticates a client. A public client that sends a secret and a confidential one that sends none are both refused. */
export async function authenticateClient(
  services: Pick<Services, "db" | "clock">,
  credentials: ClientCredentials,
): Promise<Client> {
  const client = await findStoredClient(services, credentials.id);
  const { secret } = credentials;
  // Hashes are compared, so that the timing of the comparison reveals nothing about the secret.
  const secretHash = secret !== null && secretKind(secret) === "client_secret" ? await hashSecret(secret) : null;
  if (client === null || (secret === null) !== (client.secretHash === null) || secretHash !== client.secretHash) {
    return refuseOAuth("invalid_client", "client authentication failed");
  }
  return client;
}
