import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secrets.ts";
import { findStoredClient } from "./resolve-client.ts";
import { refuseOAuth } from "./oauth-refusal.ts";
import type { Client } from "./store.ts";

/** The credentials that an OAuth client sent. A client must use exactly one method. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string | null;
}

/** Authenticates an OAuth client. A public client must send no secret; a confidential client must send one. */
export async function authenticateClient(
  services: Pick<Services, "db" | "clock">,
  credentials: ClientCredentials,
): Promise<Client> {
  const client = await findStoredClient(services, credentials.id);
  const { secret } = credentials;
  // Compare hashes of the secrets, so that the duration of the comparison reveals nothing about the secret.
  const secretHash = secret !== null && secretKind(secret) === "client_secret" ? await hashSecret(secret) : null;
  if (client === null || (secret === null) !== (client.secretHash === null) || secretHash !== client.secretHash) {
    return refuseOAuth("invalid_client", "client authentication failed");
  }
  return client;
}
