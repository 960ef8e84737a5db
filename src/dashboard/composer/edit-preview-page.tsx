import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { EndsBefore } from "#dashboard/layout/ends-before.tsx";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import type { EditPreview } from "#planning/index.ts";
import type { PreviewResult } from "#confirming/index.ts";
import type { ComposerView } from "./composer-view.ts";
import { PREVIEW_ASSETS } from "./composer-page.tsx";
import { EditChanges } from "./edit-changes.tsx";
import { RetryNotice } from "./fields.tsx";
import { ChangeButton, ExpiryHint, HiddenForm, PlanHash, When } from "./preview-page.tsx";
import { PreviewedPost, Statements } from "./target-preview.tsx";
import type { SubscriptionEnd } from "#dashboard/wording/subscription-end.ts";
import { CONFIRM_EDIT_PATH, EditConfirmFields } from "./edit-confirm-fields.tsx";

/** The preview of an edit: what changes, and what the post is afterwards. */
export const EditPreviewPage: FC<{
  signedIn: SignedInUser;
  view: ComposerView;
  previewed: PreviewResult<EditPreview>;
  subscriptionEnd: SubscriptionEnd | null;
}> = ({ signedIn, view, previewed, subscriptionEnd }) => {
  const { display } = view;
  const [post] = previewed.preview.posts;
  if (!post) {
    throw new Error("a previewed edit has no post");
  }
  const isNow = post.after.scheduledAt === "now";
  const label = isNow ? "Publish now" : "Save the changes";
  return (
    <DashboardLayout
      title="What changes"
      section="calendar"
      signedIn={signedIn}
      hasLists={false}
      assets={PREVIEW_ASSETS}
    >
      <RetryNotice view={view} />
      <EditChanges view={view} changes={post.changes} />
      <h2>The post afterwards</h2>
      <When time={post.after.scheduledAt} display={display} />
      <EndsBefore
        accounts={view.data.accounts}
        subscriptionEnd={subscriptionEnd}
        preview={post.after}
        display={display}
      />
      <PreviewedPost services={view.services} settings={view} display={view.display} preview={post.after} />
      <div class="composer-actions">
        <Statements services={view.services} preview={post.after} />
        <div class="actions">
          <form method="post" action={CONFIRM_EDIT_PATH}>
            <EditConfirmFields
              confirmationToken={previewed.confirmationToken}
              postId={post.id}
              next={`/dashboard/posts/${post.id}`}
            />
            {view.form.slot === "next" && <HiddenForm form={view.form} />}
            <button>{label}</button>
          </form>
          <form method="post" action="/dashboard/posts/preview">
            <HiddenForm form={view.form} />
            <ChangeButton />
          </form>
        </div>
        <ExpiryHint
          expiresAt={previewed.expiresAt}
          scheduledAt={post.after.scheduledAt}
          display={display}
          verb={isNow ? "Publish" : "Save"}
          button={label}
        />
        <PlanHash hash={post.after.planHash} />
      </div>
    </DashboardLayout>
  );
};
