import { DAY } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { type CreatedKey, refuseKeyLimit } from "./create.ts";
import { hashSecret, generateSecret, secretHint } from "#auth/secrets.ts";
import { countActiveKeys, findActiveKey, replaceKey } from "./store.ts";

/** Creates a key with the name, scopes, lifetime, confirmation setting and workspace of the old one. The old key works for one more day. */
export async function rotateKey(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: { userId: string; id: string; limit?: number },
): Promise<CreatedKey> {
  const { db, clock, ids } = services;
  const now = clock.now();
  const old = await findActiveKey(db, input.userId, input.id, now);
  if (old === undefined) {
    return refuse({ code: "not_found", message: "key not found" });
  }
  const key = generateSecret(ids, "api_key");
  const replacement = {
    id: ids.uuid(),
    hint: secretHint(key),
    expiresAt: old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt),
  };
  const row = {
    ...replacement,
    userId: input.userId,
    name: old.name,
    scopes: [...old.scopes],
    hash: await hashSecret(key),
    createdAt: now,
  };
  // Both keys count while the old one works for another day. So the limit is twice as high during a rotation.
  const limit = 2 * (input.limit ?? Number.MAX_SAFE_INTEGER / 2);
  if (!(await replaceKey(db, row, { id: old.id, expiresAt: now + DAY }, limit))) {
    const used = await countActiveKeys(db, input.userId, now);
    if (used >= limit) {
      refuseKeyLimit(limit, used);
    }
    refuse({ code: "not_found", message: "key not found" });
  }
  return { ...replacement, key };
}
