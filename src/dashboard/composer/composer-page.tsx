import type { Child, FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { AnnotationFields } from "./annotation-fields.tsx";
import { Notice } from "#dashboard/layout/components.tsx";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import type { Post } from "#posts/index.ts";
import { AccountChoices, ChosenAccounts } from "./account-fields.tsx";
import { accountName, type ComposerView, findAccount } from "./composer-view.ts";
import { Labelled, ProblemSummary, RetryNotice, TextArea } from "./fields.tsx";
import { MediaFields } from "./media-fields.tsx";
import { captionField, draftFields } from "#dashboard/post-form/post-form.ts";
import { TimeFields } from "./time-fields.tsx";

const COMPOSER_ASSETS = { styles: ["composer", "likeness"], scripts: ["upload", "composer"] } as const;
export const PREVIEW_ASSETS = { styles: ["composer", "likeness"] } as const;

/**
 * Says which accounts use the common text. It names the accounts with a text of their own, because changes of the
 * common text do not reach them.
 */
const TextHint: FC<{ view: ComposerView }> = ({ view: { data, form } }) => (
  <>
    For every account that has no text of its own.{" "}
    <span data-own-texts="">
      {form.accountIds.map((id) => {
        const account = findAccount(data, id);
        return account && (form.captions.get(id) ?? "") !== "" ? (
          <>
            <a href={`#${captionField(id)}`}>{accountName(account)}</a> has its own text.{" "}
          </>
        ) : null;
      })}
    </span>
  </>
);

/** The annotations of a new post. A stored post has them on its own page. */
const Notes: FC<{ view: ComposerView }> = ({ view: { form, problems } }) => {
  const isFilled = Object.values(form.annotations).some((text) => text !== "");
  const hasProblem = problems.some(({ field }) => field in form.annotations);
  return (
    <details class="card" open={isFilled || hasProblem}>
      <summary>Labels and notes</summary>
      <p class="hint">None of this is published.</p>
      <AnnotationFields form={form.annotations} problems={problems} />
    </details>
  );
};

const previewLabel = ({ form }: ComposerView): string =>
  form.postId === "" ? "Preview and schedule" : "Preview the changes";

/** The complete form. It works without a script, which only fills in live results. */
const ComposerForm: FC<{ view: ComposerView }> = ({ view }) => (
  <form class="composer" method="post" action="/dashboard/posts/preview" novalidate data-composer>
    {/* The Enter key presses the first button of a form, so this hidden button decides what it does. */}
    <button class="visually-hidden" name="intent" value="preview" tabindex={-1} aria-hidden="true">
      {previewLabel(view)}
    </button>
    <ProblemSummary view={view} />
    <RetryNotice view={view} />
    {view.form.postId !== "" && <input type="hidden" name="post_id" value={view.form.postId} />}
    {draftFields(view.form).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <div class="composer-columns">
      <div>
        <AccountChoices view={view} />
        <div class="card">
          <Labelled view={view} field="caption" label="Text" hint={<TextHint view={view} />}>
            <TextArea view={view} name="caption" value={view.form.caption} rows={7} hasHint />
            {/* The script writes here which text is closest to its limit. The line has its space from the beginning,
               so that nothing moves. */}
            <p class="hint count" id="caption-count"></p>
          </Labelled>
        </div>
        <MediaFields view={view} />
        <TimeFields view={view} />
        {view.form.postId === "" && <Notes view={view} />}
      </div>
      <ChosenAccounts view={view} />
    </div>
    <div class="composer-actions">
      <button name="intent" value="preview">
        {previewLabel(view)}
      </button>
      <button class="secondary" name="when" value="now">
        Publish now
      </button>
      {view.form.postId === "" && (
        <button class="secondary" name="intent" value="save_draft">
          {view.form.draft === null ? "Save as draft" : "Save the draft"}
        </button>
      )}
      <a class="button secondary phone-only" href="#accounts-chosen">
        How it looks
      </a>
      <div data-check-result="" role="status"></div>
      <span class="hint">Nothing goes out before you have seen the preview.</span>
    </div>
  </form>
);

const titleOf = ({ form: { postId, draft } }: ComposerView): string =>
  draft !== null ? "Draft" : postId === "" ? "New post" : "Edit post";

export const ComposerPage: FC<{
  view: ComposerView;
  title?: string | undefined;
  notice?: Child;
  signedIn: SignedInUser;
}> = ({ view, title, notice, signedIn }) => (
  <DashboardLayout
    title={title ?? titleOf(view)}
    section={view.form.draft === null ? "calendar" : "drafts"}
    signedIn={signedIn}
    hasLists={false}
    assets={COMPOSER_ASSETS}
  >
    {notice}
    <ComposerForm view={view} />
    {view.form.postId === "" && view.form.draft === null && (
      <p class="hint">
        A month of posts in a spreadsheet? <a href="/dashboard/posts/many">Schedule many at once</a>
      </p>
    )}
  </DashboardLayout>
);

/** The form with a heading and a close button only, for the calendar's dialog. */
export const ComposerDialog: FC<{ view: ComposerView }> = ({ view }) => (
  <div class="composer-dialog">
    <div class="dialog-head">
      <h2 id="dialog-title">{titleOf(view)}</h2>
      <a class="button secondary" href="/dashboard" data-close>
        Close
      </a>
    </div>
    <ComposerForm view={view} />
  </div>
);

/** Explains why a post cannot be edited: it is publishing, published or cancelled. */
export const NotEditablePage: FC<{ post: Pick<Post, "id" | "status" | "archived">; signedIn: SignedInUser }> = ({
  post: { id, status, archived },
  signedIn,
}) => (
  <DashboardLayout title="Edit post" section="calendar" signedIn={signedIn}>
    <Notice kind="info">{`${archived === true ? "An archived" : `A ${status}`} post cannot be edited. A copy of it can.`}</Notice>
    <p class="actions">
      <a class="button" href={`/dashboard/posts/new?duplicate=${id}`}>
        Duplicate
      </a>
      <a class="button secondary" href={`/dashboard/posts/${id}`}>
        Open the post
      </a>
    </p>
  </DashboardLayout>
);
