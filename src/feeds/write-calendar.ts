import { PLATFORM_NAMES } from "#core/platform.ts";
import type { PostStatus, TargetStatus } from "#core/status.ts";
import { firstWords } from "#core/text.ts";
import { contentLine, instantLine, textLine } from "./content-lines.ts";
import type { FeedContent, FeedPost, FeedTarget } from "./types.ts";

export const FEED_POSTS = 2000;

const DURATION = "PT15M";
/** How often calendar programs should refresh the feed, if they support this property. */
const REFRESH_INTERVAL = "PT15M";

const EVENT_STATUS = {
  scheduled: "CONFIRMED",
  publishing: "CONFIRMED",
  published: "CONFIRMED",
  partially_failed: "CONFIRMED",
  failed: "CONFIRMED",
  paused: "TENTATIVE",
  cancelled: "CANCELLED",
} as const satisfies Record<PostStatus, "CONFIRMED" | "TENTATIVE" | "CANCELLED">;

const TARGET_WORDS = {
  pending: "waits",
  processing: "is being published",
  published: "published",
  failed: "failed",
  unconfirmed: "may or may not be published",
  skipped: "is left out",
} as const satisfies Record<TargetStatus, string>;

function describeTarget({ platform, username, status, url }: FeedTarget): string {
  const words = `${PLATFORM_NAMES[platform]} (${username}): ${TARGET_WORDS[status]}`;
  return url === null ? words : `${words}, ${url}`;
}

function summaryOf({ targets, caption }: FeedPost): string {
  const platforms = [...new Set(targets.map(({ platform }) => PLATFORM_NAMES[platform]))].join(", ");
  const words = firstWords(caption);
  return words === "" ? platforms : `${platforms} · ${words}`;
}

function descriptionOf({ caption, status, targets }: FeedPost): string {
  const state = status === "paused" ? ["This post is paused."] : [];
  const lines = [...state, ...targets.map(describeTarget)].join("\n");
  return caption === "" ? lines : `${caption}\n\n${lines}`;
}

function eventOf(post: FeedPost, origin: string): string {
  return [
    contentLine("BEGIN", "VEVENT"),
    contentLine("UID", post.id),
    instantLine("DTSTAMP", post.updatedAt),
    instantLine("LAST-MODIFIED", post.updatedAt),
    contentLine("SEQUENCE", String(post.version)),
    instantLine("DTSTART", post.scheduledAt),
    contentLine("DURATION", DURATION),
    textLine("SUMMARY", summaryOf(post)),
    textLine("DESCRIPTION", descriptionOf(post)),
    contentLine("URL", `${origin}/dashboard/posts/${post.id}`),
    contentLine("STATUS", EVENT_STATUS[post.status]),
    // A post does not occupy its owner's time, so calendars must not show the time as busy.
    contentLine("TRANSP", "TRANSPARENT"),
    contentLine("END", "VEVENT"),
  ].join("");
}

/**
 * Writes the posts as an iCalendar file (RFC 5545). The same posts always give the same bytes, so that entity tags
 * work.
 */
export function writeCalendar({ workspaceName, posts, isCut }: FeedContent, origin: string): string {
  const name = `Almanac: ${workspaceName}`;
  const cut = `This workspace has more posts than the ${FEED_POSTS} that this calendar shows: later ones are missing.`;
  return [
    contentLine("BEGIN", "VCALENDAR"),
    contentLine("VERSION", "2.0"),
    contentLine("PRODID", "-//Almanac//Calendar feed//EN"),
    contentLine("CALSCALE", "GREGORIAN"),
    // Write the property with its name in RFC 7986, and again with the name that older programs know.
    textLine("NAME", name),
    textLine("X-WR-CALNAME", name),
    contentLine("REFRESH-INTERVAL;VALUE=DURATION", REFRESH_INTERVAL),
    contentLine("X-PUBLISHED-TTL", REFRESH_INTERVAL),
    ...(isCut ? [textLine("DESCRIPTION", cut), textLine("X-WR-CALDESC", cut)] : []),
    ...posts.map((post) => eventOf(post, origin)),
    contentLine("END", "VCALENDAR"),
  ].join("");
}
