import { scrypt, timingSafeEqual } from "node:crypto";
import { fromBase64, toBase64 } from "#core/encoding.ts";
import type { Ids } from "#core/ids.ts";

/** 16 MiB and about 100 ms: the strongest scrypt that fits an isolate with room for neighbours. */
const COST = { N: 2 ** 14, r: 8, p: 5 } as const;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** A real hash of nobody's password: an unknown e-mail costs what a known one costs. A constant, because computing it lazily shows. */
export const DECOY_HASH = "scrypt$16384$8$5$YWxtYW5hYy1kZWNveS1zYQ==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

function derive(password: string, salt: Uint8Array, cost: Cost): Promise<Uint8Array> {
  // NFKC, so that the same password typed on two keyboards is the same password.
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, { ...cost, maxmem: 64 * 2 ** 20 }, (error, key) => {
      if (error) {
        reject(error);
      } else {
        resolve(key);
      }
    });
  });
}

/** `scrypt$N$r$p$salt$key`. */
export async function hashPassword(ids: Pick<Ids, "random">, password: string): Promise<string> {
  const salt = ids.random(SALT_BYTES);
  const key = await derive(password, salt, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${toBase64(salt)}$${toBase64(key)}`;
}

export interface PasswordCheck {
  readonly matches: boolean;
  /** True for a hash made with other parameters than today's: replace it while the password is at hand. */
  readonly outdated: boolean;
}

/** Compares against the parameters in the stored text; null (no password set) costs the same and never matches. */
export async function checkPassword(password: string, stored: string | null): Promise<PasswordCheck> {
  const [scheme, N, r, p, salt, key] = (stored ?? DECOY_HASH).split("$");
  if (scheme !== "scrypt" || salt === undefined || key === undefined) {
    throw new Error("unknown password hash scheme");
  }
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, fromBase64(salt), cost);
  const matches = timingSafeEqual(derived, fromBase64(key)) && stored !== null;
  return { matches, outdated: cost.N !== COST.N || cost.r !== COST.r || cost.p !== COST.p };
}
