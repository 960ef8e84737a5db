import { sleep } from "../service.ts";

const MAX_START_ATTEMPTS = 4;
const WAIT_BETWEEN_STARTS_MS = 3000;

/** Starts the service after a kill; on a busy machine the first start may not answer in time, which is no violation. */
export async function startPatiently<Started>(start: () => Promise<Started>): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === MAX_START_ATTEMPTS) {
        throw error;
      }
      console.log(`  the service did not start (${String(error)}); another attempt follows`);
      await sleep(WAIT_BETWEEN_STARTS_MS);
    }
  }
}
