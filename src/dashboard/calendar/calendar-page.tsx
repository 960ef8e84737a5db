import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { DAY } from "#core/clock.ts";
import { MIN_ARCHIVE_AFTER_DAYS } from "#core/plan.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { startOfMonth, wallTimeAt } from "#core/wall-time.ts";
import { Notice } from "#dashboard/layout/components.tsx";
import { FirstSteps } from "#dashboard/layout/first-steps.tsx";
import { formatDateTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { BadgeSymbols } from "./chip.tsx";
import { isMovable } from "#dashboard/wording/status-labels.ts";
import { type CalendarModel, hasTrouble, newPostHref, newPostMinute, refreshSeconds } from "./model.ts";
import { type CalendarQuery, calendarHref } from "./query.ts";
import { ActiveFilters, Toolbar } from "./toolbar.tsx";
import { ListView, MonthView, WeekView } from "./views.tsx";

/** The sentence that confirms what the form before this page has done. */
const DONE_SENTENCES: Readonly<Record<string, string>> = {
  saved: "The change is saved.",
  scheduled: "The post is scheduled.",
  cancelled: "The post is cancelled.",
  paused: "The post is paused.",
  resumed: "The post is scheduled again.",
  "posts-moved": "The posts are moved.",
  "posts-labelled": "The labels are changed.",
  "posts-paused": "The posts are paused.",
  "posts-resumed": "The posts are scheduled again.",
  "posts-cancelled": "The posts are cancelled.",
};

const ReconnectNotice: FC<{ model: CalendarModel }> = ({ model: { accounts } }) => {
  const waiting = accounts.filter(({ status }) => status === "needs_reconnect");
  return waiting.length === 0 ? null : (
    <p class="notice error">
      {waiting.map(({ username, platform }) => `${username} (${PLATFORM_NAMES[platform]})`).join(", ")}{" "}
      {waiting.length === 1 ? "needs a new login: its posts are" : "need a new login: their posts are"} paused until
      then. <a href="/dashboard/accounts">Connect again</a>
    </p>
  );
};

/** Says how many posts the view has, how many need attention, and which time zone the page uses. */
const Summary: FC<{ model: CalendarModel }> = ({ model }) => {
  const { display, now, days } = model;
  const posts = days.filter(({ isOutside }) => !isOutside).flatMap((day) => day.posts);
  const count = model.all?.total ?? posts.length;
  const troubled = posts.filter(hasTrouble).length;
  const last = days.at(-1);
  return (
    <p class="item-meta">
      <span>{count === 0 ? "No posts" : count === 1 ? "1 post" : `${count.toLocaleString("en")} posts`}</span>
      {troubled > 0 && <b class="trouble">{attentionWords(troubled)}</b>}
      <span>
        Times in{" "}
        <a href="/dashboard/profile">
          {formatZone(display.timeZone, days.some(({ isToday }) => isToday) || last === undefined ? now : last.start)}
        </a>
      </span>
    </p>
  );
};

/** Suggests the first step in a calendar without posts. */
const EmptyHint: FC<{ model: CalendarModel }> = ({ model }) => {
  const { days, accounts, query, now, history } = model;
  const isFiltered = Object.values(query.filter).some((value) => value !== undefined);
  if (query.view === "all" && days.length === 0) {
    return <p class="empty-state">{isFiltered ? "No post is like that." : "There are no posts yet."}</p>;
  }
  if (isFiltered || days.some(({ posts, notes }) => posts.length + notes.length > 0)) {
    return null;
  }
  if ((days.at(-1)?.end ?? now) < now - MIN_ARCHIVE_AFTER_DAYS * DAY) {
    return (
      <p class="empty-state">
        Nothing is here. Posts that ended long ago are in the <a href="/dashboard/archive">archive</a>.
      </p>
    );
  }
  const next = days.find((day) => !day.isOutside && newPostMinute(model, day) !== null);
  const minute = next === undefined ? null : newPostMinute(model, next);
  if (next === undefined || minute === null) {
    return <p class="empty-state">Nothing was planned here.</p>;
  }
  return (
    <>
      {accounts.length > 0 && (
        <p class="empty-state">
          Nothing planned here yet. <a href={newPostHref(next.date, minute)}>Write a post</a>.
        </p>
      )}
      {accounts.length === 0 && history?.hasPublished === true && (
        <p class="empty-state">
          No account is connected. <a href="/dashboard/accounts">Connect an account</a> to plan a post.
        </p>
      )}
      {history !== null && (
        <FirstSteps
          hasAccounts={accounts.length > 0}
          history={history}
          timeZone={model.display.timeZone}
          offer={model.offer}
        />
      )}
    </>
  );
};

/** A link to the next post, for a view without posts. */
const NextPost: FC<{ model: CalendarModel }> = ({ model: { nextAt, display, query } }) => {
  if (nextAt === null) {
    return null;
  }
  const { date } = wallTimeAt(display.timeZone, nextAt);
  return (
    <p>
      The next post is on <a href={calendarHref(query, { date })}>{formatDateTime(display, nextAt)}</a>.
    </p>
  );
};

/** A link to the days before today. On a phone, the list of the current month begins with today. */
const EarlierLink: FC<{ model: CalendarModel }> = ({ model: { query, today, days } }) => {
  const first = startOfMonth(today);
  if (query.chosenView !== null || startOfMonth(query.date) !== first || today === first) {
    return null;
  }
  const troubled = days
    .filter(({ isPast, isOutside }) => isPast && !isOutside)
    .flatMap(({ posts }) => posts.filter(hasTrouble));
  return (
    <p class="earlier">
      <a href={calendarHref(query, { view: "list", date: first })}>Earlier this month</a>
      {troubled.length > 0 && <b class="trouble">{`: ${attentionWords(troubled.length)}`}</b>}
    </p>
  );
};

function attentionWords(count: number): string {
  return count === 1 ? "1 needs attention" : `${count} need attention`;
}

/** Links to the other pages of all posts, and to posts that a search has not examined yet. */
const Pages: FC<{ model: CalendarModel }> = ({ model: { query, display, all, hasMore } }) => {
  if (all === null) {
    return null;
  }
  const { next } = all.search;
  return (
    <>
      {(query.page > 1 || hasMore) && (
        <nav class="item-actions" aria-label="Pages of the posts">
          {query.page > 1 && (
            <a class="button secondary" href={calendarHref(query, { page: query.page - 1 })} rel="prev">
              Later posts
            </a>
          )}
          {hasMore && (
            <a class="button secondary" href={calendarHref(query, { page: query.page + 1 })} rel="next">
              Earlier posts
            </a>
          )}
        </nav>
      )}
      {next !== null && (
        <p>
          {`This looked at ${all.search.searched.toLocaleString("en")} posts, back to ${formatDateTime(display, next)}. `}
          <a href={calendarHref(query, { before: next, page: 1 })}>Look at the posts before</a>
        </p>
      )}
      <p class="hint">Archived posts are not among these.</p>
    </>
  );
};

/** The part of the calendar that changes while the page is open. A script fetches it again. */
export const CalendarBody: FC<{ model: CalendarModel }> = ({ model }) => {
  const posts = model.days.flatMap((day) => day.posts);
  const shown = [...posts, ...model.days.flatMap((day) => day.notes)];
  const used = new Set(shown.flatMap(({ post }) => post.platforms));
  const { view } = model.query;
  return (
    <section id="calendar" data-refresh={refreshSeconds(model) ?? undefined} aria-label="Posts">
      <BadgeSymbols platforms={PLATFORMS.filter((platform) => used.has(platform))} />
      <Summary model={model} />
      <ReconnectNotice model={model} />
      {model.hasMore && view !== "all" && (
        <Notice kind="info">There are more posts than fit here: choose a shorter period or a filter to see all.</Notice>
      )}
      <EmptyHint model={model} />
      <NextPost model={model} />
      <EarlierLink model={model} />
      {view === "month" && <MonthView model={model} />}
      {view === "week" && <WeekView model={model} />}
      {(view === "list" || view === "all") && (
        <>
          <ListView model={model} />
          <Pages model={model} />
          <p>
            <a href="/dashboard/archive">Archived posts</a>
          </p>
        </>
      )}
      {model.query.select === undefined && posts.some(({ post }) => isMovable(post)) && (
        <p class="hint">
          <span class="narrow-hint">
            {view === "month" && model.query.chosenView !== null
              ? "Tap a day to see its posts."
              : "Tap Move to change the time."}
          </span>
          <span class="wide-hint">
            To move a post, drag it{view === "list" || view === "all" ? " in the month or the week" : ""}, or use its
            Move link, which the keyboard reaches after the post.
          </span>
        </p>
      )}
    </section>
  );
};

const SELECTION_BUTTONS = [
  ["move", "Move"],
  ["label", "Label"],
  ["pause", "Pause"],
  ["resume", "Resume"],
  ["cancel", "Cancel posts"],
] as const;

/** Buttons for the selected posts. Each leads to a preview. */
const SelectionBar: FC<{ query: CalendarQuery }> = ({ query }) => (
  <form id="selection" class="card" method="post" action="/dashboard/selection" aria-label="Selected posts">
    <input type="hidden" name="next" value={calendarHref(query, { select: null })} />
    <p class="actions">
      {SELECTION_BUTTONS.map(([action, label]) => (
        <button class="secondary" name="change" value={action}>
          {label}
        </button>
      ))}
      <a href={calendarHref(query, { select: query.select === "all" ? "some" : "all" })}>
        {query.select === "all" ? "Select none" : "Select all that are shown"}
      </a>
    </p>
  </form>
);

const KEYS = [
  ["Tab", "the next day"],
  ["Arrow keys", "the posts of a day, and the days beside it"],
  ["N", "a new post"],
  ["T", "today"],
  ["J", "the next period"],
  ["K", "the previous period"],
  ["U", "undo the move that was made just now"],
  ["/", "the search"],
  ["F", "the filters"],
  ["?", "this list"],
] as const;

/** Lists the keyboard shortcuts. A switch turns single letters off, for people who control the computer by speech. */
const Keys: FC = () => (
  <details class="wide-hint keys" data-keys="">
    <summary>Keyboard</summary>
    <dl>
      {KEYS.map(([key, meaning]) => (
        <div>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <label class="checkbox">
      <input type="checkbox" checked />
      <span>Use the single keys N, T, J, K, F, U, / and ?</span>
    </label>
  </details>
);

export const CalendarPage: FC<{ signedIn: SignedInUser; model: CalendarModel; done: string | undefined }> = ({
  signedIn,
  model,
  done = "",
}) => (
  <DashboardLayout
    title={`Calendar, ${model.range.title}`}
    section="calendar"
    signedIn={signedIn}
    isWide
    hasHeading={false}
    assets={{ styles: ["calendar"], scripts: ["calendar"] }}
  >
    <Toolbar model={model} />
    {Object.hasOwn(DONE_SENTENCES, done) && <Notice kind="success">{DONE_SENTENCES[done]}</Notice>}
    <ActiveFilters model={model} />
    <CalendarBody model={model} />
    {model.query.select !== undefined && <SelectionBar query={model.query} />}
    <Keys />
  </DashboardLayout>
);
