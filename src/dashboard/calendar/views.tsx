import type { FC } from "hono/jsx";
import { addDays, type CalendarDate, wallTimeAt } from "#core/wall-time.ts";
import { formatDate, formatTimeOfDay, formatZone } from "#dashboard/wording/display.ts";
import { Chip, NoteChip } from "./chip.tsx";
import { isSkippedHour } from "./grid.ts";
import {
  type CalendarEntry,
  type CalendarModel,
  hasTrouble,
  newPostHref,
  newPostMinute,
  type Placed,
  slotMinute,
} from "./model.ts";
import { calendarHref } from "./query.ts";

const MOST_PER_DAY = 4;
const MOST_PER_HOUR = 4;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Hours outside this range get a low row while they have no post. */
const [FIRST_BUSY_HOUR, LAST_BUSY_HOUR] = [7, 21];

/** Selects the posts that fit into a day and keeps their order. Posts that need attention always fit. */
function fitting(posts: readonly Placed[], most: number): readonly Placed[] {
  if (posts.length <= most) {
    return posts;
  }
  const kept = new Set(posts.toSorted((a, b) => Number(hasTrouble(b)) - Number(hasTrouble(a))).slice(0, most - 1));
  return posts.filter((post) => kept.has(post));
}

type Placing = Pick<CalendarEntry, "posts" | "notes">;

/** The posts of a day, then as many drafts, requests and cancelled posts as fit, ordered by time. */
const chipsOf = ({ posts, notes }: Placing, model: CalendarModel, isDetailed = false) =>
  [
    ...posts.map((placed) => ({ minute: placed.minute, chip: <Chip {...{ placed, model, isDetailed }} /> })),
    ...notes.map((placed) => ({ minute: placed.minute, chip: <NoteChip {...{ placed, model, isDetailed }} /> })),
  ]
    .toSorted((a, b) => a.minute - b.minute)
    .map(({ chip }) => chip);

const Chips: FC<Placing & { most: number; date: CalendarDate; model: CalendarModel }> = ({
  posts,
  notes,
  most,
  date,
  model,
}) => {
  if (posts.length + notes.length === 0) {
    return null;
  }
  const shown = model.query.select === undefined ? fitting(posts, most) : posts;
  const shownNotes = notes.slice(0, Math.max(0, most - posts.length));
  const rest = posts.length - shown.length + notes.length - shownNotes.length;
  return (
    <ul class="chips">
      {chipsOf({ posts: shown, notes: shownNotes }, model)}
      {rest > 0 && (
        <li>
          <a class="more" href={calendarHref(model.query, { view: "list", date })}>
            +{rest} more
          </a>
        </li>
      )}
    </ul>
  );
};

/**
 * The date as a heading, `Thu, 3 Dec`. A grid shows only the number, because its edges already name weekday and month.
 */
const DayHeading: FC<{ date: CalendarDate; model: CalendarModel }> = ({ date, model }) => {
  const [day, month] = formatDate(date, "short").split(" ");
  return (
    <h2>
      <a href={calendarHref(model.query, { view: "list", date })}>
        <time datetime={date}>
          <span class="weekday">{formatDate(date, "medium").slice(0, 3)}, </span>
          {day}
          <span class="month-name"> {month}</span>
        </time>
      </a>
    </h2>
  );
};

/** Says how the zone's clock changes on that day. */
const ClockChange: FC<{ day: CalendarEntry; model: CalendarModel }> = ({ day: { clockChange, end }, model }) =>
  clockChange === 0 ? null : (
    <p class="clock-change">
      The clock goes {clockChange > 0 ? "forward" : "back"} {Math.abs(clockChange)} minutes, then{" "}
      {formatZone(model.display.timeZone, end).replace(/^.*\((.+)\)$/, "$1")}
    </p>
  );

const AddLink: FC<{ day: CalendarEntry; model: CalendarModel }> = ({ day, model }) => {
  const minute = newPostMinute(model, day);
  return minute === null ? null : (
    <a
      class="add"
      href={newPostHref(day.date, minute)}
      aria-label={`New post on ${formatDate(day.date, "medium")}`}
    ></a>
  );
};

function dayClass({ isPast, isToday, isOutside, posts, notes }: CalendarEntry): string {
  const classes = {
    past: isPast,
    today: isToday,
    outside: isOutside,
    empty: posts.length + notes.length === 0,
    "has-trouble": posts.some(hasTrouble),
  };
  return ["day", ...Object.entries(classes).flatMap(([name, applies]) => (applies ? [name] : []))].join(" ");
}

/**
 * A month as rows of weeks. If the URL names no view, or posts are selected, a phone shows a list (class `folds`). If
 * the URL names the month, a phone keeps the grid, with the number of posts in each day.
 */
export const MonthView: FC<{ model: CalendarModel }> = ({ model }) => {
  const { query, range, days, today } = model;
  const isCurrent = today.slice(0, 7) === query.date.slice(0, 7);
  return (
    <div
      class={`month${query.chosenView === null || query.select !== undefined ? " folds" : ""}${isCurrent ? " current" : ""}`}
    >
      <div class="weekdays" aria-hidden="true">
        {[0, 1, 2, 3, 4, 5, 6].map((index) => (
          <span>{formatDate(addDays(range.first, index), "medium").slice(0, 3)}</span>
        ))}
      </div>
      <ol class="days">
        {days.map((day) => (
          <li class={dayClass(day)} data-date={day.isPast ? undefined : day.date}>
            <DayHeading date={day.date} model={model} />
            <ClockChange day={day} model={model} />
            {day.posts.length > 0 && <span class="day-count">{day.posts.length}</span>}
            <Chips posts={day.posts} notes={day.notes} most={MOST_PER_DAY} date={day.date} model={model} />
            <AddLink day={day} model={model} />
          </li>
        ))}
      </ol>
    </div>
  );
};

const Slot: FC<{ day: CalendarEntry; hour: number; model: CalendarModel }> = ({ day, hour, model }) => {
  const isInHour = ({ minute }: { readonly minute: number }) => Math.floor(minute / 60) === hour;
  const [posts, notes] = [day.posts.filter(isInHour), day.notes.filter(isInHour)];
  const minute = slotMinute(model, day, hour);
  const isSkipped = isSkippedHour(model.display.timeZone, day, hour);
  const now = wallTimeAt(model.display.timeZone, model.now);
  const isNow = day.isToday && Math.floor(now.minute / 60) === hour;
  const isQuiet = hour < FIRST_BUSY_HOUR || hour > LAST_BUSY_HOUR;
  const slotClass = ["slot", isQuiet && "quiet", isSkipped && "skipped", posts.length + notes.length > 0 && "busy"];
  return (
    <div
      class={slotClass.filter(Boolean).join(" ")}
      data-date={minute === null ? undefined : day.date}
      data-hour={minute === null ? undefined : hour}
    >
      {isNow && <span class={`now now-${Math.floor((now.minute % 60) / 15)}`} aria-hidden="true"></span>}
      {isSkipped && <p>No {formatTimeOfDay(model.display, hour * 60)}: the clock moves forward</p>}
      <Chips posts={posts} notes={notes} most={MOST_PER_HOUR} date={day.date} model={model} />
      {/* These links are for the pointer only. With the keyboard, 168 tab stops would be useless, and each day has
         its own link. */}
      {minute !== null && <a class="add" href={newPostHref(day.date, minute)} tabindex={-1} aria-hidden="true"></a>}
    </div>
  );
};

/** A week: seven days, with a row for each hour. */
export const WeekView: FC<{ model: CalendarModel }> = ({ model }) => (
  <div class="week">
    <div class="hours" aria-hidden="true">
      {HOURS.map((hour) => (
        <span>{formatTimeOfDay(model.display, hour * 60).replace(":00 ", " ")}</span>
      ))}
    </div>
    {model.days.map((day) => (
      <section class={dayClass(day)} aria-label={formatDate(day.date, "long")}>
        <header>
          <DayHeading date={day.date} model={model} />
          <AddLink day={day} model={model} />
          <ClockChange day={day} model={model} />
        </header>
        <div class="slots">
          {HOURS.map((hour) => (
            <Slot day={day} hour={hour} model={model} />
          ))}
        </div>
      </section>
    ))}
  </div>
);

/** A list of the days that have posts, and of today. */
export const ListView: FC<{ model: CalendarModel }> = ({ model }) => {
  const { today } = model;
  const names = new Map([
    [today, "Today"],
    [addDays(today, 1), "Tomorrow"],
    [addDays(today, -1), "Yesterday"],
  ]);
  return (
    <ol class="list">
      {model.days
        .filter(({ posts, notes, isToday }) => posts.length + notes.length > 0 || (isToday && model.all === null))
        .map((day) => (
          <li class={dayClass(day)}>
            <header>
              <h2>
                {names.has(day.date) && `${names.get(day.date)}, `}
                <time datetime={day.date}>{formatDate(day.date, "long")}</time>
              </h2>
              <AddLink day={day} model={model} />
            </header>
            <ClockChange day={day} model={model} />
            {day.posts.length + day.notes.length === 0 ? (
              <p class="hint">Nothing planned.</p>
            ) : (
              <ul class="chips">{chipsOf(day, model, true)}</ul>
            )}
          </li>
        ))}
    </ol>
  );
};
