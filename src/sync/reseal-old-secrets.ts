import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { resealSecrets } from "#sealing/index.ts";

/** Seals with the present key what an older one has sealed, so that the older one can go. */
export async function resealOldSecrets(services: Services): Promise<void> {
  const run = await resealSecrets(services);
  if (run !== null) {
    log("info", "reseal.done", { ...run });
  }
}
