import { oneLine, quoted } from "./quoted.ts";
import { timeInWords } from "./local-time.ts";
import type { Annotations } from "#wire/schemas/annotations.ts";
import type { MediaItem } from "#wire/schemas/media.ts";
import type { Post, PostSummary } from "#wire/schemas/post.ts";
import { mediaLine } from "./media-line.ts";
import { threadLines, withoutThread } from "./thread.ts";

const CAPTION_MAX = 2500;

/** Writes an instant of the API in words: `Thursday, 24 December 2026, 19:00 (Europe/Berlin)`. */
export function when(timeZone: string, instant: string): string {
  return timeInWords(timeZone, Date.parse(instant));
}

export function summaryLine(timeZone: string, post: PostSummary): string {
  const media = post.media_count === 0 ? "" : `, ${post.media_count} media`;
  const labels = post.labels.length === 0 ? "" : `, labels ${post.labels.map((label) => quoted(label)).join(" ")}`;
  return `- ${post.id}: ${post.status}, ${when(timeZone, post.scheduled_at)}, ${post.platforms.join(", ")}${media}${labels}: ${quoted(post.caption)}`;
}

function targetLine(timeZone: string, target: Post["targets"][number]): string {
  const options = jsonText(withoutThread(target.platform_options));
  return [
    `- ${target.platform} ${quoted(target.username)} (account ${target.account_id}): ${target.status}`,
    ...(target.published_at === null ? [] : [`published ${when(timeZone, target.published_at)}`]),
    ...(target.platform_post_url === null ? [] : [target.platform_post_url]),
    ...(target.next_attempt_at === null ? [] : [`next try ${when(timeZone, target.next_attempt_at)}`]),
    ...(target.caption === null ? [] : [`own caption ${quoted(target.caption, CAPTION_MAX)}`]),
    ...(options === "{}" ? [] : [`options ${options}`]),
    ...Object.entries(target.extras ?? {}).map(
      ([name, { status, error }]) =>
        `${name} ${status}${error === null ? "" : ` (${error.code}: ${quoted(error.message, 300)})`}`,
    ),
    ...(target.error === null
      ? []
      : [`${target.error.code}: ${quoted(target.error.message, 300)} (${target.error.who_must_act} must act)`]),
  ].join("; ");
}

/**
 * Describes the state of each part of a thread. Part 1 is the post itself; the others have their own text and media.
 */
function partLines({ parts, platform_options: options }: Post["targets"][number]): string[] {
  const notesOf = (index: number) => {
    const { status = "pending", url = null } = parts?.find((part) => part.index === index) ?? {};
    return [status, ...(url === null ? [] : [url])];
  };
  return parts === null
    ? []
    : [`  part 1: ${notesOf(0).join("; ")}`, ...threadLines(options, (index) => notesOf(index + 1))];
}

/**
 * Writes a value as JSON on one line. Options and changes contain words of people and platforms, which a model must not
 * take for the service's.
 */
export function jsonText(value: unknown): string {
  return oneLine(JSON.stringify(value) ?? "null", 600);
}

/** Describes the media that an account publishes instead of the post's. Empty if it publishes the post's media. */
export function ownMediaLines(items: readonly MediaItem[] | null): string[] {
  return items === null
    ? []
    : items.length === 0
      ? ["  without the media of the post"]
      : ["  instead of the media of the post:", ...items.map((item) => `  ${mediaLine(item)}`)];
}

export function annotationLines({ external_id: externalId, labels, metadata, notes }: Annotations): string[] {
  return [
    ...(externalId === null ? [] : [`External id: ${quoted(externalId)}`]),
    ...(labels.length === 0 ? [] : [`Labels: ${labels.map((label) => quoted(label)).join(", ")}`]),
    ...(Object.keys(metadata).length === 0 ? [] : [`Metadata: ${jsonText(metadata)}`]),
    ...(notes === null ? [] : [`Notes: ${quoted(notes, CAPTION_MAX)}`]),
  ];
}

/** Describes a post for a model, with everything that the next step needs. */
export function describePost(timeZone: string, post: Post): string {
  return [
    `Post ${post.id}: ${post.status}${post.paused_reason === null ? "" : ` (${post.paused_reason})`}, ${when(timeZone, post.scheduled_at)}, ${post.scheduled_at}.`,
    `Caption: ${quoted(post.caption, CAPTION_MAX)}`,
    "Accounts:",
    ...post.targets.flatMap((target) => [
      targetLine(timeZone, target),
      ...ownMediaLines(target.media_items),
      ...partLines(target),
    ]),
    ...(post.media_items.length === 0 ? [] : ["Media:", ...post.media_items.map(mediaLine)]),
    ...annotationLines(post),
    `Made via ${post.created_via}${post.created_by === null ? "" : ` by ${post.created_by.kind} ${quoted(post.created_by.name)}`}.`,
  ].join("\n");
}

/** Describes a confirmed post on one line. */
export function confirmedLine(timeZone: string, post: Post): string {
  const accounts = post.targets.map(({ platform, username }) => `${platform} ${quoted(username)}`).join(", ");
  return `- ${post.id}: ${post.status}, ${when(timeZone, post.scheduled_at)}, on ${accounts}: ${quoted(post.caption)}`;
}
