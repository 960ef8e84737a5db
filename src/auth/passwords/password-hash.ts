import { scrypt, timingSafeEqual } from "node:crypto";
import { fromBase64, toBase64 } from "#core/encoding.ts";
import type { Ids } from "#core/ids.ts";
import { PASSWORD_COST } from "./password-cost.ts";
import { passwordQueue, type QueueClient } from "./password-queue.ts";

const SALT_BYTES = 16;
const KEY_BYTES = 32;

const PREFIX = `scrypt$${PASSWORD_COST.N}$${PASSWORD_COST.r}$${PASSWORD_COST.p}$`;

/**
 * A valid hash that matches no password. With it, signing in with an unknown e-mail takes as long as with a known one.
 * It is a constant, because computing it at its first use would take measurable time.
 */
export const DUMMY_HASH = `${PREFIX}YWxtYW5hYy1kZWNveS1zYQ==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=`;

interface ScryptParameters {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

function deriveKey(
  password: string,
  salt: Uint8Array,
  cost: ScryptParameters,
  client?: QueueClient,
): Promise<Uint8Array> {
  return passwordQueue.run(() => computeScrypt(password, salt, cost), client);
}

/**
 * Computes a scrypt hash. Despite the callback it blocks the isolate, because workerd computes the hash on the same
 * thread.
 */
function computeScrypt(password: string, salt: Uint8Array, cost: ScryptParameters): Promise<Uint8Array> {
  // Keyboards compose the same character differently. NFKC makes these texts equal.
  return new Promise((resolve, reject) => {
    // mutant: count-scrypt
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, { ...cost, maxmem: 64 * 2 ** 20 }, (error, key) => {
      if (error) {
        reject(error);
      } else {
        resolve(key);
      }
    });
  });
}

/**
 * Hashes a password as `scrypt$N$r$p$salt$key`. Throws PasswordQueueFullError while too many passwords wait in the
 * isolate.
 */
export async function hashPassword(ids: Pick<Ids, "random">, password: string): Promise<string> {
  const salt = ids.random(SALT_BYTES);
  const key = await deriveKey(password, salt, PASSWORD_COST);
  return `${PREFIX}${toBase64(salt)}$${toBase64(key)}`;
}

export interface PasswordCheck {
  readonly matches: boolean;
  /**
   * True if the stored hash has other parameters than the current ones. The caller should make a new hash now, while it
   * has the password.
   */
  readonly outdated: boolean;
}

/**
 * Checks a password with the parameters of the stored hash. A null hash (no password set) takes the same time and never
 * matches.
 */
export async function checkPassword(
  password: string,
  stored: string | null,
  client?: QueueClient,
): Promise<PasswordCheck> {
  // mutant: quick-unknown-address
  const [scheme, N, r, p, salt, key] = (stored ?? DUMMY_HASH).split("$");
  if (scheme !== "scrypt" || salt === undefined || key === undefined) {
    throw new Error("unknown password hash scheme");
  }
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await deriveKey(password, fromBase64(salt), cost, client);
  const matches = timingSafeEqual(derived, fromBase64(key)) && stored !== null;
  return {
    matches,
    outdated: cost.N !== PASSWORD_COST.N || cost.r !== PASSWORD_COST.r || cost.p !== PASSWORD_COST.p,
  };
}
