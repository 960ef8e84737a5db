import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { DeliveryPage, DeliveryStatus, DeliveryTry } from "#core/webhook-sender.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { ConfirmForm, FormErrorNotice, Notice } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { capitalize } from "#dashboard/wording/sentence.ts";
import { type Display, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import { MAX_DESCRIPTION_CHARACTERS, type Webhook } from "#webhooks/index.ts";
import { DeliveryList, Response } from "./deliveries.tsx";
import { FORM_FIELDS, WebhookFields, type WebhookFormValues } from "./fields.tsx";
import { DisabledBanner, HealthFacts, StateTag } from "./health.tsx";
import { ReplayForm, type ReplayTime } from "./replay-form.tsx";
import { SecretCard } from "./secret-card.tsx";
import { describeMaker, describeTry } from "./wording.ts";

export interface WebhookPageProps {
  readonly signedIn: SignedInUser;
  readonly display: Display;
  readonly now: number;
  readonly webhook: Webhook;
  readonly deliveries: DeliveryPage;
  readonly filter: DeliveryStatus | null;
  readonly isFirstPage: boolean;
  readonly values: WebhookFormValues;
  readonly replayTime: ReplayTime;
  /** The error of the form with the webhook's settings. */
  readonly error?: FormError | undefined;
  readonly actionError?: FormError | undefined;
  readonly tested?: DeliveryTry | undefined;
  readonly rotatedSecret?: string | undefined;
  readonly done?: string | undefined;
  /** How many events a replay has queued again. */
  readonly replayed?: number | undefined;
}

const nameOf = ({ description, url }: Webhook): string => description || new URL(url).host;

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  saved: "Saved: it applies from the next event on.",
  off: "The webhook is switched off: nothing is sent.",
  on: "The webhook is on again.",
};

/** Shows the receiver's response to a test event that was just sent. */
const TestAnswer: FC<{ tested: DeliveryTry }> = ({ tested }) => {
  const isSuccess = tested.status !== null && tested.status >= 200 && tested.status < 300;
  return (
    <section class={isSuccess ? "notice success" : "notice error"} role="status">
      <p>
        <b>{isSuccess ? "The test arrived." : "The test did not arrive."}</b>{" "}
        {`The receiver gave ${describeTry(tested)}.`}
      </p>
      <Response response={tested.response} />
    </section>
  );
};

/**
 * The form that enables a webhook. It asks what happens to the events since it was disabled; the choice that loses none
 * comes first.
 */
const SwitchOn: FC<{ path: string; signedIn: SignedInUser }> = ({ path, signedIn }) => (
  <form class="card" method="post" action={`${path}/enable`}>
    <fieldset>
      <legend>Switch the webhook on again</legend>
      <label class="choice">
        <input type="radio" name="missed" value="send" checked />
        <span>
          <b>Send what was missed</b>
          <small>Every event since then, oldest first, as far as the last 30 days.</small>
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="missed" value="skip" />
        <span>
          <b>Start now</b>
          <small>Only what happens from now on.</small>
        </span>
      </label>
    </fieldset>
    <ReauthenticationFields signedIn={signedIn} id="enable-password" />
    <button>Switch on</button>
  </form>
);

const Actions: FC<{ path: string; webhook: Webhook; signedIn: SignedInUser }> = ({ path, webhook, signedIn }) => (
  <div class="item-actions">
    <form method="post" action={`${path}/test`}>
      <button class="secondary">Send a test</button>
    </form>
    {webhook.disabledAt === null && (
      <ConfirmForm
        action={`${path}/disable`}
        verb="Switch off"
        target={nameOf(webhook)}
        description="Nothing is sent while it is off. When you switch it on again, what was missed can be sent, as far as the last 30 days."
      />
    )}
    <ConfirmForm
      action={`${path}/rotate`}
      verb="Rotate the secret"
      target={`of ${nameOf(webhook)}`}
      description="Creates a new secret. For 24 hours every request is signed with both, so that your server can change without a gap."
    >
      <ReauthenticationFields signedIn={signedIn} id="rotate-password" />
    </ConfirmForm>
    <ConfirmForm
      action={`${path}/delete`}
      verb="Delete"
      target={nameOf(webhook)}
      description="Nothing more is sent to it, and the record of its deliveries is deleted. This cannot be undone."
    />
  </div>
);

/** The page of one webhook: its state, its settings, and the deliveries of the last 30 days. */
export const WebhookPage: FC<WebhookPageProps> = (props) => {
  const { signedIn, display, now, webhook, values, error, actionError, tested, rotatedSecret, done, replayed } = props;
  const path = `/webhooks/${webhook.id}`;
  return (
    <DashboardLayout
      title={nameOf(webhook)}
      section="access"
      assets={{ styles: ["settings", "webhooks"] }}
      signedIn={signedIn}
      lead={
        <>
          <a href="/webhooks">Webhooks</a> / <code>{webhook.url}</code>
        </>
      }
    >
      <FormErrorNotice error={actionError} />
      {DONE_MESSAGES[done ?? ""] !== undefined && <Notice kind="success">{DONE_MESSAGES[done ?? ""]}</Notice>}
      {replayed !== undefined && (
        <Notice kind="success">
          {replayed === 0
            ? "Nothing happened after that time which was to be sent here."
            : `${capitalize(countOf(replayed, "event is", "events are"))} sent again.`}
        </Notice>
      )}
      {rotatedSecret !== undefined && <SecretCard secret={rotatedSecret} rotated />}
      {tested !== undefined && <TestAnswer tested={tested} />}
      <DisabledBanner webhook={webhook} display={display} />
      {webhook.disabledAt !== null && <SwitchOn path={path} signedIn={signedIn} />}
      <section class="card" aria-labelledby="health">
        <div class="item-header">
          <h2 id="health">Health</h2>
          <StateTag webhook={webhook} />
        </div>
        <HealthFacts health={webhook.health} display={display} />
        <p class="hint">{describeMaker(webhook)}</p>
        <Actions path={path} webhook={webhook} signedIn={signedIn} />
      </section>
      <div class="two-columns">
        <section aria-labelledby="deliveries">
          <h2 id="deliveries">Deliveries of the last 30 days</h2>
          <DeliveryList
            path={path}
            page={props.deliveries}
            filter={props.filter}
            isFirstPage={props.isFirstPage}
            display={display}
          />
          <p class="hint">{`Times in ${formatZone(display.timeZone, now)}.`}</p>
          <ReplayForm path={path} time={props.replayTime} zone={formatZone(display.timeZone, now)} />
        </section>
        <section class="card" aria-labelledby="settings">
          <h2 id="settings">Settings</h2>
          <FormErrorNotice error={error} fields={FORM_FIELDS} />
          <form method="post" action={path}>
            <WebhookFields values={values} error={error} maxDescription={MAX_DESCRIPTION_CHARACTERS} />
            <ReauthenticationFields signedIn={signedIn} id="current_password" error={error} />
            <button>Save</button>
          </form>
        </section>
      </div>
    </DashboardLayout>
  );
};
