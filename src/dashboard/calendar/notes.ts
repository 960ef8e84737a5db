import type { TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { DAY } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { isTimeZone } from "#core/time-zone.ts";
import { foldText } from "#core/fold-text.ts";
import type { StatementResult } from "#db/batch.ts";
import { type RequestedPost, requestedPostsStatement } from "#confirming/index.ts";
import { type DatedDraft, datedDraftsStatement } from "#drafts/index.ts";
import { type CalendarFilter, type CancelledPost, cancelledPostsStatement, wordsOfSearch } from "#posts/index.ts";
import { scheduledTimeOf } from "#wire/schemas/scheduled-at.ts";

/**
 * The kinds of things that the calendar shows in addition to posts. None of them will be published unless somebody
 * acts.
 */
export const NOTE_KINDS = ["draft", "waiting", "cancelled"] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

export interface CalendarNote {
  readonly kind: NoteKind;
  readonly href: string;
  readonly scheduledAt: number;
  readonly caption: string;
  readonly platforms: readonly Platform[];
}

/** What the calendar shows: the posts, or one kind of drafts, requests or cancelled posts alone. */
export type Shown = "posts" | NoteKind;

/** How many items of each kind the calendar shows at most. */
const NOTES_MAX = 200;

interface NotesInput {
  readonly from: number;
  readonly until: number;
  readonly now: number;
  readonly filter: CalendarFilter;
  readonly shown: Shown | null;
}

/**
 * Statements for the drafts, requests and cancelled posts of a view. A kind that cannot match the filter is left out.
 */
export function noteStatements({ db, actor }: Pick<Context, "db" | "actor">, input: NotesInput) {
  const { from, until, now, filter, shown } = input;
  const shows = (kind: NoteKind) => filter.status === undefined && (shown === null || shown === kind);
  const { label, externalId, createdVia: via } = filter;
  const limits = { limit: NOTES_MAX, label, externalId };
  // A draft's day depends on its own time zone, so read one more day before and after.
  const [firstDay, endDay] = [dayOf(from - DAY), dayOf(until + 2 * DAY)];
  return {
    drafts:
      shows("draft") && !hidesDrafts(filter)
        ? datedDraftsStatement(db, actor, { firstDay, endDay, ...limits })
        : undefined,
    requests: shows("waiting") ? requestedPostsStatement(db, actor, { from, until, now, via, ...limits }) : undefined,
    cancelled: shows("cancelled")
      ? cancelledPostsStatement(db, actor, { from, until, rows: NOTES_MAX }, filter)
      : undefined,
  };
}

/** Whether the filter asks for something that no draft tells: how the draft was made. */
export const hidesDrafts = ({ createdVia }: CalendarFilter): boolean => createdVia !== undefined;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The instant of a draft. NaN for a time that a preview would refuse, because a draft may have any text there. */
function timeOf({ scheduledAt, timeZone }: DatedDraft): number {
  const isReadable = timeZone === null || isTimeZone(timeZone);
  const time = isReadable ? scheduledTimeOf({ scheduled_at: scheduledAt, time_zone: timeZone }) : undefined;
  return Number(time?.instant ?? Number.NaN);
}

interface NoteResults {
  readonly drafts: StatementResult<DatedDraft>;
  readonly requests: StatementResult<RequestedPost>;
  readonly cancelled: StatementResult<CancelledPost>;
}

/** Reads drafts, requests and cancelled posts, ordered by time. */
export function readNotes(
  { drafts, requests, cancelled }: NoteResults,
  accounts: readonly TargetAccount[],
  { from, until, filter }: NotesInput,
): readonly CalendarNote[] {
  const platformsOf = (ids: readonly string[]) => [
    ...new Set(accounts.filter(({ id }) => ids.includes(id)).map(({ platform }) => platform)),
  ];
  const words = wordsOfSearch(filter.search ?? "");
  const matches = (caption: string, ids: readonly string[]) =>
    (filter.accountId === undefined || ids.includes(filter.accountId)) &&
    (filter.platform === undefined || platformsOf(ids).includes(filter.platform)) &&
    words.every((word) => foldText(caption).includes(word));
  const unpublished = [
    ...drafts.results.map((draft) => ({
      ...draft,
      kind: "draft" as const,
      href: `/dashboard/drafts/${draft.id}`,
      caption: draft.caption ?? "",
      scheduledAt: timeOf(draft),
    })),
    ...requests.results.map((post) => ({ ...post, kind: "waiting" as const, href: `/approvals/${post.id}` })),
  ].flatMap(({ kind, href, scheduledAt, caption, accountIds }) => {
    const ids = JSON.parse(accountIds) as string[];
    const isShown = scheduledAt >= from && scheduledAt < until && matches(caption, ids);
    return isShown ? [{ kind, href, scheduledAt, caption, platforms: platformsOf(ids) }] : [];
  });
  const posts = cancelled.results.map(({ id, scheduled_at: scheduledAt, caption, platforms }) => ({
    kind: "cancelled" as const,
    href: `/dashboard/posts/${id}`,
    scheduledAt,
    caption,
    platforms: JSON.parse(platforms) as Platform[],
  }));
  return [...unpublished, ...posts].toSorted((a, b) => a.scheduledAt - b.scheduledAt);
}
