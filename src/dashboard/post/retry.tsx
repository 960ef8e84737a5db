import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { Notice, PlatformBadge } from "#dashboard/layout/components.tsx";
import { readTime, timeFields } from "#dashboard/post-form/read-time.ts";
import { type Display, displayOf, formatDateTime, formatZone } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { readForm } from "#dashboard/request/form.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { refusalInWords } from "#dashboard/wording/problem-sentences.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { warningsInWords } from "#dashboard/wording/warning-sentences.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { type EditPreview } from "#planning/index.ts";
import { getPostRecord, type PostRecord } from "#posts/index.ts";
import { previewEdit, type PreviewResult } from "#confirming/index.ts";
import { firstWords } from "#dashboard/wording/post-state.ts";
import { Reconnect } from "./reconnect.tsx";
import { adviceFor } from "#dashboard/wording/post-wording.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { When } from "#dashboard/composer/preview-page.tsx";
import { CONFIRM_EDIT_PATH, EditConfirmFields } from "#dashboard/composer/edit-confirm-fields.tsx";

interface RetryFields {
  readonly when: string;
  readonly date: string;
  readonly time: string;
  readonly fold: string;
}

interface RetryProps {
  readonly services: Pick<Services, "adapterFor">;
  readonly record: PostRecord;
  readonly signedIn: SignedInUser;
  readonly display: Display;
}

/** The suggested time of a retry: in about an hour. */
function inAnHour(now: number): number {
  return Math.ceil((now + HOUR) / HOUR) * HOUR;
}

const FailedAccounts: FC<Pick<RetryProps, "record">> = ({
  record: {
    post: { id, targets },
    accounts,
  },
}) => (
  <ul class="items">
    {targets
      .filter(({ status }) => status === "failed")
      .map((target) => (
        <li class="item">
          <h3 class="account-name">
            <PlatformBadge platform={target.platform} /> {target.username}
          </h3>
          {target.error !== null && (
            <p>
              {toSentence(target.error.message)} {adviceFor(target.error)}
            </p>
          )}
          {accounts.get(target.accountId)?.status !== "active" && (
            <div class="notice info">
              <p>This account cannot be posted to at the moment.</p>
              <Reconnect
                target={target}
                status={accounts.get(target.accountId)?.status}
                next={`/dashboard/posts/${id}/retry`}
              />
            </div>
          )}
        </li>
      ))}
  </ul>
);

const WhenFields: FC<{ fields: RetryFields; display: Display; now: number; readings: readonly number[] }> = (props) => {
  const { fields, display, now, readings } = props;
  return (
    <>
      <fieldset class="checkbox-group">
        <legend>When</legend>
        <label class="checkbox">
          <input type="radio" name="when" value="now" checked={fields.when !== "later"} />
          <span>Now, as soon as it is confirmed</span>
        </label>
        <label class="checkbox">
          <input type="radio" name="when" value="later" checked={fields.when === "later"} />
          <span>At the time below</span>
        </label>
      </fieldset>
      <div class="field">
        <label for="date">Date</label>
        <input id="date" type="date" name="date" value={fields.date} />
      </div>
      <div class="field">
        <label for="time">Time</label>
        <input id="time" type="time" name="time" value={fields.time} aria-describedby="zone" />
        <p class="hint" id="zone">
          {formatZone(display.timeZone, now)}
        </p>
      </div>
      {readings.length > 1 && (
        <fieldset class="checkbox-group">
          <legend>Which of the two?</legend>
          {readings.slice(0, 2).map((instant, index) => (
            <label class="checkbox">
              <input type="radio" name="fold" value={index === 0 ? "earlier" : "later"} checked={index === 0} />
              <span>
                {formatDateTime(display, instant)}, {formatZone(display.timeZone, instant)}
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
};

const RetryPage: FC<
  RetryProps & { fields: RetryFields; now: number; readings?: readonly number[]; problems?: readonly string[] }
> = ({ record, signedIn, display, fields, now, readings = [], problems = [] }) => {
  const { post } = record;
  const path = `/dashboard/posts/${post.id}`;
  const failedTargets = post.targets.filter(({ status }) => status === "failed");
  const failed = failedTargets.length;
  const blocked = failedTargets.filter(({ accountId }) => record.accounts.get(accountId)?.status !== "active").length;
  const isRetryable = (post.status === "failed" || post.status === "partially_failed") && failed > 0;
  return (
    <DashboardLayout
      title="Try again what failed"
      section="calendar"
      signedIn={signedIn}
      lead={firstWords(post.caption)}
      assets={{ styles: ["post"] }}
    >
      {problems.length > 0 && <Notice kind="error">{problems.join(" ")}</Notice>}
      {isRetryable ? (
        <div class="post">
          <section aria-labelledby="what">
            <h2 id="what">{failed === 1 ? "One account is tried again" : `${failed} accounts are tried again`}</h2>
            <FailedAccounts record={record} />
            <p class="hint">
              Where the post is public, or may be, nothing is sent again. To change text, options or media first,{" "}
              <a href={`${path}/edit`}>edit the post</a>.
            </p>
          </section>
          {blocked > 0 ? (
            <p class="card">
              It can be tried again once {blocked === 1 ? "this account is" : `these ${blocked} accounts are`}{" "}
              connected. <a href={path}>Back to the post</a>
            </p>
          ) : (
            <form class="card" method="post" action={`${path}/retry`}>
              <WhenFields fields={fields} display={display} now={now} readings={readings} />
              <div class="actions">
                <button>Continue</button>
                <a class="button secondary" href={path}>
                  Back
                </a>
              </div>
            </form>
          )}
        </div>
      ) : (
        <p>
          Nothing of this post can be tried again: no account is known to have failed. <a href={path}>See the post</a>
        </p>
      )}
    </DashboardLayout>
  );
};

const ConfirmRetryPage: FC<RetryProps & { result: PreviewResult<EditPreview> }> = (props) => {
  const { services, record, signedIn, display, result } = props;
  const { post } = record;
  const path = `/dashboard/posts/${post.id}`;
  const after = result.preview.posts[0]?.after;
  const warnings = after ? warningsInWords(services, after, { button: "Try again", display }) : [];
  return (
    <DashboardLayout title="Try again?" section="calendar" signedIn={signedIn} assets={{ styles: ["post"] }}>
      <section class="card" aria-labelledby="retry">
        <h2 id="retry">{firstWords(post.caption)}</h2>
        {after && <When time={after.scheduledAt} display={display} />}
        <ul class="items">
          {after?.targets.map(({ platform, username }) => (
            <li class="account-name">
              <PlatformBadge platform={platform} isDecorative /> {username} on {PLATFORM_NAMES[platform]}
            </li>
          ))}
        </ul>
        {warnings.map((sentence) => (
          <Notice kind="info">{sentence}</Notice>
        ))}
        <form method="post" action={CONFIRM_EDIT_PATH}>
          <EditConfirmFields confirmationToken={result.confirmationToken} postId={post.id} next={path} />
          <div class="actions">
            <button>Try again</button>
            <a class="button secondary" href={path}>
              Do not try again
            </a>
          </div>
        </form>
      </section>
    </DashboardLayout>
  );
};

async function readRecord(c: PageContext): Promise<RetryProps> {
  const { services, signedIn } = c.var;
  const record = await getPostRecord(contextOf(c), { id: c.req.param("id") ?? "" });
  return { services, record, signedIn, display: displayOf(c) };
}

/** Handles `GET /dashboard/posts/:id/retry`: asks which accounts to retry, and when. */
export async function showRetry(c: PageContext): Promise<Response> {
  const props = await readRecord(c);
  const now = c.var.services.clock.now();
  const fields = { when: "now", ...timeFields(inAnHour(now), props.display.timeZone) };
  return renderPage(c, <RetryPage {...props} fields={fields} now={now} />);
}

/** Handles `POST /dashboard/posts/:id/retry`: previews the retry, which is confirmed like every other edit. */
export async function doRetry(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const form = await readForm(c);
  const props = await readRecord(c);
  const now = services.clock.now();
  const fields: RetryFields = {
    when: form.text("when"),
    date: form.text("date"),
    time: form.text("time"),
    fold: form.text("fold"),
  };
  const chosen = fields.when === "later" ? readTime(fields, props.display) : null;
  const scheduledAt = chosen === null ? "now" : chosen.instant;
  const refused = (problems: readonly string[]) =>
    renderPage(
      c,
      <RetryPage {...props} fields={fields} now={now} readings={chosen?.readings ?? []} problems={problems} />,
      400,
    );
  if (scheduledAt === null) {
    return refused((chosen?.problems ?? []).map(({ message }) => message));
  }
  try {
    const result = await previewEdit(contextOf(c), { postIds: [props.record.post.id], scheduledAt });
    return await renderPage(c, <ConfirmRetryPage {...props} result={result} />);
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.code === "not_found") {
      throw error;
    }
    return refused(refusalInWords(error.refusal, wordsFor(services, props.display)));
  }
}
