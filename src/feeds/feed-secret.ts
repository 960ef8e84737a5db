import { sha256Hex, toBase64Url } from "#core/encoding.ts";
import type { Ids } from "#core/ids.ts";

const RANDOM_BYTES = 16;
const FORMAT = /^[A-Za-z0-9_-]{22}$/;

/** Makes the secret of a feed's URL: 128 random bits. */
export function createFeedSecret(ids: Pick<Ids, "random">): string {
  return toBase64Url(ids.random(RANDOM_BYTES));
}

/**
 * Hashes the secret of a feed for the database. Null for text that cannot be a secret, so that it never reaches the
 * database.
 */
export async function hashFeedSecret(secret: string): Promise<string | null> {
  return FORMAT.test(secret) ? await sha256Hex(`calendar_feed:${secret}`) : null;
}
