import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { resealSecrets } from "#sealing/index.ts";

/** Encrypts texts of older keys with the current key, so that the operator can remove the older keys. */
export async function resealOldSecrets(services: Services): Promise<void> {
  const run = await resealSecrets(services);
  if (run !== null) {
    log("info", "reseal.done", { ...run });
  }
}
