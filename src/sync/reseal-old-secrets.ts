import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { resealSecrets } from "#sealing/index.ts";

/** Seals with the current key what an older key has sealed, so that the operator can remove the older key. */
export async function resealOldSecrets(services: Services): Promise<void> {
  const run = await resealSecrets(services);
  if (run !== null) {
    log("info", "reseal.done", { ...run });
  }
}
