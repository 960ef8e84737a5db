import type { Child, FC } from "hono/jsx";
import type { TargetAccount } from "#accounts/index.ts";
import type { SignedInUser } from "#auth/index.ts";
import { Notice } from "#dashboard/layout/components.tsx";
import { type Display, formatDateTime, formatTime, formatZone } from "#dashboard/wording/display.ts";
import { EndsBefore } from "#dashboard/layout/ends-before.tsx";
import { deadlineInWords } from "#dashboard/wording/warning-sentences.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import type { SubscriptionEnd } from "#dashboard/wording/subscription-end.ts";
import type { PreviewResult } from "#confirming/index.ts";
import type { PlannedTime, SchedulePreview } from "#planning/index.ts";
import { type AccountSettings, type ComposerView } from "./composer-view.ts";
import { PREVIEW_ASSETS } from "./composer-page.tsx";
import { type PostForm, postFormFields } from "#dashboard/post-form/post-form.ts";
import { PreviewedPost, Statements } from "./target-preview.tsx";

/** The whole form in hidden fields, so that the preview page can send it again or return to it. */
export const HiddenForm: FC<{ form: PostForm }> = ({ form }) => (
  <>
    {postFormFields(form).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

export const ChangeButton: FC = () => (
  <button class="secondary" name="intent" value="change" formaction="/dashboard/posts/preview">
    Change something
  </button>
);

/** Says until when the preview can be confirmed: until it expires, or until the post's time if that is earlier. */
export const ExpiryHint: FC<{
  expiresAt: number;
  scheduledAt: PlannedTime;
  display: Display;
  verb: string;
  button?: string;
}> = ({ expiresAt, scheduledAt, display, verb, button = verb }) =>
  scheduledAt !== "now" && scheduledAt <= expiresAt ? (
    <p class="notice info">{deadlineInWords(button, scheduledAt, display)}</p>
  ) : (
    <p class="hint">
      This preview is valid for five minutes, until {formatTime(display, expiresAt)}. {verb} it before then, or preview
      it again.
    </p>
  );

/** When the post will be published, with the time zone. */
export const When: FC<{ time: PlannedTime; display: Display }> = ({ time, display }) =>
  time === "now" ? (
    <p>
      Published <b>as soon as you confirm</b>.{" "}
      <span class="hint">Its time is the moment at which you press the button.</span>
    </p>
  ) : (
    <p>
      <time datetime={new Date(time).toISOString()}>{formatDateTime(display, time)}</time>{" "}
      <span class="hint">{formatZone(display.timeZone, time)}</span>
    </p>
  );

/** The first characters of the plan hash. With them a person can compare the preview with the published post. */
export const PlanHash: FC<{ hash: string }> = ({ hash }) => (
  <details>
    <summary>Technical details</summary>
    <p class="hint">
      Fingerprint of this content: <code title={hash}>{hash.slice(0, 12)}</code>
    </p>
  </details>
);

export const PreviewPage: FC<{
  signedIn: SignedInUser;
  services: ComposerView["services"];
  settings: AccountSettings;
  previewed: PreviewResult<SchedulePreview>;
  form: PostForm;
  display: Display;
  accounts: readonly TargetAccount[];
  subscriptionEnd: SubscriptionEnd | null;
  /** When (ms) the page renewed the preview after the first one had expired. Null if it is the first. */
  renewedAt: number | null;
}> = ({ signedIn, services, settings, previewed, form, display, accounts, subscriptionEnd, renewedAt }) => {
  const { preview } = previewed;
  const label = preview.scheduledAt === "now" ? "Publish now" : "Schedule";
  return (
    <DashboardLayout title="Preview" section="calendar" signedIn={signedIn} hasLists={false} assets={PREVIEW_ASSETS}>
      {renewedAt !== null && (
        <Notice kind="info">{`The times were checked again at ${formatTime(display, renewedAt)}.`}</Notice>
      )}
      <When time={preview.scheduledAt} display={display} />
      <EndsBefore accounts={accounts} subscriptionEnd={subscriptionEnd} preview={preview} display={display} />
      <Statements services={services} preview={preview} />
      <p class="actions">
        <button form="confirm">{label}</button>
      </p>
      <PreviewedPost services={services} settings={settings} display={display} preview={preview} />
      <form class="composer-actions" id="confirm" method="post" action="/dashboard/posts/confirm">
        <HiddenForm form={form} />
        <input type="hidden" name="confirmation_token" value={previewed.confirmationToken} />
        <Statements services={services} preview={preview} />
        <p class="actions">
          <button>{label}</button>
          <ChangeButton />
        </p>
        <ExpiryHint
          expiresAt={previewed.expiresAt}
          scheduledAt={preview.scheduledAt}
          display={display}
          verb={preview.scheduledAt === "now" ? "Publish" : "Schedule"}
          button={label}
        />
        <PlanHash hash={preview.planHash} />
      </form>
    </DashboardLayout>
  );
};

/** Explains why a confirm was refused, with a button back to the filled form. */
export const RefusedConfirmPage: FC<{
  signedIn: SignedInUser;
  form: PostForm;
  /** The label of a button that previews again; absent without such a button. */
  again?: string | undefined;
  children?: Child;
}> = ({ signedIn, form, again = "Preview again", children }) => (
  <DashboardLayout
    title="Not scheduled yet"
    section="calendar"
    signedIn={signedIn}
    hasLists={false}
    assets={PREVIEW_ASSETS}
  >
    <Notice kind="error">{children}</Notice>
    <form method="post" action="/dashboard/posts/preview">
      <HiddenForm form={form} />
      <input type="hidden" name="renewed" value="yes" />
      <p class="actions">
        <button name="intent" value="preview">
          {again}
        </button>
        <ChangeButton />
      </p>
    </form>
  </DashboardLayout>
);
