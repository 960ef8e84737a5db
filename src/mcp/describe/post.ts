import { oneLine, quoted } from "#mcp/quoted.ts";
import { timeInWords } from "#mcp/local-time.ts";
import type { MediaItem } from "#wire/schemas/media.ts";
import type { Post, PostSummary } from "#wire/schemas/post.ts";

const CAPTION_MAX = 2500;

/** `Thursday, 24 December 2026, 19:00 (Europe/Berlin)` of an instant as the API writes it. */
export function when(timeZone: string, instant: string): string {
  return timeInWords(timeZone, Date.parse(instant));
}

/** A post in a list. */
export function summaryLine(timeZone: string, post: PostSummary): string {
  const media = post.media_count === 0 ? "" : `, ${post.media_count} media`;
  return `- ${post.id}: ${post.status}, ${when(timeZone, post.scheduled_at)}, ${post.platforms.join(", ")}${media}: ${quoted(post.caption)}`;
}

function targetLine(timeZone: string, target: Post["targets"][number]): string {
  const options = jsonText(target.platform_options);
  return [
    `- ${target.platform} ${quoted(target.username)} (account ${target.account_id}): ${target.status}`,
    ...(target.published_at === null ? [] : [`published ${when(timeZone, target.published_at)}`]),
    ...(target.platform_post_url === null ? [] : [target.platform_post_url]),
    ...(target.next_attempt_at === null ? [] : [`next try ${when(timeZone, target.next_attempt_at)}`]),
    ...(target.caption === null ? [] : [`own caption ${quoted(target.caption, CAPTION_MAX)}`]),
    ...(options === "{}" ? [] : [`options ${options}`]),
    ...(target.error === null
      ? []
      : [`${target.error.code}: ${quoted(target.error.message, 300)} (${target.error.who_must_act} must act)`]),
  ].join("; ");
}

/** A value as JSON on one line: options and changes hold words of the person and of platforms. */
export function jsonText(value: unknown): string {
  return oneLine(JSON.stringify(value) ?? "null", 600);
}

export function mediaLine({ url, type, width, height, duration_seconds: seconds }: MediaItem): string {
  const size = width === null || height === null ? "" : ` ${width}×${height}`;
  return `- ${type}${size}${seconds === null ? "" : ` ${Math.round(seconds * 10) / 10} s`}: ${url}`;
}

/** A post with everything that a next step needs. */
export function describePost(timeZone: string, post: Post): string {
  return [
    `Post ${post.id}: ${post.status}${post.paused_reason === null ? "" : ` (${post.paused_reason})`}, ${when(timeZone, post.scheduled_at)}, ${post.scheduled_at}.`,
    `Caption: ${quoted(post.caption, CAPTION_MAX)}`,
    "Accounts:",
    ...post.targets.map((target) => targetLine(timeZone, target)),
    ...(post.media_items.length === 0 ? [] : ["Media:", ...post.media_items.map(mediaLine)]),
    `Made via ${post.created_via}${post.created_by === null ? "" : ` by ${post.created_by.kind} ${quoted(post.created_by.name)}`}.`,
  ].join("\n");
}

/** A post after a confirm, in one line. */
export function confirmedLine(timeZone: string, post: Post): string {
  const accounts = post.targets.map(({ platform, username }) => `${platform} ${quoted(username)}`).join(", ");
  return `- ${post.id}: ${post.status}, ${when(timeZone, post.scheduled_at)}, on ${accounts}: ${quoted(post.caption)}`;
}
