import type { Services } from "#context.ts";
import { sha256Hex, toHex } from "#core/encoding.ts";
import { type PersonOfPlatform, saveDeletionRequest } from "./store-data-deletions.ts";

const CODE_BYTES = 16;

/** Records that a person's data are to be deleted, and returns the code of the request; the same one when it is repeated. */
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
