import type { FC } from "hono/jsx";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { CREATED_VIA, POST_STATUSES } from "#core/status.ts";
import { SOURCE_LABELS, STATUS_LABELS } from "#dashboard/wording/status-labels.ts";
import type { CalendarModel } from "./model.ts";
import { hidesDrafts, type Shown } from "./notes.ts";
import { calendarHref, filterParams, SEARCH_MAX, type View, VIEWS } from "./query.ts";

const SHOWN_LABELS = {
  posts: "Posts only",
  draft: "Drafts",
  waiting: "Needs approval",
  cancelled: "Cancelled",
} as const satisfies Record<Shown, string>;
const VIEW_LABELS = { month: "Month", week: "Week", list: "4 weeks", all: "All posts" } as const satisfies Record<
  View,
  string
>;
const PERIODS = { month: "month", week: "week", list: "four weeks", all: "" } as const satisfies Record<View, string>;

const Arrow: FC<{ isBack?: boolean }> = ({ isBack = false }) => (
  <svg class="arrow" viewBox="0 0 16 16" aria-hidden="true">
    <path d={isBack ? "M10 3 5 8l5 5" : "m6 3 5 5-5 5"} fill="none" stroke="currentColor" stroke-width="2" />
  </svg>
);

const Choice: FC<{
  name: string;
  label: string;
  all: string;
  value: string | undefined;
  options: readonly (readonly [value: string, label: string])[];
}> = ({ name, label, all, value, options }) => (
  <div class="field">
    <label for={`filter-${name}`}>{label}</label>
    <select id={`filter-${name}`} name={name}>
      <option value="">{all}</option>
      {options.map(([option, text]) => (
        <option value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
  </div>
);

const TextFilter: FC<{ name: string; label: string; value: string | undefined }> = ({ name, label, value }) => (
  <div class="field">
    <label for={`filter-${name}`}>{label}</label>
    <input id={`filter-${name}`} name={name} value={value} autocomplete="off" />
  </div>
);

/** The search field, which finds posts of all times. The other filters stay active. */
const SearchForm: FC<{ model: CalendarModel }> = ({ model: { query } }) => (
  <form class="search" role="search" method="get" action="/dashboard">
    <input type="hidden" name="view" value="all" />
    {Object.entries(filterParams({ ...query.filter, search: undefined })).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <input
      id="search"
      type="search"
      name="q"
      value={query.filter.search}
      maxlength={SEARCH_MAX}
      aria-label="Search posts"
      placeholder="Search"
      autocomplete="off"
    />
    <button class="secondary" aria-label="Search">
      <svg class="arrow" viewBox="0 0 16 16" aria-hidden="true">
        <path
          d="M10.5 10.5 14 14M12 7A5 5 0 1 1 2 7a5 5 0 0 1 10 0"
          fill="none"
          stroke="currentColor"
          stroke-width="2"
        />
      </svg>
    </button>
  </form>
);

const Filters: FC<{ model: CalendarModel }> = ({ model: { query, accounts } }) => {
  const { filter } = query;
  const count = Object.keys(filterParams(filter)).length;
  return (
    <details class="filters" data-menu>
      <summary class="button secondary">Filter{count > 0 && ` (${count})`}</summary>
      <form class="card" method="get" action="/dashboard">
        {query.chosenView !== null && <input type="hidden" name="view" value={query.chosenView} />}
        {query.view !== "all" && <input type="hidden" name="date" value={query.date} />}
        {filter.search !== undefined && <input type="hidden" name="q" value={filter.search} />}
        <Choice
          name="account"
          label="Account"
          all="All accounts"
          value={filter.accountId}
          options={accounts.map(({ id, username, platform }) => [id, `${username} (${PLATFORM_NAMES[platform]})`])}
        />
        <Choice
          name="platform"
          label="Platform"
          all="All platforms"
          value={filter.platform}
          options={PLATFORMS.map((platform) => [platform, PLATFORM_NAMES[platform]])}
        />
        <Choice
          name="status"
          label="Status"
          all="All"
          value={filter.status ?? filter.shown}
          options={[
            ...POST_STATUSES.map((status) => [status, STATUS_LABELS[status]] as const),
            ...Object.entries(SHOWN_LABELS),
          ]}
        />
        <Choice
          name="source"
          label="How it was made"
          all="All"
          value={filter.createdVia}
          options={CREATED_VIA.map((via) => [via, SOURCE_LABELS[via]])}
        />
        <TextFilter name="label" label="Label" value={filter.label} />
        <TextFilter name="external_id" label="Id in your own system" value={filter.externalId} />
        <button>Show</button>
      </form>
    </details>
  );
};

/** Says in words which filters are active. */
export const ActiveFilters: FC<{ model: CalendarModel }> = ({ model: { query, accounts } }) => {
  const { accountId, platform, status, shown, createdVia, label, externalId, search } = query.filter;
  const words = [
    search !== undefined && `“${search}”`,
    accountId !== undefined &&
      (accounts.find(({ id }) => id === accountId)?.username ?? "an account that is not connected"),
    platform !== undefined && PLATFORM_NAMES[platform],
    status !== undefined && STATUS_LABELS[status],
    shown !== undefined && SHOWN_LABELS[shown],
    createdVia !== undefined && `how it was made: ${SOURCE_LABELS[createdVia]}`,
    label !== undefined && `label: ${label}`,
    externalId !== undefined && `id in your own system: ${externalId}`,
  ].filter((word): word is string => typeof word === "string");
  return words.length === 0 ? null : (
    <p class="active-filters">
      Only {words.join(" · ")} <a href={calendarHref(query, { filter: {} })}>Show all</a>
      {query.view !== "all" && [undefined, "draft"].includes(status ?? shown) && hidesDrafts(query.filter) && (
        <span class="hint"> Drafts are not shown: they do not tell what made them.</span>
      )}
    </p>
  );
};

/** The top of the calendar: heading, links to other days, views and filters. */
export const Toolbar: FC<{ model: CalendarModel }> = ({ model }) => {
  const { query, range } = model;
  return (
    <div class="calendar-bar">
      <h1>{range.title}</h1>
      {query.view !== "all" && (
        <nav class="button-group" aria-label="Period">
          <a href={calendarHref(query, { date: range.previous })} aria-label={`Previous ${PERIODS[query.view]}`}>
            <Arrow isBack />
          </a>
          <a href={calendarHref(query, { date: null })}>Today</a>
          <a href={calendarHref(query, { date: range.next })} aria-label={`Next ${PERIODS[query.view]}`}>
            <Arrow />
          </a>
        </nav>
      )}
      <nav class="button-group" aria-label="View">
        {VIEWS.map((view) => (
          <a href={calendarHref(query, { view })} aria-current={view === query.view ? "page" : undefined}>
            {VIEW_LABELS[view]}
          </a>
        ))}
      </nav>
      <a class="button secondary" href={calendarHref(query, { select: query.select === undefined ? "some" : null })}>
        {query.select === undefined ? "Select" : "Done"}
      </a>
      <SearchForm model={model} />
      <Filters model={model} />
    </div>
  );
};
