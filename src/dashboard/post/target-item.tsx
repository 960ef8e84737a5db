import type { FC } from "hono/jsx";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { EXTRA_NAMES, type ExtraName, type ExtraStatus, type PostStatus, type TargetStatus } from "#core/status.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { describeOptions } from "#dashboard/post-form/describe-options.ts";
import type { KnownMediaTypes } from "#dashboard/post-form/read-options.ts";
import { type Display, formatDateTime } from "#dashboard/wording/display.ts";
import { specsOf } from "#dashboard/wording/field-words.ts";
import { PostLikeness } from "#dashboard/likeness/post-likeness.tsx";
import { adapterFor } from "#platforms/registry.ts";
import type { Attempt, PostRecord, Target } from "#posts/index.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { describeLateness, formatExactTime, isRetried } from "#dashboard/wording/post-state.ts";
import { Reconnect } from "./reconnect.tsx";
import { adviceFor, describeAttempt, isLoginError, TARGET_STATUS_LABELS } from "#dashboard/wording/post-wording.ts";

const TONES = {
  pending: "",
  processing: "expiring",
  published: "active",
  failed: "failed",
  unconfirmed: "failed",
  skipped: "",
} as const satisfies Record<TargetStatus, string>;

/** Labels for a target that was never tried. They depend on the status of the post. */
const UNTRIED_LABELS: Partial<Record<PostStatus, string>> = {
  scheduled: "Scheduled",
  paused: "Paused",
  cancelled: "Not published",
};

/** Consecutive attempts with the same result, which the page shows as one line. */
interface FoldedAttempt extends Attempt {
  readonly count: number;
}

function foldAttempts(attempts: readonly Attempt[]): FoldedAttempt[] {
  const folded: FoldedAttempt[] = [];
  for (const attempt of attempts) {
    const last = folded.at(-1);
    if (last && last.step === attempt.step && last.outcome === attempt.outcome && last.message === attempt.message) {
      folded[folded.length - 1] = { ...attempt, count: last.count + 1 };
    } else {
      folded.push({ ...attempt, count: 1 });
    }
  }
  return folded;
}

const Attempts: FC<{ attempts: readonly Attempt[]; display: Display }> = ({ attempts, display }) =>
  attempts.length === 0 ? null : (
    <details>
      <summary>What was done, step by step</summary>
      <ol class="timeline">
        {foldAttempts(attempts).map((attempt) => (
          <li>
            <time datetime={new Date(attempt.at).toISOString()}>
              {formatDateTime(display, attempt.at).replace(/, [^,]*$/, "")}, {formatExactTime(display, attempt.at)}
            </time>{" "}
            {describeAttempt(attempt)}
            {attempt.count > 1 && ` (${attempt.count} times)`}.{attempt.message !== null && <q>{attempt.message}</q>}
            {attempt.nextAttemptAt !== null && ` Next step at ${formatExactTime(display, attempt.nextAttemptAt)}.`}
          </li>
        ))}
      </ol>
    </details>
  );

const TargetErrorText: FC<{ target: Target; postId: string; canEdit: boolean; status: string | undefined }> = (
  props,
) => {
  const { target, postId, canEdit, status } = props;
  const { error } = target;
  if (error === null) {
    return null;
  }
  return (
    <div class={`notice ${target.status === "pending" ? "info" : "error"}`}>
      <p>
        {toSentence(error.message)}
        {error.platformCode !== null && (
          <>
            {" "}
            <small>
              {PLATFORM_NAMES[target.platform]} calls this <code>{error.platformCode}</code>.
            </small>
          </>
        )}
      </p>
      {target.status !== "unconfirmed" && <p>{adviceFor(error)}</p>}
      {isLoginError(error) ? (
        <Reconnect target={target} status={status} next={`/dashboard/posts/${postId}`} />
      ) : (
        canEdit &&
        error.whoMustAct === "user" &&
        target.status === "failed" && (
          <p>
            <a href={`/dashboard/posts/${postId}/edit`}>Edit the post</a>
          </p>
        )
      )}
    </div>
  );
};

/** Help for an unconfirmed target. A person must look at the platform, and only a person may post again. */
const UnconfirmedHelp: FC<{ target: Target; postId: string; isPublishing: boolean }> = ({
  target,
  postId,
  isPublishing,
}) => (
  <div>
    <p>
      {isPublishing
        ? `${PLATFORM_NAMES[target.platform]} has not told yet whether the post is public. It is looked for again and is not sent a second time.`
        : "It is never sent again by itself, because that could publish it twice."}
    </p>
    {!isPublishing && (
      <p>
        Open {target.username} at {PLATFORM_NAMES[target.platform]} and look for it. If it is there, nothing is left to
        do. If not,{" "}
        <a href={`/dashboard/posts/new?duplicate=${postId}&account=${target.accountId}`}>
          duplicate the post for this account
        </a>
        .
      </p>
    )}
  </div>
);

function httpUrl(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) ? url : null;
}

/** Counts the attempts, and the waits for a rate limit: such a wait continues the same attempt. */
function countAttempts({ attempts, platform }: Target, history: readonly Attempt[]): string {
  const waits = history.filter(({ outcome }) => outcome === "rate_limited").length;
  const asked = waits === 0 ? "" : `, with ${countOf(waits, "wait")} that ${PLATFORM_NAMES[platform]} asked for`;
  return `${countOf(attempts, "attempt")}${asked}`;
}

const Outcome: FC<{ target: Target; record: PostRecord; history: readonly Attempt[]; display: Display }> = (props) => {
  const { target, record, history, display } = props;
  const { platform, publishedAt, lateByMs, nextAttemptAt } = target;
  const url = httpUrl(target.platformPostUrl);
  return (
    <p class="item-meta">
      {publishedAt !== null && (
        <span>
          {formatDateTime(display, publishedAt)}
          {isRetried(record, target)
            ? ", published after a retry"
            : lateByMs !== null && `, ${describeLateness(lateByMs)}`}
        </span>
      )}
      {url !== null && (
        <a href={url} rel="noreferrer" target="_blank">
          Open at {PLATFORM_NAMES[platform]}
        </a>
      )}
      {nextAttemptAt !== null && (
        <span>
          {target.status === "unconfirmed" ? "Looked for again at" : "Next try at"}{" "}
          {formatExactTime(display, nextAttemptAt)}
        </span>
      )}
      <a href={`/dashboard?account=${target.accountId}&view=all`} aria-label={`All posts of ${target.username}`}>
        All posts
      </a>
      {target.attempts > 0 && <span>{countAttempts(target, history)}</span>}
    </p>
  );
};

/** Links to the published parts of a thread. If a thread stopped halfway, a person needs them to repair it. */
const Parts: FC<{ target: Target; postStatus: PostStatus }> = ({ target, postStatus }) =>
  target.parts === null ? null : (
    <dl class="details">
      {target.parts.map(({ index, status, url }) => (
        <>
          <dt>Part {index + 1}</dt>
          <dd>
            {(status === "pending" && UNTRIED_LABELS[postStatus]) || TARGET_STATUS_LABELS[status]}
            {httpUrl(url) !== null && (
              <>
                {" "}
                <a href={httpUrl(url) ?? ""} rel="noreferrer" target="_blank" aria-label={`Open part ${index + 1}`}>
                  Open
                </a>
              </>
            )}
          </dd>
        </>
      ))}
    </dl>
  );
const EXTRA_LABELS = {
  cover: ["Cover", "set"],
  playlists: ["Playlists", "filled"],
  first_comment: ["First comment", "published"],
} as const satisfies Record<ExtraName, readonly [name: string, done: string]>;
const EXTRA_STATES = {
  published: "",
  failed: "could not be ",
  unconfirmed: "may not be ",
} as const satisfies Record<ExtraStatus, string>;

/** The extras of a target: first comment, cover and playlists, each with its result. */
const Extras: FC<{ target: Target }> = ({ target }) => (
  <>
    {EXTRA_NAMES.map((name) => {
      const extra = target.extras?.[name];
      const [label, done] = EXTRA_LABELS[name];
      return (
        extra && (
          <p class={extra.error === null ? "item-meta" : "notice info"}>
            {`${label} ${EXTRA_STATES[extra.status]}${done}${extra.error === null ? "." : `: ${extra.error.message}`}`}
            {httpUrl(extra.url) !== null && (
              <>
                {" "}
                <a href={httpUrl(extra.url) ?? ""} rel="noreferrer" target="_blank" aria-label={`Open: ${label}`}>
                  Open
                </a>
              </>
            )}
          </p>
        )
      );
    })}
  </>
);

const Options: FC<{ target: Target; mediaTypes: KnownMediaTypes }> = ({ target, mediaTypes }) => {
  const specs = specsOf({ adapterFor }, target.platform);
  const options = describeOptions(specs, target.platformOptions, { mediaTypes, boards: [] });
  return options.length === 0 ? null : (
    <dl class="details">
      {options.map(({ label, value }) => (
        <>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
};

/** Says that an account cannot be used. `canReturn`: the post includes it again after a reconnect. */
const AccountState: FC<{
  target: Target;
  postId: string;
  status: string | undefined;
  reason: string | null;
  canReturn: boolean;
}> = (props) => {
  const { target, postId, status, reason, canReturn } = props;
  const isOpen = target.status === "pending" || target.status === "skipped" || target.status === "failed";
  if (!isOpen || status === "active" || (target.error !== null && isLoginError(target.error))) {
    return null;
  }
  if (target.status === "skipped" && status === "disconnected" && canReturn) {
    return (
      <p class="notice info">
        Left out: the account was disconnected. <a href="/dashboard/accounts">Connect it again</a> before the time and
        it is included again.
      </p>
    );
  }
  return (
    <div class="notice info">
      <p>
        {status === "needs_reconnect"
          ? `This account needs a new login. ${reason === null ? "" : toSentence(reason)}`.trimEnd()
          : "This account is disconnected."}
      </p>
      <Reconnect target={target} status={status} next={`/dashboard/posts/${postId}`} />
    </div>
  );
};

/** One account of a post: its result, what it publishes, and the attempts. */
export const TargetItem: FC<{
  target: Target;
  record: PostRecord;
  display: Display;
  now: number;
  canEdit: boolean;
}> = (props) => {
  const { target, record, display, now, canEdit } = props;
  const { post } = record;
  const media = target.mediaItems ?? post.mediaItems;
  const account = record.accounts.get(target.accountId);
  const history = record.attempts.filter(({ accountId }) => accountId === target.accountId);
  const label =
    (target.status === "pending" && target.attempts === 0 && UNTRIED_LABELS[post.status]) ||
    TARGET_STATUS_LABELS[target.status];
  return (
    <li class="item">
      <div class="item-header">
        <h3 class="account-name">
          <PlatformBadge platform={target.platform} /> {account?.displayName || target.username}{" "}
          <small>{target.username}</small>
        </h3>
        <span class={`tag ${TONES[target.status]}`}>{label}</span>
      </div>
      <Outcome target={target} record={record} history={history} display={display} />
      <Parts target={target} postStatus={post.status} />
      <Extras target={target} />
      <TargetErrorText target={target} postId={post.id} canEdit={canEdit} status={account?.status} />
      {target.status === "unconfirmed" && (
        <UnconfirmedHelp target={target} postId={post.id} isPublishing={post.status === "publishing"} />
      )}
      {post.status !== "cancelled" && (
        <AccountState
          target={target}
          postId={post.id}
          status={account?.status ?? "disconnected"}
          reason={account?.statusReason ?? null}
          canReturn={(post.status === "scheduled" || post.status === "paused") && post.scheduledAt > now}
        />
      )}
      <details open={post.targets.length === 1}>
        <summary>{target.caption === null ? "What is posted here" : "What is posted here, with its own text"}</summary>
        <div class="posted">
          <PostLikeness
            platform={target.platform}
            username={target.username}
            displayName={account?.displayName}
            caption={target.effectiveCaption}
            options={target.platformOptions}
            media={media}
            placement={null}
          />
          <Options target={target} mediaTypes={media.map(({ type }) => type)} />
        </div>
      </details>
      <Attempts attempts={history} display={display} />
    </li>
  );
};
