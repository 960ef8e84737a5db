import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { Delivery, DeliveryTry } from "#core/webhook-sender.ts";
import { CopyableText, Notice } from "#dashboard/layout/components.tsx";
import { type Display, formatDateTime, formatExactly, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import type { StoredWebhook } from "#webhooks/index.ts";
import { Response } from "./deliveries.tsx";
import { DELIVERY_LABELS, DELIVERY_TAGS, describeTry } from "./wording.ts";

const TryItem: FC<{ number: number; attempt: DeliveryTry; display: Display }> = ({ number, attempt, display }) => (
  <li class="item">
    <h3>{`Try ${number}: ${describeTry(attempt)}`}</h3>
    <p class="item-meta">
      <time datetime={new Date(attempt.at).toISOString()}>{formatExactly(display, attempt.at)}</time>
    </p>
    <Response response={attempt.response} />
  </li>
);

/** Indents a delivery's body for reading. It is sent as one line. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Shows one delivery: each try with the receiver's response, and the body. */
export const DeliveryPage: FC<{
  signedIn: SignedInUser;
  display: Display;
  now: number;
  webhook: StoredWebhook;
  delivery: Delivery;
  done?: string | undefined;
}> = ({ signedIn, display, now, webhook, delivery, done }) => {
  const { id, eventId, eventType, status, createdAt, tries, nextTryAt, body } = delivery;
  const path = `/webhooks/${webhook.id}`;
  return (
    <DashboardLayout
      title={eventType}
      section="access"
      assets={{ styles: ["settings", "webhooks"] }}
      signedIn={signedIn}
      lead={
        <>
          <a href="/webhooks">Webhooks</a> /{" "}
          <a href={path}>
            <bdi>{webhook.description || webhook.url}</bdi>
          </a>
        </>
      }
    >
      {done === "resent" && <Notice kind="info">Sent again: the last try below is the newest.</Notice>}
      <section class="card" aria-labelledby="delivery">
        <div class="item-header">
          <h2 id="delivery">Delivery</h2>
          <span class={DELIVERY_TAGS[status]}>{DELIVERY_LABELS[status]}</span>
        </div>
        <dl class="details">
          <dt>Event</dt>
          <dd>
            <code>{eventId}</code>
          </dd>
          <dt>Happened</dt>
          <dd>{`${formatDateTime(display, createdAt)}, ${formatZone(display.timeZone, now)}`}</dd>
          <dt>Sent to</dt>
          <dd>
            <code>{webhook.url}</code>
          </dd>
          {nextTryAt !== null && (
            <>
              <dt>Next try</dt>
              <dd>{formatExactly(display, nextTryAt)}</dd>
            </>
          )}
        </dl>
        <form method="post" action={`${path}/deliveries/${id}/resend`}>
          <p class="hint">Sends the same bytes with a new time and signature, whatever became of it.</p>
          <button class="secondary">Resend</button>
        </form>
      </section>
      <section aria-labelledby="tries">
        <h2 id="tries">Tries</h2>
        {tries.length === 0 ? (
          <p class="empty-state">Not tried yet.</p>
        ) : (
          <ol class="items plain-list">
            {tries.map((attempt, index) => (
              <TryItem number={index + 1} attempt={attempt} display={display} />
            ))}
          </ol>
        )}
      </section>
      <section aria-labelledby="body">
        <h2 id="body">Body</h2>
        <p class="hint">Indented here; it is sent in one line.</p>
        <CopyableText block text={indented(body)} label="the body" />
      </section>
    </DashboardLayout>
  );
};
