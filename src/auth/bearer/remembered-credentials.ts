import type { CredentialId, CredentialRow } from "./store.ts";

/** What this isolate remembers of a credential since its last request. */
export interface RememberedCredential {
  readonly id: CredentialId;
  /** The credential's row as the exact JSON text from the database. */
  readonly text: string;
  readonly row: CredentialRow;
  /** When (ms) an API key was last used, as stored or about to be stored. Null for an access token. */
  lastUsedAt: number | null;
}

/** How many credentials an isolate remembers, each once for every workspace that its requests name; each takes about 1 KB. */
const CAPACITY = 5000;

/**
 * The remembered credentials. The one that was unused for the longest time is forgotten first. It contains only data,
 * because the runtime forbids using objects of another request.
 */
const remembered = new Map<string, RememberedCredential>();

// mutant: remembered-without-workspace
const keyOf = ({ hash, resource, workspace }: CredentialId) => `${hash} ${resource} ${workspace ?? ""}`;

export function recallCredential(id: CredentialId): RememberedCredential | undefined {
  const key = keyOf(id);
  const found = remembered.get(key);
  if (found !== undefined) {
    remembered.delete(key);
    remembered.set(key, found);
  }
  return found;
}

export function rememberCredential(credential: RememberedCredential): void {
  const key = keyOf(credential.id);
  remembered.delete(key);
  remembered.set(key, credential);
  for (const oldest of remembered.keys()) {
    if (remembered.size <= CAPACITY) {
      return;
    }
    remembered.delete(oldest);
  }
}

export function forgetCredential(id: CredentialId): void {
  remembered.delete(keyOf(id));
}
