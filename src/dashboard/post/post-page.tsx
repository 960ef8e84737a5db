import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { PostStatus } from "#core/status.ts";
import { wallTimeAt } from "#core/wall-time.ts";
import { AnnotationSection } from "#dashboard/composer/annotation-fields.tsx";
import { type AnnotationForm, annotationFormOf, type AnnotationProblem } from "#dashboard/post-form/annotation-form.ts";
import { ForgetSentText, Notice } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { type Display, formatDateTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import type { PostRecord, Target } from "#posts/index.ts";
import { PostActions } from "./actions.tsx";
import { allowedActions } from "./allowed-actions.ts";
import { ChangeList } from "./change-list.tsx";
import { describePost, firstWords, refreshSeconds } from "#dashboard/wording/post-state.ts";
import { TargetItem } from "./target-item.tsx";
import { describeAuthor } from "#dashboard/wording/post-wording.ts";

export interface PostPageProps {
  readonly record: PostRecord;
  readonly signedIn: SignedInUser;
  readonly display: Display;
  readonly now: number;
  readonly done?: string | undefined;
  readonly error?: FormError | undefined;
  /** The annotations that were refused, as the person typed them. */
  readonly refusedAnnotations?:
    | { readonly form: AnnotationForm; readonly problems: readonly AnnotationProblem[] }
    | undefined;
}

/**
 * The notice after an action, with the status in which it is true. Without this check, a page that is reloaded later
 * could contradict itself.
 */
const DONE: Readonly<Record<string, { readonly sentence: string; readonly status?: PostStatus }>> = {
  saved: { sentence: "Your change is saved." },
  annotated: { sentence: "Labels and notes are saved." },
  scheduled: { sentence: "Your post is scheduled.", status: "scheduled" },
  now: { sentence: "Your post goes out now.", status: "scheduled" },
  paused: { sentence: "The post is paused.", status: "paused" },
  resumed: { sentence: "The post is scheduled again.", status: "scheduled" },
  cancelled: { sentence: "The post is cancelled.", status: "cancelled" },
  "retry-stopped": { sentence: "Nothing more of this post is tried." },
};

/** The heading of the list of accounts. It does not count accounts that the post leaves out. */
function accountsHeading(targets: readonly Target[]): string {
  const used = targets.filter(({ status }) => status !== "skipped").length;
  if (targets.length === 1) {
    return "Account";
  }
  return used === targets.length ? `${used} accounts` : `${used} of ${targets.length} accounts`;
}

/** The part of the page that changes while the post is publishing. The page's script fetches it again. */
export const LivePart: FC<PostPageProps> = ({ record, signedIn, display, now }) => {
  const { post } = record;
  const state = describePost(record, { display, now });
  const actions = allowedActions(record, { now, subscribed: signedIn.actor.subscribed });
  return (
    <div class="columns-of-post" data-refresh={refreshSeconds(record, now) ?? undefined}>
      <section class="card" aria-labelledby="status">
        <div class="item-header">
          <h2 id="status">
            <span class={`tag ${state.tone}`}>{state.label}</span>
          </h2>
        </div>
        {state.sentences.map((sentence) => (
          <p>{sentence}</p>
        ))}
        {post.status === "paused" && post.pausedReason === "subscription" && (
          <p>
            <a href="/dashboard/plan">Choose a plan</a>
          </p>
        )}
        {post.status === "paused" && post.pausedReason === "account" && (
          <p>
            <a href="/dashboard/accounts">Connect an account again</a>
          </p>
        )}
        <PostActions postId={post.id} actions={actions} />
      </section>
      <section aria-labelledby="accounts">
        <h2 id="accounts">{accountsHeading(post.targets)}</h2>
        <ul class="items">
          {post.targets.map((target) => (
            <TargetItem target={target} record={record} display={display} now={now} canEdit={actions.edit} />
          ))}
        </ul>
      </section>
    </div>
  );
};

const MEDIA_NAMES = { image: "Image", video: "Video" } as const;

/** The facts of a post: what was confirmed, by whom and when. */
const Facts: FC<Pick<PostPageProps, "record" | "display">> = ({ record: { post }, display }) => (
  <section class="card" aria-labelledby="facts">
    <h2 id="facts">This post</h2>
    <p class="post-text">{post.caption}</p>
    {post.mediaItems.length > 0 && (
      <ul>
        {post.mediaItems.map(({ url, type, width, height, altText, cover }, index) => (
          <li>
            {post.archived === true ? MEDIA_NAMES[type] : <a href={url}>{`${MEDIA_NAMES[type]} ${index + 1}`}</a>}
            {width !== null && height !== null && <small>{` ${width} × ${height}`}</small>}
            {altText !== undefined && <p class="hint">{`Description: ${altText}`}</p>}
            {cover && (
              <p class="hint">
                {cover.image ? (
                  <a href={cover.image.url}>Cover</a>
                ) : (
                  `Cover: the moment at ${(cover.atMs ?? 0) / 1000} s`
                )}
              </p>
            )}
          </li>
        ))}
      </ul>
    )}
    <dl class="details">
      <dt>Made</dt>
      <dd>
        {formatDateTime(display, post.createdAt)} {describeAuthor({ via: post.createdVia, by: post.createdBy })}
      </dd>
    </dl>
    <details>
      <summary>Technical details</summary>
      <dl class="details">
        <dt>Version</dt>
        <dd>{post.version}</dd>
        <dt>Fingerprint</dt>
        <dd>
          <code title="The beginning of the plan hash: SHA-256 of exactly what is published">
            {post.planHash.slice(0, 12)}
          </code>
        </dd>
      </dl>
    </details>
  </section>
);

/** The page of one post, with everything that is known about it. */
export const PostPage: FC<PostPageProps> = (props) => {
  const { record, signedIn, display, done, error, refusedAnnotations } = props;
  const { post } = record;
  const { date } = wallTimeAt(display.timeZone, post.scheduledAt);
  const known = done === undefined ? undefined : DONE[done];
  const notice = known?.status === undefined || known.status === post.status ? known?.sentence : undefined;
  return (
    <DashboardLayout
      title={firstWords(post.caption)}
      section="calendar"
      signedIn={signedIn}
      lead={
        <>
          <time datetime={new Date(post.scheduledAt).toISOString()}>{formatDateTime(display, post.scheduledAt)}</time>,{" "}
          {formatZone(display.timeZone, post.scheduledAt)}
          {post.status !== "cancelled" && (
            <>
              {" · "}
              {post.archived === true ? (
                <a href="/dashboard/archive">In the archive</a>
              ) : (
                <a href={`/dashboard?view=week&date=${date}`}>Show in the calendar</a>
              )}
            </>
          )}
        </>
      }
      assets={{ styles: ["likeness", "post"], scripts: ["post"] }}
    >
      {done !== undefined && <ForgetSentText />}
      {notice !== undefined && <Notice kind="success">{notice}</Notice>}
      {error !== undefined && <Notice kind="error">{toSentence(error.message)}</Notice>}
      <p role="status" class="visually-hidden" data-announcer></p>
      <div class="post">
        <div id="post-live">
          <LivePart {...props} />
        </div>
        <div>
          <Facts record={record} display={display} />
          <AnnotationSection
            postId={post.id}
            annotations={post.annotations}
            form={post.archived === true ? null : (refusedAnnotations?.form ?? annotationFormOf(post.annotations))}
            problems={refusedAnnotations?.problems ?? []}
          />
          <section class="card" aria-labelledby="changes">
            <h2 id="changes">Changes</h2>
            <ChangeList record={record} display={display} />
          </section>
        </div>
      </div>
    </DashboardLayout>
  );
};
