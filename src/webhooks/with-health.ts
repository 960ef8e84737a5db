import type { Services } from "#context.ts";
import type { StoredWebhook, Webhook } from "./types.ts";

/** How its deliveries go is known only to the webhook's own object. */
export async function withHealth(services: Pick<Services, "sender">, webhook: StoredWebhook): Promise<Webhook> {
  return { ...webhook, health: await services.sender(webhook.id).health() };
}
