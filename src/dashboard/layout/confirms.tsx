import type { FC } from "hono/jsx";
import type { Confirms } from "#core/actor.ts";
import type { FormError } from "#dashboard/request/form.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";

const DESCRIPTIONS = {
  self: "Posts and changes are scheduled without asking you.",
  person: "Each post and change waits until you approve it here.",
} as const satisfies Record<Confirms, string>;

/** A choice of who confirms posts: a person, or the key or app itself, which `holder` names. */
export const ConfirmsChoice: FC<{
  order: readonly Confirms[];
  holder: string;
  selected: string;
  error?: FormError | undefined;
}> = ({ order, holder, selected, error }) => (
  <fieldset class="confirms-choice">
    <legend>Who confirms posts</legend>
    {order.map((confirms) => (
      <label class="choice">
        <input type="radio" name="confirms" value={confirms} checked={confirms === selected} />
        <span>
          <b>{confirms === "self" ? holder : "A person confirms in the dashboard"}</b>
          <small>{DESCRIPTIONS[confirms]}</small>
        </span>
      </label>
    ))}
    {error?.param === "confirms" && (
      <p class="field-error" role="alert">
        {toSentence(error.message)}
      </p>
    )}
  </fieldset>
);

/** Says in a list who confirms the posts of a key or an app. */
export const ConfirmsNote: FC<{ confirms: Confirms; holder: string }> = ({ confirms, holder }) => (
  <span>{confirms === "self" ? `${holder} confirms posts` : "A person confirms posts in the dashboard"}</span>
);

/**
 * A button that makes the posts of a key or app wait for a person. It needs no confirmation, because it only takes
 * permissions away.
 */
export const AskFirstForm: FC<{ action: string; target: string }> = ({ action, target }) => (
  <form method="post" action={action}>
    <input type="hidden" name="confirms" value="person" />
    <button class="secondary" aria-label={`Ask me first about posts of ${target}`}>
      Ask me first
    </button>
  </form>
);
