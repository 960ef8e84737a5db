import type { Services } from "#context.ts";
import { sha256Hex, toHex } from "#core/encoding.ts";
import { type PersonOfPlatform, saveDeletionRequest } from "./store-data-deletions.ts";

const CODE_BYTES = 16;

/**
 * Stores a platform's request to delete a person's data and returns its confirmation code. A repeated request gets the
 * same code.
 */
export async function recordDeletionRequest(
  { db, ids, clock }: Pick<Services, "db" | "ids" | "clock">,
  person: PersonOfPlatform,
): Promise<string> {
  return await saveDeletionRequest(db, person, {
    code: toHex(ids.random(CODE_BYTES)),
    personHash: await sha256Hex(`${person.platform}:${person.externalId}`),
    now: clock.now(),
  });
}
