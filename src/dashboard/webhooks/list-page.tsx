import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { ApiAccessTabs } from "#dashboard/layout/api-access-tabs.tsx";
import { CopyableText, FormErrorNotice, Notice } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { type Display, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import { MAX_DESCRIPTION_CHARACTERS, type Webhook } from "#webhooks/index.ts";
import { FORM_FIELDS, WebhookFields, type WebhookFormValues } from "./fields.tsx";
import { DisabledBanner, HealthFacts, StateTag } from "./health.tsx";
import { typesInWords } from "./wording.ts";

const WebhookItem: FC<{ webhook: Webhook; display: Display }> = ({ webhook, display }) => (
  <li class="item">
    <div class="item-header">
      <h3>
        <a href={`/webhooks/${webhook.id}`}>
          <bdi>{webhook.description || new URL(webhook.url).host}</bdi>
        </a>
      </h3>
      <StateTag webhook={webhook} />
    </div>
    <DisabledBanner webhook={webhook} display={display} />
    <p class="item-meta">
      <code>{webhook.url}</code>
      <span>{typesInWords(webhook.types)}</span>
    </p>
    <HealthFacts health={webhook.health} display={display} />
  </li>
);

/**
 * The switch for the event log, which programs can read instead of getting webhooks. A workspace with a webhook always
 * writes the log.
 */
const EventLogSwitch: FC<{ isOn: boolean; hasWebhooks: boolean; baseUrl: string }> = (props) => {
  const { isOn, hasWebhooks, baseUrl } = props;
  return (
    <section class="card" aria-labelledby="event-log">
      <h2 id="event-log">Event log</h2>
      <p>
        Programs that cannot receive webhooks read the events instead, oldest first, as often as they like. Each answer
        says where the next one goes on, so that none is missed; events are kept for 30 days.
      </p>
      <CopyableText text={`GET ${baseUrl}/events?after=0`} label="the call that reads events" />
      <p>
        {isOn
          ? "The log is on: events are recorded, with or without a webhook."
          : hasWebhooks
            ? "Events are recorded while the workspace has a webhook. Switch the log on to keep them recorded without one."
            : "The log is off: nothing is recorded, because this workspace has no webhook."}
      </p>
      <form method="post" action="/webhooks/event-log">
        <input type="hidden" name="log" value={isOn ? "off" : "on"} />
        <button class="secondary">{isOn ? "Switch the log off" : "Switch the log on"}</button>
      </form>
    </section>
  );
};

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  deleted: "The webhook is deleted. Nothing more is sent to it.",
  "log-on": "The event log is on: everything that happens from now on is recorded.",
  "log-off": "The event log is off.",
};

/** Lists the webhooks of the active workspace and the state of their deliveries, with a form for a new one. */
export const WebhookListPage: FC<{
  signedIn: SignedInUser;
  display: Display;
  now: number;
  webhooks: readonly Webhook[];
  limit: number;
  isLogOn: boolean;
  baseUrl: string;
  values: WebhookFormValues;
  error?: FormError | undefined;
  done?: string | undefined;
}> = (props) => {
  const { signedIn, display, now, webhooks, limit, isLogOn, baseUrl, values, error, done } = props;
  return (
    <DashboardLayout
      title="AI & API"
      section="access"
      assets={{ styles: ["settings", "webhooks"] }}
      signedIn={signedIn}
      lead="A webhook tells your server what happens in this workspace: a post is published, an account needs a new login."
    >
      <ApiAccessTabs current="webhooks" />
      {DONE_MESSAGES[done ?? ""] !== undefined && <Notice kind="success">{DONE_MESSAGES[done ?? ""]}</Notice>}
      <div class="two-columns">
        <section aria-labelledby="webhooks">
          <h2 id="webhooks">Webhooks</h2>
          {webhooks.length === 0 ? (
            <p class="empty-state">No webhooks yet. Nothing is sent anywhere.</p>
          ) : (
            <>
              <ul class="items">
                {webhooks.map((webhook) => (
                  <WebhookItem webhook={webhook} display={display} />
                ))}
              </ul>
              <p class="hint">{`Times in ${formatZone(display.timeZone, now)}.`}</p>
            </>
          )}
          <EventLogSwitch isOn={isLogOn} hasWebhooks={webhooks.length > 0} baseUrl={baseUrl} />
        </section>
        <section class="card" aria-labelledby="new-webhook">
          <h2 id="new-webhook">New webhook</h2>
          <FormErrorNotice error={error} fields={FORM_FIELDS} />
          {webhooks.length >= limit ? (
            <p>{`This workspace has ${limit} webhooks, which is as many as your plan allows. Delete one to make another.`}</p>
          ) : (
            <form method="post" action="/webhooks">
              <WebhookFields values={values} error={error} maxDescription={MAX_DESCRIPTION_CHARACTERS} />
              <ReauthenticationFields signedIn={signedIn} id="current_password" error={error} />
              <button>Create webhook</button>
            </form>
          )}
        </section>
      </div>
    </DashboardLayout>
  );
};
