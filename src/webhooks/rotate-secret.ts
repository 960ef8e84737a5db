import type { Context } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { refuseWebhookNotFound } from "./refuse.ts";
import { createSecret } from "./secret.ts";
import { replaceSecret } from "./store.ts";
import type { WebhookWithSecret } from "./types.ts";
import { withHealth } from "./with-health.ts";

/** Creates a new signing secret. The old one also signs for a day, so that the receiver can change without refusing an event. */
export async function rotateSecret(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db" | "ids" | "sender">,
  { id }: { readonly id: string },
): Promise<WebhookWithSecret> {
  const { secret, sealedSecret } = await createSecret(ctx, id);
  const now = ctx.clock.now();
  const webhook = await replaceSecret(ctx.db, ctx.actor, id, { sealedSecret, previousUntil: now + DAY, now });
  return webhook ? { webhook: await withHealth(ctx, webhook), secret } : refuseWebhookNotFound();
}
