import type { Services } from "#context.ts";
import { log } from "#core/log.ts";
import type { WebhookSenderApi } from "#core/webhook-sender.ts";

/** Tells a webhook's object of a change after the response. When that fails, the object reads the row at its next alarm all the same. */
export function tellSender(
  services: Pick<Services, "defer" | "sender">,
  webhookId: string,
  tell: (sender: WebhookSenderApi) => Promise<void>,
): void {
  services.defer(
    tell(services.sender(webhookId)).catch((error: unknown) => {
      log("warn", "webhooks.sender_not_told", {
        webhook_id: webhookId,
        error: error instanceof Error ? error.name : typeof error,
      });
    }),
  );
}
