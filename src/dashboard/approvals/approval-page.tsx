import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import { FormErrorNotice, Notice, PlatformBadge } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import type { AccountSettings } from "#dashboard/composer/composer-view.ts";
import { EditChanges } from "#dashboard/composer/edit-changes.tsx";
import { PlanHash } from "#dashboard/composer/preview-page.tsx";
import { PreviewedPost, Statements } from "#dashboard/composer/target-preview.tsx";
import { takenSlotInWords } from "#dashboard/wording/taken-slot.ts";
import { type Display, formatDate, formatDateTime, formatTime, formatZone } from "#dashboard/wording/display.ts";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { problemInWords } from "#dashboard/wording/problem-sentences.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { describeField } from "#dashboard/post/change-list.tsx";
import { firstWords } from "#dashboard/wording/post-state.ts";
import { ReauthenticationFields } from "#dashboard/layout/reauthentication.tsx";
import { type Approval, MAX_NOTE_CHARACTERS, type ReviewedApproval } from "#confirming/index.ts";
import { type PlannedTime, type SchedulePreview } from "#planning/index.ts";
import { requesterInWords, requestInWords, STATE_LABELS, STATE_SENTENCES, titleOf } from "./wording.ts";

interface ApprovalPageProps {
  readonly signedIn: SignedInUser;
  readonly services: Pick<Services, "adapterFor" | "config">;
  readonly reviewed: ReviewedApproval;
  readonly settings: AccountSettings;
  readonly display: Display;
  readonly csrfToken: string;
  /** Whether the person must enter the password or use a passkey again before approving. */
  readonly asksIdentity: boolean;
  readonly error?: FormError | undefined;
}

const inWordsAt = (display: Display, instant: number) =>
  `${formatDate(wallTimeAt(display.timeZone, instant).date, "long")}, ${formatTime(display, instant)}, ${formatZone(display.timeZone, instant)}`;

const WhenInWords: FC<{ time: PlannedTime; display: Display }> = ({ time, display }) => (
  <p>
    Time of the post:{" "}
    {time === "now" ? (
      <b>at once, as soon as it is approved</b>
    ) : (
      <time datetime={new Date(time).toISOString()}>
        <b>{inWordsAt(display, time)}</b>
      </time>
    )}
  </p>
);

const Requester: FC<{ approval: Approval; signedIn: SignedInUser; display: Display }> = (props) => {
  const { approval, signedIn, display } = props;
  const workspace = signedIn.workspaces.find(({ id }) => id === approval.workspaceId)?.name;
  return (
    <>
      <p class="lead">
        <bdi>{requesterInWords(approval.requestedBy)}</bdi> {requestInWords(approval)}
      </p>
      <dl class="details">
        <dt>Asked</dt>
        <dd>{formatDateTime(display, approval.createdAt)}</dd>
        {signedIn.workspaces.length > 1 && workspace !== undefined && (
          <>
            <dt>Workspace</dt>
            <dd>{workspace}</dd>
          </>
        )}
        {approval.state === "pending" && (
          <>
            <dt>Decide by</dt>
            <dd>{inWordsAt(display, approval.expiresAt)}</dd>
          </>
        )}
      </dl>
    </>
  );
};

/** Shows the stored changes of an edit that is decided or no longer possible. */
const StoredChanges: FC<Pick<ApprovalPageProps, "reviewed" | "display">> = ({ reviewed, display }) => {
  const nameOf = (accountId: string | undefined) =>
    reviewed.accounts.find(({ id }) => id === accountId)?.username ?? "an account";
  return (
    <>
      {reviewed.changes.map(({ postId, fields }) => (
        <section class="card">
          <h2>
            <a href={`/dashboard/posts/${postId}`}>
              <bdi>{firstWords(reviewed.approval.posts.find(({ id }) => id === postId)?.caption ?? "")}</bdi>
            </a>
          </h2>
          <ul>
            {fields.map((field) => (
              <li>{describeField(field, nameOf, display)}</li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
};

/** Shows the exact plan: each new post account by account, or for an edit what changes and the result. */
const Plan: FC<ApprovalPageProps> = (props) => {
  const { reviewed, services, settings, display } = props;
  const { newPosts, edits, accounts } = reviewed;
  const [newPost] = newPosts;
  if (newPosts.length > 1) {
    return (
      <>
        {newPosts.map((preview) => (
          <section aria-label={firstWords(preview.caption)}>
            <h2>
              <bdi>{firstWords(preview.caption)}</bdi>
            </h2>
            <WhenInWords time={preview.scheduledAt} display={display} />
            <PreviewedPost services={services} settings={settings} display={display} preview={preview} />
          </section>
        ))}
      </>
    );
  }
  if (newPost !== undefined) {
    return (
      <>
        <WhenInWords time={newPost.scheduledAt} display={display} />
        <PreviewedPost services={services} settings={settings} display={display} preview={newPost} />
      </>
    );
  }
  if (edits.length === 0) {
    return <StoredChanges reviewed={reviewed} display={display} />;
  }
  return (
    <>
      {edits.map(({ now, edit }) => (
        <section aria-label={firstWords(now.caption)}>
          <h2>
            <a href={`/dashboard/posts/${now.id}`}>
              <bdi>{firstWords(now.caption)}</bdi>
            </a>{" "}
            {now.targets.map(({ platform }) => (
              <PlatformBadge platform={platform} />
            ))}
          </h2>
          <EditChanges
            view={{ services, display, boards: settings.boards, data: { accounts, post: now } }}
            changes={edit.changes}
          />
          <h3>The post afterwards</h3>
          <WhenInWords time={edit.after.scheduledAt} display={display} />
          <PreviewedPost services={services} settings={settings} display={display} preview={edit.after} />
        </section>
      ))}
    </>
  );
};

function previewsOf({ newPosts, edits }: ReviewedApproval): readonly SchedulePreview[] {
  return [...newPosts, ...edits.map(({ edit }) => edit.after)];
}

const Decision: FC<ApprovalPageProps> = (props) => {
  const { display, reviewed, services, signedIn, csrfToken, asksIdentity, error } = props;
  const { approval, problems } = reviewed;
  const path = `/approvals/${approval.id}`;
  const secret = (
    <>
      <input type="hidden" name="csrf_token" value={csrfToken} />
      <input type="hidden" name="plan_hash" value={approval.planHash} />
    </>
  );
  return (
    <div class="composer-actions">
      {problems.length > 0 ? (
        <div class="notice error" role="alert">
          <p>As things are now, this cannot be done. Mend it and reload this page, or decline.</p>
          <ul>
            {problems.map((problem) => (
              <li>{problemInWords(problem, wordsFor(services, display))}</li>
            ))}
          </ul>
        </div>
      ) : (
        <form method="post" action={`${path}/approve`}>
          {secret}
          {previewsOf(reviewed).map((preview) => (
            <Statements services={services} preview={preview} />
          ))}
          {asksIdentity && <ReauthenticationFields signedIn={signedIn} id="approval-password" error={error} />}
          <p class="actions">
            <button>
              {approval.kind === "edit"
                ? "Apply the changes"
                : approval.posts[0]?.scheduledAt === "now"
                  ? "Publish now"
                  : "Schedule"}
            </button>
          </p>
        </form>
      )}
      <form method="post" action={`${path}/decline`}>
        {secret}
        <div class="field">
          <label for="note">Why not? (optional)</label>
          <textarea
            id="note"
            name="note"
            rows={2}
            maxlength={MAX_NOTE_CHARACTERS}
            aria-describedby="note-hint"
          ></textarea>
          <p class="hint" id="note-hint">
            The one who asked reads this note.
          </p>
        </div>
        <p class="actions">
          <button class="secondary">Decline</button>
        </p>
      </form>
      <PlanHash hash={approval.planHash} />
    </div>
  );
};

/**
 * The post of a request that was not approved, if the person can continue it as a draft of the active workspace. Null
 * otherwise.
 */
export function reopenable(
  { approval, newPosts }: ReviewedApproval,
  activeWorkspaceId: string,
): SchedulePreview | null {
  const isEnded = approval.state !== "pending" && approval.state !== "approved";
  const [newPost = null] = newPosts;
  return isEnded && newPosts.length === 1 && approval.workspaceId === activeWorkspaceId ? newPost : null;
}

const Decided: FC<Pick<ApprovalPageProps, "display" | "reviewed" | "services" | "signedIn">> = (props) => {
  const { display, reviewed, services, signedIn } = props;
  const { id, state, note, postIds, details } = reviewed.approval;
  return state === "pending" ? null : (
    <>
      <Notice kind={state === "approved" ? "success" : "info"}>
        <b>{STATE_LABELS[state]}.</b> {STATE_SENTENCES[state]}
      </Notice>
      {note !== null && (
        <blockquote class="post-text">
          <bdi>{note}</bdi>
        </blockquote>
      )}
      {details.length > 0 && (
        <ul>
          {details.map((detail) => (
            <li>
              {detail.code === "slot_taken"
                ? takenSlotInWords(display, detail)
                : problemInWords(detail, wordsFor(services, display))}
            </li>
          ))}
        </ul>
      )}
      {reopenable(reviewed, signedIn.actor.workspaceId) && (
        <form method="post" action={`/approvals/${id}/draft`}>
          <button>Go on with it as a draft</button>
        </form>
      )}
      <p class="actions">
        {postIds?.map((id, index) => (
          <a class="button secondary" href={`/dashboard/posts/${id}`}>
            {postIds.length === 1 ? "Open the post" : `Open post ${index + 1}`}
          </a>
        ))}
        <a class="button secondary" href="/approvals">
          All approvals
        </a>
      </p>
    </>
  );
};

/** Shows an agent's request with its exact plan and the buttons to approve and to decline. */
export const ApprovalPage: FC<ApprovalPageProps> = (props) => {
  const { signedIn, reviewed, display, services, error, asksIdentity } = props;
  const { approval } = reviewed;
  const isPending = approval.state === "pending";
  return (
    <DashboardLayout
      title={isPending ? titleOf(approval) : "Approval"}
      section="approvals"
      signedIn={signedIn}
      hasLists={false}
      assets={{ styles: ["composer", "likeness"] }}
    >
      <FormErrorNotice error={error} fields={asksIdentity ? ["current_password"] : []} />
      <Requester approval={approval} signedIn={signedIn} display={display} />
      <Decided reviewed={reviewed} services={services} signedIn={signedIn} display={display} />
      <Plan {...props} />
      {isPending && <Decision {...props} />}
    </DashboardLayout>
  );
};
