import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secrets.ts";
import { findStoredClient } from "./resolve-client.ts";
import { refuseOAuth } from "./oauth-refusal.ts";
import type { Client } from "./store.ts";

/** The credentials that a client sent. A client must use exactly one method. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string | null;
}

/** Authenticates a client. It refuses a public client that sends a secret, and a confidential client that sends none. */
export async function authenticateClient(
  services: Pick<Services, "db" | "clock">,
  credentials: ClientCredentials,
): Promise<Client> {
  const client = await findStoredClient(services, credentials.id);
  const { secret } = credentials;
  // Compare hashes, so that the time of the comparison reveals nothing about the secret.
  const secretHash = secret !== null && secretKind(secret) === "client_secret" ? await hashSecret(secret) : null;
  if (client === null || (secret === null) !== (client.secretHash === null) || secretHash !== client.secretHash) {
    return refuseOAuth("invalid_client", "client authentication failed");
  }
  return client;
}
