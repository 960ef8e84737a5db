import type { Services } from "#context.ts";
import { DAY, HOUR } from "#core/clock.ts";
import { VERSION } from "#core/version.ts";
import { targetStatus } from "#posts/rows/target-status.ts";
import { hashFeedSecret } from "./feed-secret.ts";
import { type FeedPostRow, type FeedRows, type FeedTargetRow, selectFeedRows } from "./store-feeds.ts";
import type { FeedContent, FeedFile, FeedPost } from "./types.ts";
import { FEED_POSTS, writeCalendar } from "./write-calendar.ts";

const PAST_DAYS = 30;
const FUTURE_DAYS = 365;

/**
 * Reads the calendar file of a feed in one round trip. Null for an unknown secret. `knownTags` are the entity tags of
 * files that the caller has; if one is current, no post is read.
 */
export async function readFeed(
  { clock, config, ...services }: Pick<Services, "clock" | "config" | "db">,
  secret: string,
  knownTags: readonly string[] = [],
): Promise<FeedFile | null> {
  const hash = await hashFeedSecret(secret);
  if (hash === null) {
    return null;
  }
  // The calendar also changes with time. It is written as of the beginning of the hour, so that its entity tag stays
  // valid until the next hour.
  const hour = Math.floor(clock.now() / HOUR);
  const now = hour * HOUR;
  const knownChanges = knownTags.map((tag) => changesOf(tag, hour)).find((changes) => changes !== null) ?? null;
  const range = { from: now - PAST_DAYS * DAY, until: now + FUTURE_DAYS * DAY, rows: FEED_POSTS + 1 };
  const { workspaceName, changes, ...rows } = await selectFeedRows(services.db, { hash, ...range, knownChanges });
  if (workspaceName === null) {
    return null;
  }
  const isKnown = changes === knownChanges;
  return {
    text: isKnown ? null : writeCalendar({ workspaceName, ...chooseShown(rows, now) }, config.origin),
    etag: tagOf(changes, hour),
  };
}

/**
 * The entity tag of a calendar file. It contains the service's version, because another version may write the same
 * posts differently.
 */
function tagOf(changes: number, hour: number): string {
  return `"${changes}-${hour}-${VERSION}"`;
}

/** The number of changes in an entity tag of this hour and version. Null for any other tag. */
function changesOf(tag: string, hour: number): number | null {
  const changes = Number(/^"(\d{1,15})-/.exec(tag)?.[1] ?? Number.NaN);
  return tagOf(changes, hour) === tag ? changes : null;
}

/**
 * Chooses the posts of the calendar. Cancelled posts get only the space that others leave. One that does not fit
 * disappears from the calendar, which is correct too.
 */
function chooseShown(
  { posts, cancelled }: Pick<FeedRows, "posts" | "cancelled">,
  now: number,
): Pick<FeedContent, "posts" | "isCut"> {
  const shown = posts.slice(0, FEED_POSTS);
  const rows = [...shown, ...cancelled.slice(0, FEED_POSTS - shown.length)];
  return {
    posts: rows.map((row) => toFeedPost(row, now)).toSorted((a, b) => a.scheduledAt - b.scheduledAt),
    isCut: posts.length > FEED_POSTS,
  };
}

function toFeedPost(row: FeedPostRow, now: number): FeedPost {
  const { id, status, version, caption, scheduled_at: scheduledAt, updated_at: updatedAt } = row;
  const targets = (JSON.parse(row.targets) as FeedTargetRow[]).toSorted((a, b) => a.position - b.position);
  return {
    id,
    status,
    version,
    scheduledAt,
    updatedAt,
    caption,
    targets: targets.map(({ platform, username, state, nextAttemptAt, verifyHistory, url }) => ({
      platform,
      username,
      status: targetStatus(state, { postStatus: status, nextAttemptAt, history: verifyHistory ?? [], now }),
      url,
    })),
  };
}
