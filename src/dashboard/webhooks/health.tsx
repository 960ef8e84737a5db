import type { FC } from "hono/jsx";
import type { WebhookHealth } from "#core/webhook-sender.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { type Display, formatExactly } from "#dashboard/wording/display.ts";
import type { Webhook } from "#webhooks/index.ts";
import { DISABLED_SENTENCES, STATE_LABELS, STATE_TAGS, stateOf } from "./wording.ts";

export const StateTag: FC<{ webhook: Webhook }> = ({ webhook }) => {
  const state = stateOf(webhook);
  return <span class={STATE_TAGS[state]}>{STATE_LABELS[state]}</span>;
};

const Instant: FC<{ value: number; display: Display }> = ({ value, display }) => (
  <time datetime={new Date(value).toISOString()}>{formatExactly(display, value)}</time>
);

/** The state of a webhook's deliveries on one line. */
export const HealthFacts: FC<{ health: WebhookHealth; display: Display }> = ({ health, display }) => (
  <p class="item-meta">
    {health.lastSuccessAt !== null && (
      <span>
        Last success <Instant value={health.lastSuccessAt} display={display} />
      </span>
    )}
    {health.lastSuccessAt === null && health.failures === 0 && <span>Nothing delivered yet</span>}
    {health.failures > 0 && (
      <span>
        {countOf(health.failures, "failed try", "failed tries")}
        {health.lastSuccessAt === null ? ", none that succeeded" : " since"}
        {health.lastFailureAt !== null && (
          <>
            ; the last <Instant value={health.lastFailureAt} display={display} />
          </>
        )}
      </span>
    )}
    {health.pending > 0 && <span>{`${countOf(health.pending, "delivery", "deliveries")} waiting`}</span>}
    {health.nextTryAt !== null && (
      <span>
        Next try <Instant value={health.nextTryAt} display={display} />
      </span>
    )}
  </p>
);

/** Says why a webhook sends nothing and since when. Empty for an enabled webhook. */
export const DisabledBanner: FC<{ webhook: Webhook; display: Display }> = ({ webhook, display }) =>
  webhook.disabledReason === null ? null : (
    <p class={webhook.disabledReason === "user" ? "notice info" : "notice error"} role="status">
      {DISABLED_SENTENCES[webhook.disabledReason]}
      {webhook.disabledAt !== null && (
        <>
          {" "}
          Since <Instant value={webhook.disabledAt} display={display} />.
        </>
      )}
    </p>
  );
