import type { Services } from "#context.ts";
import { isUuid } from "#core/ids.ts";
import { fetchClientDocument, isClientDocumentUrl } from "./client-document.ts";
import { type Client, upsertClient, selectClient } from "./store.ts";

/**
 * Finds a client in the database, for the token endpoint. The user has already consented, so its metadata document is
 * not fetched again.
 */
export async function findStoredClient(services: Pick<Services, "db" | "clock">, id: string): Promise<Client | null> {
  if (!isUuid(id) && !isClientDocumentUrl(id)) {
    return null;
  }
  const client = await selectClient(services.db, id);
  if (client === undefined) {
    return null;
  }
  const expired = client.kind === "dynamic" && client.expiresAt !== null && client.expiresAt <= services.clock.now();
  return expired ? null : client;
}

/** Finds a client for the consent page, and fetches its metadata document if it is not stored or has expired. */
export async function resolveClient(
  services: Pick<Services, "db" | "clock" | "outbound" | "config">,
  id: string,
): Promise<Client | null> {
  const now = services.clock.now();
  const stored = await findStoredClient(services, id);
  if (!isClientDocumentUrl(id) || (stored !== null && (stored.expiresAt ?? 0) > now)) {
    return stored;
  }
  const document = await fetchClientDocument(services, id);
  if (document === null) {
    return null;
  }
  const client: Client = {
    id,
    kind: "metadata_document",
    name: document.name,
    uri: document.uri,
    redirectUris: document.redirectUris,
    secretHash: null,
    createdAt: stored?.createdAt ?? now,
    expiresAt: now + document.cacheMs,
    registeredFrom: null,
  };
  await upsertClient(services.db, client);
  return client;
}

/**
 * Whether looking up this client may send a request to a URL that the caller chose. Callers limit the rate of such
 * lookups.
 */
export function requiresFetch(id: string): boolean {
  return isClientDocumentUrl(id);
}
