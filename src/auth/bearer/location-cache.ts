import { MINUTE } from "#core/clock.ts";
import { deriveKey } from "#core/derived-key.ts";
import type { Ids } from "#core/ids.ts";
import { withTimeout } from "#core/with-timeout.ts";
import { type CredentialId, ROW_LAYOUT } from "./store.ts";

/*
 * Isolates of one location share rows through Cloudflare's cache. Only the holder of a credential can read its row: the credential
 * itself encrypts it. Every failure counts as a miss, because the database knows the row too.
 */

/** A credential with its secret. */
export interface OpenCredential {
  readonly id: CredentialId;
  readonly token: string;
}

export interface CachedRow {
  readonly text: string;
  readonly lastUsedAt: number | null;
}

const MAX_AGE_SECONDS = (5 * MINUTE) / 1000;
/** A trip to the database is hardly longer, so that waiting for the cache any longer gains nothing. */
const READ_TIMEOUT_MS = 100;
const IV_BYTES = 12;
const ENCRYPTION = { algorithm: { name: "AES-GCM", length: 256 }, usages: ["encrypt", "decrypt"] } as const;

/** Below the Worker's own host name: another one costs a DNS lookup (https://developers.cloudflare.com/workers/runtime-apis/cache/). */
const urlOf = ({ hash, resource }: CredentialId) => `${resource}/remembered-credentials/${hash}`;

/** Only a row of this credential, resource and layout can be decrypted. */
const additionalData = (id: CredentialId) => new TextEncoder().encode(`${urlOf(id)} ${ROW_LAYOUT[id.kind]}`);

const rowKey = (token: string) => deriveKey(new TextEncoder().encode(token), "remembered credential", ENCRYPTION);

/** The row may be outdated: use it only in a transaction that compares it. */
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
    // The next isolate asks the database.
  }
}

export async function deleteCachedRow(id: CredentialId): Promise<void> {
  try {
    await caches.default.delete(urlOf(id));
  } catch {
    // The row is never used without a comparison, and ends by itself.
  }
}
