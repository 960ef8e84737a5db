import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { disableOfExpiredKeys } from "./store.ts";

/** How far back (ms) expired keys are searched: longer than the cron may stand still. */
const LOOKBACK_MS = 7 * DAY;

export async function endWebhooksOfExpiredKeys({ clock, db }: Pick<Services, "clock" | "db">): Promise<void> {
  const now = clock.now();
  await disableOfExpiredKeys(db, { since: now - LOOKBACK_MS, now });
}
