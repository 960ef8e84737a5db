import { DAY } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseName, parseScopes } from "./inputs.ts";
import { hashSecret, mintSecret, secretHint } from "./secret-format.ts";
import { insertKey } from "./store-keys.ts";

export const KEY_DAYS_DEFAULT = 90;
export const KEY_DAYS_MAX = 365;

export interface NewKey {
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Null, said explicitly, for a key that never expires. */
  readonly expiresInDays: number | null;
}

export interface CreatedKey {
  readonly id: string;
  /** Shown once; only its hash is kept. */
  readonly key: string;
  readonly hint: string;
  readonly expiresAt: number | null;
}

/** Makes an API key of a user. */
export async function createKey(services: Pick<Services, "db" | "clock" | "ids">, input: NewKey): Promise<CreatedKey> {
  const { db, clock, ids } = services;
  const name = parseName(input.name);
  const scopes = parseScopes(input.scopes);
  const days = input.expiresInDays;
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= KEY_DAYS_MAX)) {
    refuse({ code: "invalid_request", message: `a key lives 1 to ${KEY_DAYS_MAX} days`, param: "expires_in_days" });
  }
  const now = clock.now();
  const key = mintSecret(ids, "api_key");
  const made = { id: ids.uuid(), hint: secretHint(key), expiresAt: days === null ? null : now + days * DAY };
  await insertKey(db, { ...made, userId: input.userId, name, scopes, hash: await hashSecret(key), createdAt: now });
  return { ...made, key };
}
