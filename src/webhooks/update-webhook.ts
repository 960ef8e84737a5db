import type { Context } from "#context.ts";
import { authorOf } from "#core/actor.ts";
import { refuse } from "#core/errors.ts";
import { descriptionProblem, normalizeTypes, typesProblem, urlProblem } from "./check-input.ts";
import { wakeSender } from "./delivery/wake-senders.ts";
import { requireWebhook } from "./get-webhook.ts";
import { refuseProblems } from "./refuse.ts";
import { updateWebhookRow } from "./store.ts";
import type { MissedChoice, Webhook, WebhookTypes } from "./types.ts";
import { withHealth } from "./with-health.ts";

export interface WebhookInput {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly types?: WebhookTypes | undefined;
  readonly enabled?: boolean | undefined;
  /** Whether the events since the webhook was disabled are sent. Required for enabling it. */
  readonly missed?: MissedChoice | undefined;
}

const MISSED_REQUIRED = "missed is required to enable the webhook again: send or skip the events since it was disabled";

/** Changes the given members and leaves the rest. */
export async function updateWebhook(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db" | "defer" | "outbound" | "sender">,
  { id, ...change }: WebhookInput & { readonly id: string },
): Promise<Webhook> {
  const { url, description, types, enabled, missed } = change;
  const changesNothing = [url, description, types, enabled].every((value) => value === undefined);
  refuseProblems([
    changesNothing
      ? { code: "no_changes", message: "name what is to change: url, description, types or enabled" }
      : null,
    url === undefined ? null : await urlProblem(ctx, url),
    description === undefined ? null : descriptionProblem(description),
    types === undefined ? null : typesProblem(types),
  ]);
  const updated = await updateWebhookRow(ctx.db, ctx.actor, id, {
    url,
    description,
    types: types && normalizeTypes(types),
    enabled,
    missed,
    author: authorOf(ctx.actor),
    now: ctx.clock.now(),
  });
  if (updated === null) {
    await requireWebhook(ctx, id);
    refuse({
      code: "validation_failed",
      message: MISSED_REQUIRED,
      param: "missed",
      details: [{ code: "required", message: MISSED_REQUIRED, param: "missed" }],
    });
  }
  if (enabled === true) {
    ctx.defer(wakeSender(ctx, id));
  }
  return await withHealth(ctx, updated);
}
