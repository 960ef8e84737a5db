import { MINUTE } from "#core/clock.ts";
import { deriveKey } from "#core/derived-key.ts";
import type { Ids } from "#core/ids.ts";
import { withTimeout } from "#core/with-timeout.ts";
import { type CredentialId, ROW_LAYOUT } from "./store.ts";

/* The isolates of a Cloudflare location share credential rows through Cloudflare's cache. The credential itself
   encrypts its row, so only its holder can read it. Every failure counts as a miss, because the database also has
   the row. */

/** A credential that still contains its secret, which decrypts the cached row. */
export interface OpenCredential {
  readonly id: CredentialId;
  readonly token: string;
}

export interface CachedRow {
  readonly text: string;
  readonly lastUsedAt: number | null;
}

const MAX_AGE_SECONDS = (5 * MINUTE) / 1000;
/** The cache gets this long (ms) to answer. A query to the database hardly takes longer. */
const READ_TIMEOUT_MS = 100;
const IV_BYTES = 12;
const ENCRYPTION = { algorithm: { name: "AES-GCM", length: 256 }, usages: ["encrypt", "decrypt"] } as const;

/**
 * A cache key on the Worker's own host name; another host costs a DNS lookup
 * (https://developers.cloudflare.com/workers/runtime-apis/cache/).
 */
const urlOf = ({ hash, resource, workspace }: CredentialId) =>
  `${resource}/remembered-credentials/${hash}${workspace === null ? "" : `/${workspace}`}`;

/**
 * Binds the encryption to the credential, the resource, the workspace and the layout, so that no other row can be
 * decrypted in its place.
 */
const additionalData = (id: CredentialId) => new TextEncoder().encode(`${urlOf(id)} ${ROW_LAYOUT[id.kind]}`);

const rowKey = (token: string) => deriveKey(new TextEncoder().encode(token), "remembered credential", ENCRYPTION);

/**
 * Reads a credential's row from the cache. It may be outdated, so use it only in a transaction that compares it with
 * the database.
 */
export async function readCachedRow({ id, token }: OpenCredential): Promise<CachedRow | null> {
  const open = async () => {
    const found = await caches.default.match(urlOf(id));
    if (found === undefined) {
      return null;
    }
    const bytes = await found.bytes();
    const row = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES), additionalData: additionalData(id) },
      await rowKey(token),
      bytes.subarray(IV_BYTES),
    );
    return JSON.parse(new TextDecoder().decode(row)) as CachedRow;
  };
  try {
    return await withTimeout(open(), READ_TIMEOUT_MS, () => new Error("the cache is slow"));
  } catch {
    return null;
  }
}

export async function writeCachedRow(
  ids: Pick<Ids, "random">,
  { id, token }: OpenCredential,
  { text, lastUsedAt }: CachedRow,
): Promise<void> {
  const iv = ids.random(IV_BYTES);
  try {
    const row = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: additionalData(id) },
      await rowKey(token),
      new TextEncoder().encode(JSON.stringify({ text, lastUsedAt } satisfies CachedRow)),
    );
    const headers = { "Cache-Control": `max-age=${MAX_AGE_SECONDS}` };
    await caches.default.put(urlOf(id), new Response(new Blob([iv, row]), { headers }));
  } catch {
    // A row that could not be cached does no harm: the next isolate asks the database.
  }
}

export async function deleteCachedRow(id: CredentialId): Promise<void> {
  try {
    await caches.default.delete(urlOf(id));
  } catch {
    // A row that stays in the cache does no harm: it is compared with the database before each use, and it expires.
  }
}
