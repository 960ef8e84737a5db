import { dueLapses } from "#auth/index.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { pauseForSubscription } from "#posting/status/pause-for-subscription.ts";

/** Ends the subscriptions whose time is over and pauses what their users had scheduled, both or neither. */
export async function lapseDue(services: Services): Promise<void> {
  const lapses = await dueLapses(services);
  if (lapses !== null) {
    await pauseForSubscription(services, lapses.userIds, [lapses.statement]);
    log("info", "subscriptions_lapsed", { users: lapses.userIds.length });
  }
}
