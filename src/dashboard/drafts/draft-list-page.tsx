import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { ConfirmForm, Notice } from "#dashboard/layout/components.tsx";
import { parseDate, parseTimeOfDay } from "#core/wall-time.ts";
import { timeOfDraft } from "#dashboard/post-form/form-of-draft.ts";
import type { TimeFields } from "#dashboard/post-form/read-time.ts";
import { type Display, formatDate, formatDateTime, formatTimeOfDay, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { firstWords } from "#dashboard/wording/post-state.ts";
import type { DraftSummary } from "#drafts/index.ts";

const PATH = "/dashboard/drafts";

const wordsOf = ({ caption }: DraftSummary): string => firstWords(caption ?? "");

/** When the draft is planned. The calendar shows a draft only with a day and a time. */
const Planned: FC<{ time: TimeFields; display: Display }> = ({ time, display }) => {
  const [date, minute] = [parseDate(time.date), parseTimeOfDay(time.time)];
  if (date === null) {
    return null;
  }
  const day = formatDate(date, "medium");
  return minute === null ? (
    <span>{`Planned for ${day}. The calendar shows it once it has a time, too`}</span>
  ) : (
    <span>
      {`Planned for ${day}, ${formatTimeOfDay(display, minute)}`}{" "}
      <a href={`/dashboard?view=week&date=${date}`}>Show in the calendar</a>
    </span>
  );
};

/** The place of an opened draft in the calendar, if it has a day. */
export const PlannedNotice: FC<{ time: TimeFields; display: Display }> = ({ time, display }) =>
  parseDate(time.date) === null ? null : (
    <p class="hint">
      <Planned time={time} display={display} />
    </p>
  );

const DraftItem: FC<{ draft: DraftSummary; display: Display }> = ({ draft, display }) => (
  <li class="item">
    <div class="item-header">
      <h2>
        <a href={`${PATH}/${draft.id}`}>
          <bdi>{wordsOf(draft)}</bdi>
        </a>
      </h2>
    </div>
    <p class="item-meta">
      <Planned
        time={timeOfDraft({ scheduled_at: draft.scheduledAt, time_zone: draft.timeZone }, display)}
        display={display}
      />
      <span>
        Changed{" "}
        <time datetime={new Date(draft.updatedAt).toISOString()}>{formatDateTime(display, draft.updatedAt)}</time>
      </span>
    </p>
    <div class="item-actions">
      <ConfirmForm
        action={`${PATH}/${draft.id}/delete`}
        description="The draft is deleted for good. Its files stay in the library."
        verb="Delete"
        target={`the draft “${wordsOf(draft)}”`}
      />
    </div>
  </li>
);

const pageHref = (page: number): string => (page > 1 ? `${PATH}?page=${page}` : PATH);

/** Lists the drafts of the workspace, the last changed first. */
export const DraftListPage: FC<{
  signedIn: SignedInUser;
  display: Display;
  now: number;
  drafts: readonly DraftSummary[];
  hasMore: boolean;
  /** The page number, counted from 1. */
  page: number;
  isDeleted: boolean;
}> = ({ signedIn, display, now, drafts, hasMore, page, isDeleted }) => (
  <DashboardLayout
    title="Drafts"
    section="drafts"
    signedIn={signedIn}
    lead="Posts of this workspace that are still being worked on. Nothing here is scheduled; a draft that nobody changes for a year is deleted."
  >
    {isDeleted && <Notice kind="success">The draft was deleted.</Notice>}
    {drafts.length === 0 ? (
      <p class="empty-state">
        {page > 1 ? (
          "There is nothing older."
        ) : (
          <>
            No drafts yet. <a href="/dashboard/posts/new">Write a post</a> and press “Save as draft”.
          </>
        )}
      </p>
    ) : (
      <>
        <p class="hint">{`Times in ${formatZone(display.timeZone, now)}.`}</p>
        <ul class="items">
          {drafts.map((draft) => (
            <DraftItem draft={draft} display={display} />
          ))}
        </ul>
      </>
    )}
    {(page > 1 || hasMore) && (
      <nav class="item-actions" aria-label="Pages of the drafts">
        {page > 1 && (
          <a class="button secondary" href={pageHref(page - 1)} rel="prev">
            Newer
          </a>
        )}
        {hasMore && (
          <a class="button secondary" href={pageHref(page + 1)} rel="next">
            Older
          </a>
        )}
      </nav>
    )}
  </DashboardLayout>
);
