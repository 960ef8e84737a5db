import { DAY } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import { refuseQuota } from "#core/quota.ts";
import type { Services } from "#context.ts";
import { parseConfirms, parseName, parseScopes, refuseUnknownPin } from "#auth/parse-inputs.ts";
import { hashSecret, generateSecret, secretHint } from "#auth/secrets.ts";
import { insertKey } from "./store.ts";

export const KEY_DAYS_DEFAULT = 90;
export const KEY_DAYS_MAX = 365;

export interface NewKey {
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /**
   * The lifetime of the key; null for a key that never expires. There is no default, so that the caller must choose.
   */
  readonly expiresInDays: number | null;
  /** Who confirms what is previewed with the key: a person, or (the default) the holder of the key. */
  readonly confirms?: string;
  /** The only workspace in which the key works; by default it works in all of the user. */
  readonly workspaceId?: string | null;
  /** How many keys the user may have. Commands of the operator set no limit. */
  readonly limit?: number;
}

export interface CreatedKey {
  readonly id: string;
  /** The key itself, shown only once, because only its hash is stored. */
  readonly key: string;
  readonly hint: string;
  readonly expiresAt: number | null;
}

export function refuseKeyLimit(limit: number, used: number): never {
  refuseQuota({
    key: "apiKeys",
    limit,
    used,
    what: "API keys",
    nextStep: "revoke one that is no longer needed, or choose a larger plan",
  });
}

export async function createKey(services: Pick<Services, "db" | "clock" | "ids">, input: NewKey): Promise<CreatedKey> {
  const { db, clock, ids } = services;
  const name = parseName(input.name);
  const scopes = parseScopes(input.scopes);
  const confirms = parseConfirms(input.confirms ?? "self");
  const days = input.expiresInDays;
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= KEY_DAYS_MAX)) {
    refuse({
      code: "invalid_request",
      message: `the lifetime of a key is 1 to ${KEY_DAYS_MAX} days`,
      param: "expires_in_days",
    });
  }
  const now = clock.now();
  const key = generateSecret(ids, "api_key");
  const created = { id: ids.uuid(), hint: secretHint(key), expiresAt: days === null ? null : now + days * DAY };
  const row = { ...created, userId: input.userId, name, scopes, confirms, hash: await hashSecret(key), createdAt: now };
  const { limit = Number.MAX_SAFE_INTEGER, workspaceId = null } = input;
  const { inserted, used } = await insertKey(db, { ...row, workspaceId }, limit);
  if (!inserted) {
    return used < limit ? refuseUnknownPin() : refuseKeyLimit(limit, used);
  }
  return { ...created, key };
}
