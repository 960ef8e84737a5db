import type { Services } from "#context.ts";
import { fetchDocument, isDocumentId } from "./metadata-document.ts";
import { type Client, putDocument, selectClient } from "./store.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A client as the token endpoint needs it: what was known when the person consented is enough. */
export async function knownClient(services: Pick<Services, "db" | "clock">, id: string): Promise<Client | null> {
  if (!UUID.test(id) && !isDocumentId(id)) {
    return null;
  }
  const client = await selectClient(services.db, id);
  if (client === undefined) {
    return null;
  }
  const expired = client.kind === "dynamic" && client.expiresAt !== null && client.expiresAt <= services.clock.now();
  return expired ? null : client;
}

/** A client as the consent page needs it: a metadata document that is not known or no longer fresh is fetched. */
export async function findClient(
  services: Pick<Services, "db" | "clock" | "outbound">,
  id: string,
): Promise<Client | null> {
  const now = services.clock.now();
  const known = await knownClient(services, id);
  if (!isDocumentId(id) || (known !== null && (known.expiresAt ?? 0) > now)) {
    return known;
  }
  const document = await fetchDocument(services.outbound, id);
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
    createdAt: known?.createdAt ?? now,
    expiresAt: now + document.cacheMs,
  };
  await putDocument(services.db, client);
  return client;
}

/** Whether looking this client up may send a request to a stranger's address. */
export function mayFetch(id: string): boolean {
  return isDocumentId(id);
}
