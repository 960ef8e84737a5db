import type { Context } from "#context.ts";
import { authorOf } from "#core/actor.ts";
import { refuseQuota } from "#core/quota.ts";
import { descriptionProblem, normalizeTypes, typesProblem, urlProblem } from "./check-input.ts";
import { refuseProblems } from "./refuse.ts";
import { createSecret } from "./secret.ts";
import { insertWebhook } from "./store.ts";
import type { WebhookTypes, WebhookWithSecret } from "./types.ts";

const NEW_HEALTH = { lastSuccessAt: null, lastFailureAt: null, failures: 0, pending: 0, nextTryAt: null } as const;

/** Creates a webhook. From now on, the events of the active workspace are sent to its address. */
export async function createWebhook(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db" | "ids" | "outbound">,
  input: { readonly url: string; readonly types: WebhookTypes; readonly description?: string | undefined },
): Promise<WebhookWithSecret> {
  const { actor, clock, db, ids } = ctx;
  const { url, types, description = "" } = input;
  refuseProblems([await urlProblem(ctx, url), descriptionProblem(description), typesProblem(types)]);
  const id = ids.uuid();
  const { secret, sealedSecret } = await createSecret(ctx, id);
  const row = {
    id,
    url,
    description,
    types: normalizeTypes(types),
    sealedSecret,
    madeBy: authorOf(actor),
    now: clock.now(),
  };
  const limit = actor.limits.webhooks;
  const { webhook, used } = await insertWebhook(db, actor, row, limit);
  if (webhook === null) {
    return refuseQuota({
      key: "webhooks",
      limit,
      used,
      what: "webhooks in a workspace",
      nextStep: "delete one that is no longer needed",
    });
  }
  return { webhook: { ...webhook, health: NEW_HEALTH }, secret };
}
