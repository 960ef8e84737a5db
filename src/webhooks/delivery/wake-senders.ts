import type { Services } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import { withTimeout } from "#core/with-timeout.ts";
import { batch } from "#db/batch.ts";
import { trimTrialLogStatement } from "#events/index.ts";
import { enabledWebhookIdsStatement } from "./store-delivery.ts";

/** How long (ms) to wait for a sender, so that a silent one does not delay the others. The cron wakes it later. */
const WAKE_TIMEOUT_MS = 5 * SECOND;

/** Wakes the sender of a webhook. Returns whether it answered; never throws. */
export async function wakeSender(services: Pick<Services, "sender">, webhookId: string): Promise<boolean> {
  try {
    const woken = services.sender(webhookId).wake();
    await withTimeout(woken, WAKE_TIMEOUT_MS, () => new Error(`no answer within ${WAKE_TIMEOUT_MS} ms`));
    return true;
  } catch (error) {
    log("warn", "webhook.not_woken", { webhookId, reason: String(error) });
    return false;
  }
}

/**
 * Tells the senders of a workspace that there may be new events, and keeps the log of a trial within its limits. It
 * runs after the response, when the change is written. Never throws, because the cron finds what this call misses.
 */
export async function wakeSenders(
  services: Pick<Services, "config" | "db" | "sender">,
  workspaceId: string,
): Promise<void> {
  const { config, db } = services;
  try {
    await failpoint("webhook.before_wake");
    const { webhooks } = await batch(db, {
      webhooks: enabledWebhookIdsStatement(db, workspaceId),
      trimmed: config.planForAll === null ? trimTrialLogStatement(db, workspaceId) : undefined,
    });
    await Promise.all(webhooks.results.map(({ id }) => wakeSender(services, id)));
  } catch (error) {
    log("warn", "webhook.not_woken", { workspaceId, reason: String(error) });
  }
}
