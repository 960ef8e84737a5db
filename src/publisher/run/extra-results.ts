import type { StoredExtra, StoredExtras } from "#db/schema.ts";
import type { PublishedOutcome } from "#platforms/contract.ts";
import { toTargetError } from "./target-errors.ts";

/** The results of a target's extras, as the owner of the post reads them. */
export function toExtraResults(extras: NonNullable<PublishedOutcome["extras"]>): StoredExtras {
  return Object.fromEntries(
    Object.entries(extras).map(([name, { status, id, url, fault }]): [string, StoredExtra] => [
      name,
      {
        status,
        id: id?.toWellFormed() ?? null,
        url: url?.toWellFormed() ?? null,
        error: fault && toTargetError(fault),
      },
    ]),
  );
}
