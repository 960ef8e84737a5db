import type { Services } from "#context.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { putToldAt, selectOverdueWebhooks, type WebhookKey } from "./store-overdue.ts";
import { wakeSender } from "./wake-senders.ts";

const PAGE_SIZE = 500;
/** After this time (ms) a run wakes no more senders, so that it ends before the cron's next run. */
const RUN_BUDGET_MS = 20 * SECOND;
const MAX_CONCURRENT_WAKES = 25;
/** How much (ms) later than its time an event may be written. */
const MARGIN_MS = 2 * MINUTE;

/**
 * Wakes the senders of workspaces with events since the last run. So a sender that was not notified waits at most until
 * here. A run that does not finish keeps the stored time, and the next run begins at another webhook.
 */
export async function wakeOverdueSenders(
  services: Pick<Services, "clock" | "db" | "ids" | "sender">,
): Promise<{ readonly woken: number }> {
  const startedAt = services.clock.now();
  const isOver = () => services.clock.now() >= startedAt + RUN_BUDGET_MS;
  const start: WebhookKey = { workspaceId: services.ids.secretUuid(), id: "" };
  let woken = 0;
  let found = 0;
  const wakePage = async (webhooks: readonly WebhookKey[]) => {
    const waiting = [...webhooks];
    const wakeNext = async () => {
      for (let next = waiting.shift(); next; next = isOver() ? undefined : waiting.shift()) {
        woken += (await wakeSender(services, next.id)) ? 1 : 0;
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_WAKES }, wakeNext));
  };
  // Go through all webhooks once from a random start, so that each gets its turn even if runs do not finish.
  for (const range of [
    { after: start, upTo: null },
    { after: { workspaceId: "", id: "" }, upTo: start },
  ]) {
    let after: WebhookKey | undefined = range.after;
    while (after && !isOver()) {
      const page: readonly WebhookKey[] = await selectOverdueWebhooks(services.db, {
        after,
        upTo: range.upTo,
        marginMs: MARGIN_MS,
        limit: PAGE_SIZE,
      });
      found += page.length;
      await wakePage(page);
      after = page.length < PAGE_SIZE ? undefined : page.at(-1);
    }
  }
  if (found > 0) {
    log("info", "webhook.overdue", { found, woken });
    if (!isOver()) {
      await putToldAt(services.db, startedAt);
    }
  }
  return { woken };
}
