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
 * The calendar file of a feed's workspace, in one round trip; null for an unknown secret. `knownTags` are the tags of the files that the
 * caller has: for a current one no post is read.
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
  // What a feed shows also depends on the time. It shows the beginning of the hour, so that its tag holds until the next one.
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

/** Another version of the service may write the same posts differently. */
function tagOf(changes: number, hour: number): string {
  return `"${changes}-${hour}-${VERSION}"`;
}

/** The number of changes in a tag of this hour and version; null for any other tag. */
function changesOf(tag: string, hour: number): number | null {
  const changes = Number(/^"(\d{1,15})-/.exec(tag)?.[1] ?? Number.NaN);
  return tagOf(changes, hour) === tag ? changes : null;
}

/**
 * Cancelled posts use only the space that the others leave. A cancelled post that does not fit disappears from the calendar, which is also
 * correct.
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
