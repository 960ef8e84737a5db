import type { Services } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { targetStatus } from "#posts/rows/target-status.ts";
import { hashFeedSecret } from "./feed-secret.ts";
import { type FeedPostRow, type FeedRows, type FeedTargetRow, selectFeedRows } from "./store-feeds.ts";
import type { FeedContent, FeedFile, FeedPost } from "./types.ts";
import { FEED_POSTS, writeCalendar } from "./write-calendar.ts";

const PAST_DAYS = 30;
const FUTURE_DAYS = 365;

/** The calendar file of a feed's workspace, in one round trip; null for an unknown secret. */
export async function readFeed(
  { clock, config, ...services }: Pick<Services, "clock" | "config" | "db">,
  secret: string,
): Promise<FeedFile | null> {
  const hash = await hashFeedSecret(secret);
  if (hash === null) {
    return null;
  }
  const now = clock.now();
  const range = { from: now - PAST_DAYS * DAY, until: now + FUTURE_DAYS * DAY, rows: FEED_POSTS + 1 };
  const { workspaceName, ...rows } = await selectFeedRows(services.db, { hash, ...range });
  if (workspaceName === null) {
    return null;
  }
  const text = writeCalendar({ workspaceName, ...chooseShown(rows, now) }, config.origin);
  return { text, etag: `"${await sha256Hex(text)}"` };
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
