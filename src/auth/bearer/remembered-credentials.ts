import type { CredentialId, CredentialRow } from "./store.ts";

/** What this isolate remembers of a credential from its last request. */
export interface RememberedCredential {
  readonly id: CredentialId;
  /** The row as the exact JSON text of the database. */
  readonly text: string;
  readonly row: CredentialRow;
  /** For an API key: its last use that is stored, or that a deferred write is about to store. */
  lastUsedAt: number | null;
}

/** How many credentials an isolate remembers; each takes about 1 KB. */
const CAPACITY = 1000;

/**
 * Remembered credentials; the one that was unused for the longest time is forgotten first. It contains only data, never an object of a
 * request.
 */
const remembered = new Map<string, RememberedCredential>();

const keyOf = ({ hash, resource }: CredentialId) => `${hash} ${resource}`;

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
