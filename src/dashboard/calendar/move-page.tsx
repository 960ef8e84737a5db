import type { Child, FC } from "hono/jsx";
import { type Account, listAccounts } from "#accounts/index.ts";
import type { SignedInUser } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { type RefusalDetail, RefusalError } from "#core/errors.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { addDays, toTimeOfDay, type WallTime, wallTimeAt } from "#core/wall-time.ts";
import type { EditPreview, SchedulePreview } from "#planning/index.ts";
import { getPost, type Post } from "#posts/index.ts";
import { confirmEdit, previewEdit, type PreviewResult, repeatUntilVisible } from "#confirming/index.ts";
import { Notice } from "#dashboard/layout/components.tsx";
import { type Display, displayOf, formatDateTime, formatZone } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { EndsBefore } from "#dashboard/layout/ends-before.tsx";
import { localPath, readForm, withDone } from "#dashboard/request/form.ts";
import { wordsFor } from "#dashboard/wording/field-words.ts";
import { problemInWords } from "#dashboard/wording/problem-sentences.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { warningsInWords } from "#dashboard/wording/warning-sentences.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { renderPage, wantsFragment } from "#dashboard/layout/render-page.tsx";
import { readSubscriptionEnd, type SubscriptionEnd } from "#dashboard/wording/subscription-end.ts";
import { isMovable, STATUS_LABELS } from "#dashboard/wording/status-labels.ts";
import { frameOf } from "./model.ts";
import { type MoveFields, type MoveTime, readMoveTime } from "./move-time.ts";
import { calendarHref, readCalendarQuery } from "./query.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { CONFIRM_EDIT_PATH, EditConfirmFields } from "#dashboard/composer/edit-confirm-fields.tsx";

interface MoveProps {
  readonly post: Post;
  readonly display: Display;
  /** The path to which the browser goes after the move. */
  readonly next: string;
}

const SAME_TIME = "The post is planned for this time already.";

/** Shows a post on one line: its first words and its accounts. */
const PostLine: FC<{ post: Post }> = ({ post: { caption, targets } }) => {
  const words = Array.from(caption.trim()).slice(0, 140).join("");
  return (
    <div>
      {words !== "" && (
        <p>
          <q>{words}</q>
        </p>
      )}
      <p class="hint">
        {targets.map(({ username, platform }) => `${username} (${PLATFORM_NAMES[platform]})`).join(", ")}
      </p>
    </div>
  );
};

/** `isAtOnce`: the calendar's dialog moves the post without another question, because the script offers an undo. */
const MoveForm: FC<
  MoveProps & {
    fields: MoveFields;
    now: number;
    isAtOnce: boolean;
    time?: MoveTime | undefined;
    problems?: readonly string[];
  }
> = ({ post, display, next, fields, now, isAtOnce, time, problems = [] }) => {
  const { date: today } = wallTimeAt(display.timeZone, now);
  return (
    <>
      {problems.map((problem) => (
        <Notice kind="error">{problem}</Notice>
      ))}
      <PostLine post={post} />
      <form method="post" action={`/dashboard/posts/${post.id}/move`}>
        <div class="field">
          <label for="move-date">Date</label>
          <input
            id="move-date"
            type="date"
            name="date"
            required
            value={fields.date}
            min={today}
            max={addDays(today, 365)}
          />
        </div>
        <div class="field">
          <label for="move-time">Time</label>
          <input id="move-time" type="time" name="time" required value={fields.time} />
        </div>
        <label class="checkbox">
          <input type="checkbox" name="slot" value="next" checked={fields.slot === "next"} />
          <span>
            Use the next free slot after this time. <a href="/dashboard/slots">Slots</a>
          </span>
        </label>
        {time?.kind === "repeated" && (
          <fieldset class="checkbox-group">
            <legend>Which of the two?</legend>
            {(["earlier", "later"] as const).map((fold, index) => (
              <label class="checkbox">
                <input type="radio" name="fold" value={fold} checked={index === 0} />
                <span>
                  {formatDateTime(display, time.instants[index] ?? 0)},{" "}
                  {formatZone(display.timeZone, time.instants[index] ?? 0)}
                </span>
              </label>
            ))}
          </fieldset>
        )}
        <input type="hidden" name="next" value={next} />
        {isAtOnce && <input type="hidden" name="at_once" value="1" />}
        <p class="hint">
          Now planned for {formatDateTime(display, post.scheduledAt)}. Times in{" "}
          {formatZone(display.timeZone, post.scheduledAt)}.
        </p>
        <div class="actions">
          <button>{isAtOnce ? "Move" : "Continue"}</button>
          <a class="button secondary" href={next} data-close>
            Do not move
          </a>
        </div>
      </form>
    </>
  );
};

const MoveConfirmation: FC<
  MoveProps & {
    services: Pick<Services, "adapterFor">;
    accounts: readonly Account[];
    subscriptionEnd: SubscriptionEnd | null;
    scheduledAt: number;
    result: PreviewResult<EditPreview>;
    warned: Warned;
  }
> = ({ services, accounts, subscriptionEnd, post, display, next, scheduledAt, result, warned }) => {
  const { timeZone } = display;
  const [edited] = result.preview.posts;
  const warnings = warningsInWords(services, warned, { button: "Move", display });
  const [before, after] = [formatZone(timeZone, post.scheduledAt), formatZone(timeZone, scheduledAt)];
  return (
    <>
      <PostLine post={post} />
      <p>
        {before === after ? `Times in ${after}.` : `The clock changes in between: ${before} before, ${after} after.`}
        {edited?.changes.some(({ field, to }) => field === "status" && to === "scheduled") &&
          " The post is paused now; at the new time it will be published."}
      </p>
      {warnings.map((sentence) => (
        <Notice kind="info">{sentence}</Notice>
      ))}
      {edited && (
        <EndsBefore accounts={accounts} subscriptionEnd={subscriptionEnd} preview={edited.after} display={display} />
      )}
      <form method="post" action={CONFIRM_EDIT_PATH}>
        <EditConfirmFields confirmationToken={result.confirmationToken} postId={post.id} next={next} />
        <div class="actions">
          <button>Move</button>
          <a class="button secondary" href={next} data-close>
            Do not move
          </a>
        </div>
      </form>
    </>
  );
};

type Warned = Pick<SchedulePreview, "scheduledAt" | "warnings" | "targets">;

/**
 * What a move would newly cause: warnings, and a login or plan that ends before the post. If nothing, the person need
 * not decide.
 */
interface NewThings {
  readonly warned: Warned;
  readonly accounts: readonly Account[];
  readonly subscriptionEnd: SubscriptionEnd | null;
  readonly isNone: boolean;
}

function newThings(
  {
    post,
    edited,
    scheduledAt,
  }: { readonly post: Post; readonly edited: EditPreview["posts"][number]; readonly scheduledAt: number },
  accounts: readonly Account[],
  subscriptionEnd: SubscriptionEnd | null,
): NewThings {
  const { newWarnings, changes } = edited;
  const isNew = (end: number | null) => end !== null && end >= post.scheduledAt && end < scheduledAt;
  const ofPost = new Set(newWarnings.targets.map(({ accountId }) => accountId));
  const ending = accounts.filter(({ id, loginEndsAt }) => ofPost.has(id) && isNew(loginEndsAt));
  const end = subscriptionEnd !== null && isNew(subscriptionEnd.at) ? subscriptionEnd : null;
  const warnings = [...newWarnings.warnings, ...newWarnings.targets.flatMap((target) => target.warnings)];
  return {
    warned: newWarnings,
    accounts: ending,
    subscriptionEnd: end,
    isNone:
      warnings.length + ending.length === 0 && end === null && changes.every(({ field }) => field === "scheduled_at"),
  };
}

/** Confirms a move, with a button that undoes it. */
const Moved: FC<MoveProps & { scheduledAt: number }> = ({ post, display, next, scheduledAt }) => (
  <form class="notice success" method="post" action={`/dashboard/posts/${post.id}/move`}>
    <span>{`Moved from ${formatDateTime(display, post.scheduledAt)} to ${formatDateTime(display, scheduledAt)}.`}</span>
    <input type="hidden" name="at" value={String(post.scheduledAt)} />
    <input type="hidden" name="at_once" value="1" />
    <input type="hidden" name="next" value={next} />
    <button class="secondary">Undo</button>
  </form>
);

/** Responds with a page, or with the content alone if the calendar's dialog asked for it. */
function respond(c: PageContext, title: string, content: Child, status: 200 | 400 = 200) {
  return wantsFragment(c)
    ? c.html(
        <div class="card">
          <h2 id="dialog-title">{title}</h2>
          {content}
        </div>,
        status,
      )
    : renderPage(c, <MovePage title={title} signedIn={c.var.signedIn} content={content} />, status);
}

const MovePage: FC<{ title: string; signedIn: SignedInUser; content: Child }> = ({ title, signedIn, content }) => (
  <DashboardLayout
    title={title}
    section="calendar"
    signedIn={signedIn}
    hasLists={false}
    assets={{ styles: ["calendar"] }}
  >
    <div class="card">{content}</div>
  </DashboardLayout>
);

function respondNotMovable(c: PageContext, post: Post, status: 200 | 400) {
  return respond(
    c,
    "This post cannot be moved",
    <>
      <PostLine post={post} />
      <p>
        Only posts that wait can be moved; this one is{" "}
        {post.status === "cancelled" ? "cancelled" : STATUS_LABELS[post.status].toLowerCase()}.
      </p>
      <p>
        <a href={`/dashboard/posts/${post.id}`}>See the post</a>
      </p>
    </>,
    status,
  );
}

async function readPost(c: PageContext): Promise<Post> {
  return getPost(contextOf(c), { id: c.req.param("id") ?? "" });
}

/** Handles `GET /dashboard/posts/:id/move`: a form with date and time. */
export async function showMove(c: PageContext): Promise<Response> {
  const post = await readPost(c);
  if (!isMovable(post)) {
    return respondNotMovable(c, post, 200);
  }
  const display = displayOf(c);
  const wall = wallTimeAt(display.timeZone, post.scheduledAt);
  const fields = { date: wall.date, time: toTimeOfDay(wall.minute), fold: "", slot: "" };
  const next = localPath(c.req.query("next"));
  return respond(
    c,
    "Move this post",
    <MoveForm
      post={post}
      display={display}
      next={next}
      fields={fields}
      now={c.var.services.clock.now()}
      isAtOnce={wantsFragment(c)}
    />,
  );
}

/** Handles `POST /dashboard/posts/:id/move`: previews the move and asks the person to confirm it if necessary. */
export async function doMove(c: PageContext): Promise<Response> {
  const { services } = c.var;
  const form = await readForm(c);
  const fields: MoveFields = {
    date: form.text("date"),
    time: form.text("time"),
    fold: form.text("fold"),
    slot: form.text("slot"),
  };
  const slot = fields.slot === "next" ? ("next" as const) : undefined;
  const next = localPath(form.text("next") || undefined);
  const display = displayOf(c);
  const post = await readPost(c);
  if (!isMovable(post)) {
    return respondNotMovable(c, post, 400);
  }
  const at = form.text("at");
  const time = /^\d{1,14}$/.test(at) ? instantTime(display, Number(at)) : readMoveTime(display, fields);
  const refuse = (problems: readonly string[]) =>
    respond(
      c,
      "Move this post",
      <MoveForm
        post={post}
        display={display}
        next={next}
        fields={fields}
        now={services.clock.now()}
        isAtOnce={wantsFragment(c)}
        time={time}
        problems={problems}
      />,
      400,
    );
  if (time.kind !== "instant") {
    return refuse([time.message]);
  }
  if (slot === undefined && time.instant === post.scheduledAt) {
    return refuse([SAME_TIME]);
  }
  const isAtOnce = form.text("at_once") === "1";
  try {
    const input = { postIds: [post.id], scheduledAt: time.instant, slot };
    const ctx = contextOf(c);
    const [result, accounts] = await Promise.all([
      previewEdit(ctx, input, { comparesWarnings: isAtOnce }),
      listAccounts(ctx),
    ]);
    const [edited] = result.preview.posts;
    const after = edited?.after.scheduledAt;
    const scheduledAt = typeof after === "number" ? after : time.instant;
    const subscriptionEnd = readSubscriptionEnd(c.var.signedIn, services.config);
    const news = isAtOnce && edited ? newThings({ post, edited, scheduledAt }, accounts, subscriptionEnd) : null;
    if (news?.isNone === true) {
      const { confirmationToken } = result;
      await repeatUntilVisible(() => confirmEdit(ctx, { confirmationToken }));
      if (!wantsFragment(c)) {
        return c.redirect(withDone(next, "saved"), 303);
      }
      c.header("x-moved", "1");
      return await c.html(<Moved post={post} display={display} next={next} scheduledAt={scheduledAt} />);
    }
    const [from, to] = [post.scheduledAt, scheduledAt].map((instant) => formatDateTime(display, instant));
    return await respond(
      c,
      `Move from ${from} to ${to}?`,
      <MoveConfirmation
        services={services}
        accounts={news?.accounts ?? accounts}
        subscriptionEnd={news ? news.subscriptionEnd : subscriptionEnd}
        warned={news?.warned ?? edited?.after ?? { scheduledAt, warnings: [], targets: [] }}
        post={post}
        display={display}
        next={calendarWith(next, wallTimeAt(display.timeZone, scheduledAt), display, services.clock.now())}
        scheduledAt={scheduledAt}
        result={result}
      />,
    );
  } catch (error) {
    if (error instanceof RefusalError) {
      const { code, details, message } = error.refusal;
      if (code === "post_changed") {
        return refuse(["The post was changed, or began to be published, just now. Nothing was changed by you."]);
      }
      if (slot !== undefined && details?.some(({ code }) => code === "no_changes")) {
        return refuse([SAME_TIME]);
      }
      return refuse(details?.map((detail) => problemOfPost(services, display, post, detail)) ?? [toSentence(message)]);
    }
    throw error;
  }
}

/** The exact time to the millisecond, which an undo sends to restore it. */
function instantTime({ timeZone }: Display, instant: number): MoveTime {
  return { kind: "instant", instant, wall: wallTimeAt(timeZone, instant) };
}

/** The sentence of a problem. If the post has several accounts, it names the account with the problem. */
function problemOfPost(
  services: Pick<Services, "adapterFor">,
  display: Display,
  { targets }: Post,
  problem: RefusalDetail,
): string {
  const target = targets.find(({ accountId }) => accountId === problem.accountId);
  const sentence = problemInWords(problem, wordsFor(services, display, target?.platform));
  return target && targets.length > 1
    ? `${target.username} (${PLATFORM_NAMES[target.platform]}): ${sentence}`
    : sentence;
}

/**
 * The calendar to which the browser returns. If the new date would not be visible there, the calendar opens at that
 * date.
 */
function calendarWith(next: string, { date }: WallTime, display: Display, now: number): string {
  const url = new URL(next, "https://calendar.invalid");
  if (url.pathname !== "/dashboard") {
    return next;
  }
  const query = readCalendarQuery(url.searchParams, wallTimeAt(display.timeZone, now).date);
  const { days } = frameOf(query, display);
  return days.some((day) => day.date === date) ? next : calendarHref(query, { date });
}
