import type { Services } from "#context.ts";
import type { StoredWebhook, Webhook } from "./types.ts";

/** Adds the health of the deliveries, which only the webhook's own object knows. */
export async function withHealth(services: Pick<Services, "sender">, webhook: StoredWebhook): Promise<Webhook> {
  return { ...webhook, health: await services.sender(webhook.id).health() };
}
