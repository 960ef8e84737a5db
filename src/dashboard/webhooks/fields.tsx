import type { FC } from "hono/jsx";
import { Field } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import type { Webhook } from "#webhooks/index.ts";
import { EVENT_GROUPS } from "./wording.ts";

export interface WebhookFormValues {
  readonly url: string;
  readonly description: string;
  /** `all` for every type of event, or `chosen` for the ticked types. */
  readonly events: string;
  readonly types: readonly string[];
}

export const EMPTY_VALUES: WebhookFormValues = { url: "", description: "", events: "all", types: [] };

export function valuesOf({ url, description, types }: Webhook): WebhookFormValues {
  return { url, description, events: types.includes("*") ? "all" : "chosen", types };
}

/** The event types that the form requests. Browsers send ticked types with `all` too, but then they do not count. */
export function requestedTypes({ events, types }: Pick<WebhookFormValues, "events" | "types">): readonly string[] {
  return events === "all" ? ["*"] : types;
}

export function readWebhookForm(form: { text(name: string): string; all(name: string): string[] }): WebhookFormValues {
  return {
    url: form.text("url").trim(),
    description: form.text("description"),
    events: form.text("events") || "chosen",
    types: form.all("type"),
  };
}

const EventsChoice: FC<{ value: string; label: string; description: string; selected: string }> = (props) => (
  <label class="choice">
    <input type="radio" name="events" value={props.value} checked={props.value === props.selected} />
    <span>
      <b>{props.label}</b>
      <small>{props.description}</small>
    </span>
  </label>
);

/**
 * The choice of event types. The style sheet shows the checkboxes only for the second choice, so no script is needed.
 */
const EventFields: FC<{ values: WebhookFormValues; error: FormError | undefined }> = ({ values, error }) => (
  <div class="access-fields">
    <fieldset>
      <legend>Which events</legend>
      <EventsChoice
        value="all"
        label="All"
        description="Also those that are added in the future."
        selected={values.events}
      />
      <EventsChoice value="chosen" label="Choose" description="Exactly those below." selected={values.events} />
    </fieldset>
    {EVENT_GROUPS.map(({ id, label, types }) => (
      <fieldset class="checkbox-group event-types" aria-labelledby={`types-${id}`}>
        <legend id={`types-${id}`}>{label}</legend>
        {Object.entries(types).map(([type, sentence]) => (
          <label class="checkbox">
            <input type="checkbox" name="type" value={type} checked={values.types.includes(type)} />
            <span>
              {sentence} <code>{type}</code>
            </span>
          </label>
        ))}
      </fieldset>
    ))}
    {error?.param === "types" && (
      <p class="field-error" role="alert">
        {toSentence(error.message)}
      </p>
    )}
  </div>
);

export const FORM_FIELDS = ["url", "description", "types", "current_password"];

export const WebhookFields: FC<{
  values: WebhookFormValues;
  error: FormError | undefined;
  maxDescription: number;
}> = ({ values, error, maxDescription }) => (
  <>
    <Field
      name="url"
      label="Address"
      type="url"
      required
      maxlength={2048}
      value={values.url}
      placeholder="https://"
      hint="A public https address of yours. Each event is sent there as a POST request."
      error={error}
    />
    <Field
      name="description"
      label="Description"
      maxlength={maxDescription}
      value={values.description}
      hint="What receives the events, for example “newsroom bot”."
      error={error}
    />
    <EventFields values={values} error={error} />
  </>
);
