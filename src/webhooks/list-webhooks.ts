import type { Context } from "#context.ts";
import { selectWebhooks } from "./store.ts";
import type { Webhook } from "./types.ts";
import { withHealth } from "./with-health.ts";

/** The webhooks of the active workspace, oldest first. */
export async function listWebhooks(ctx: Pick<Context, "actor" | "db" | "sender">): Promise<readonly Webhook[]> {
  const webhooks = await selectWebhooks(ctx.db, ctx.actor);
  return await Promise.all(webhooks.map((webhook) => withHealth(ctx, webhook)));
}
