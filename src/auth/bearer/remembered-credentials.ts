import type { CredentialId, CredentialRow } from "./store.ts";

/** What this isolate knows of a credential from its last request. */
export interface RememberedCredential {
  readonly id: CredentialId;
  /** As the database writes the row. */
  readonly text: string;
  readonly row: CredentialRow;
  /** Of a key: its last use that is stored or is about to be. */
  lastUsedAt: number | null;
}

/** An entry takes about 1 KB. */
const CAPACITY = 1000;

/** The one forgotten first is the one not used for the longest time. Holds data only: what belongs to a request ends with it. */
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
