import type { Child, FC } from "hono/jsx";
import type { Account } from "#accounts/index.ts";
import type { SignedInUser } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { EditPreview } from "#planning/index.ts";
import type { EditChange, Post } from "#posts/index.ts";
import type { PreviewResult } from "#confirming/index.ts";
import { EndsBefore } from "#dashboard/layout/ends-before.tsx";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { type Display, formatDateTime, formatTime, formatZone } from "#dashboard/wording/display.ts";
import { firstWords } from "#dashboard/wording/post-state.ts";
import { POST_STATUS_LABELS } from "#dashboard/wording/post-wording.ts";
import type { SubscriptionEnd } from "#dashboard/wording/subscription-end.ts";
import { warningsInWords } from "#dashboard/wording/warning-sentences.ts";
import type { Action, SelectionForm } from "./selection-form.ts";

const SELECTION_PATH = "/dashboard/selection";

export const VERBS = {
  move: "Move",
  label: "Label",
  pause: "Pause",
  resume: "Resume",
  cancel: "Cancel",
} as const satisfies Record<Action, string>;

const HINTS: Partial<Record<Action, string>> = {
  cancel:
    "They will not be published, and leave the calendar. Each can be read and duplicated on its page for 30 more days. This cannot be undone.",
  pause: "They stay where they are and are not published until they are resumed.",
};

export const SelectionPage: FC<{ title: string; signedIn: SignedInUser; children?: Child }> = ({
  title,
  signedIn,
  children,
}) => (
  <DashboardLayout title={title} section="calendar" signedIn={signedIn}>
    {children}
  </DashboardLayout>
);

/** The selection in hidden fields, for the next form. */
const SelectionFields: FC<{ form: SelectionForm; ids?: readonly string[]; hasFields?: boolean }> = ({
  form,
  ids = form.ids,
  hasFields = true,
}) => (
  <>
    {ids.map((id) => (
      <input type="hidden" name="post" value={id} />
    ))}
    <input type="hidden" name="change" value={form.action} />
    <input type="hidden" name="next" value={form.next} />
    {hasFields &&
      form.isFilled &&
      Object.entries(form.fields).map(([name, value]) => <input type="hidden" name={name} value={value} />)}
  </>
);

const MoveFields: FC<{ form: SelectionForm; zone: string }> = ({ form: { fields }, zone }) => (
  <>
    <div class="field">
      <label for="days">By how many days</label>
      <input
        type="number"
        id="days"
        name="days"
        min="-365"
        max="365"
        value={fields.days || "1"}
        aria-describedby="days-hint"
      />
      <p class="hint" id="days-hint">
        A negative number moves to earlier days, 0 stays on the day. Each post keeps its time of day, also when the
        clock changes in between.
      </p>
    </div>
    <div class="field">
      <label for="time">To another time of day</label>
      <input type="time" id="time" name="time" value={fields.time} aria-describedby="time-hint" />
      <p class="hint" id="time-hint">{`Empty keeps the time of each post. Times in ${zone}.`}</p>
    </div>
  </>
);

const LabelFields: FC<{ form: SelectionForm }> = ({ form: { fields } }) => (
  <>
    {(["add", "remove"] as const).map((name) => (
      <div class="field">
        <label for={name}>{name === "add" ? "Add labels" : "Remove labels"}</label>
        <input id={name} name={name} value={fields[name]} autocomplete="off" aria-describedby={`${name}-hint`} />
        <p class="hint" id={`${name}-hint`}>
          Several are separated by commas.
        </p>
      </div>
    ))}
  </>
);

/** A form that asks for the details of the action. */
export const ActionForm: FC<{ form: SelectionForm; display: Display; now: number; problem?: string | undefined }> = ({
  form,
  display,
  now,
  problem,
}) => (
  <form class="card" method="post" action={SELECTION_PATH}>
    {problem !== undefined && (
      <p class="notice error" role="alert">
        {problem}
      </p>
    )}
    <SelectionFields form={form} hasFields={false} />
    {form.action === "move" ? (
      <MoveFields form={form} zone={formatZone(display.timeZone, now)} />
    ) : (
      <LabelFields form={form} />
    )}
    <p class="actions">
      <button>Preview</button>
      <a class="button secondary" href={form.next}>
        Back to the calendar
      </a>
    </p>
  </form>
);

type Edited = EditPreview["posts"][number];

const PostName: FC<{ id: string; caption: string; accounts: Edited["accounts"] }> = ({ id, caption, accounts }) => (
  <>
    <h2>
      <a href={`/dashboard/posts/${id}`}>
        <bdi>{firstWords(caption)}</bdi>
      </a>
    </h2>
    <p class="hint">
      {accounts.map(({ username, platform }) => `${username} (${PLATFORM_NAMES[platform]})`).join(", ")}
    </p>
  </>
);

/** Describes a change: `Mon, 4 Jan, 09:00 → Mon, 11 Jan, 09:00`. */
function changeInWords(display: Display, { field, from, to }: EditChange): string {
  if (field === "labels") {
    const words = (labels: unknown) => (labels as readonly string[]).join(", ") || "no label";
    return `${words(from)} → ${words(to)}`;
  }
  if (field === "scheduled_at") {
    const [before, after] = [from, to].map((instant) => formatDateTime(display, Date.parse(String(instant))));
    return `${before} → ${after}`;
  }
  const label = (status: unknown) => POST_STATUS_LABELS[status as keyof typeof POST_STATUS_LABELS];
  return field === "status" ? `${label(from)} → ${label(to)}` : field;
}

const EditedItem: FC<{ edited: Edited; warnings: readonly string[]; display: Display; ends: Child }> = ({
  edited: { id, accounts, after, changes },
  warnings,
  display,
  ends,
}) => (
  <li class="item">
    <PostName id={id} caption={after.caption} accounts={accounts} />
    {changes.length === 0 ? <p>Nothing changes.</p> : changes.map((change) => <p>{changeInWords(display, change)}</p>)}
    {warnings.length > 0 && (
      <ul class="hint">
        {warnings.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    )}
    {ends}
  </li>
);

interface PreviewedSelection {
  readonly form: SelectionForm;
  readonly display: Display;
  readonly now: number;
  readonly services: Pick<Services, "adapterFor">;
  readonly accounts: readonly Account[];
  readonly subscriptionEnd: SubscriptionEnd | null;
  readonly result: PreviewResult<EditPreview>;
}

/** Previews every selected post, with one button that changes all of them. */
export const SelectionPreview: FC<PreviewedSelection> = (props) => {
  const { form, display, now, services, accounts, subscriptionEnd, result } = props;
  const { posts } = result.preview;
  const button = `${VERBS[form.action]} ${countOf(posts.length, "post")}`;
  return (
    <>
      {HINTS[form.action] !== undefined && <p>{HINTS[form.action]}</p>}
      <form method="post" action={`${SELECTION_PATH}/confirm`}>
        <input type="hidden" name="confirmation_token" value={result.confirmationToken} />
        <SelectionFields form={form} />
        <p class="actions">
          <button class={form.action === "cancel" ? "danger" : undefined}>{button}</button>
          <a class="button secondary" href={form.next}>
            Change nothing
          </a>
        </p>
        <p class="hint">
          {`All of them are changed or none. This preview is valid for five minutes, until ${formatTime(display, result.expiresAt)}. Times in ${formatZone(display.timeZone, now)}.`}
        </p>
      </form>
      <ul class="items">
        {posts.map((edited) => (
          <EditedItem
            edited={edited}
            display={display}
            warnings={warningsInWords(services, edited.after, { button, display })}
            ends={
              <EndsBefore
                accounts={accounts}
                subscriptionEnd={subscriptionEnd}
                preview={edited.after}
                display={display}
              />
            }
          />
        ))}
      </ul>
    </>
  );
};

/** A post that prevents the change of the selection, with the reasons. */
interface RefusedPost {
  readonly id: string;
  /** The post; undefined if it does not exist. */
  readonly post: Post | undefined;
  readonly sentences: readonly string[];
}

/** Says which posts cannot be changed, with a button to continue with the others. */
export const SelectionRefused: FC<{
  form: SelectionForm;
  general: readonly string[];
  refused: readonly RefusedPost[];
  display: Display;
}> = ({ form, general, refused, display }) => {
  const refusedIds = new Set(refused.map(({ id }) => id));
  const rest = form.ids.filter((id) => !refusedIds.has(id));
  return (
    <>
      <div class="notice error" role="alert">
        {general.map((sentence) => (
          <p>{sentence}</p>
        ))}
        <p>
          {refused.length === 0
            ? "Nothing was changed."
            : `Nothing was changed: ${countOf(refused.length, "post")} of ${form.ids.length} cannot be changed like this.`}
        </p>
      </div>
      <div class="actions">
        {rest.length > 0 && (
          <form method="post" action={SELECTION_PATH}>
            <SelectionFields form={form} ids={rest} />
            <button>
              {refused.length === 0 ? "Preview again" : `Go on with the other ${countOf(rest.length, "post")}`}
            </button>
          </form>
        )}
        <a class="button secondary" href={form.next}>
          Back to the calendar
        </a>
      </div>
      <ul class="items">
        {refused.map(({ id, post, sentences }) => (
          <li class="item">
            {post === undefined ? (
              <h2>A post that is no longer there</h2>
            ) : (
              <PostName id={id} caption={post.caption} accounts={post.targets} />
            )}
            {post && (
              <p class="hint">{`${POST_STATUS_LABELS[post.status]}, ${formatDateTime(display, post.scheduledAt)}`}</p>
            )}
            {sentences.map((sentence) => (
              <p>{sentence}</p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
};
