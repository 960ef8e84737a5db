import type { Child, FC } from "hono/jsx";
import { addDays, wallTimeAt } from "#core/wall-time.ts";
import { PlatformBadge } from "#dashboard/layout/components.tsx";
import { type Display, formatDate, formatTime } from "#dashboard/wording/display.ts";
import type { PostSummary } from "#posts/index.ts";

/** Writes a time relative to today: `Today, 14:05`, `Tomorrow, 9:00 am` or `Thu, 3 Dec 2026, 09:05`. */
function formatWhen(display: Display, instant: number, now: number): string {
  const today = wallTimeAt(display.timeZone, now).date;
  const { date } = wallTimeAt(display.timeZone, instant);
  const names: Record<string, string> = {
    [addDays(today, -1)]: "Yesterday",
    [today]: "Today",
    [addDays(today, 1)]: "Tomorrow",
  };
  return `${names[date] ?? formatDate(date, "medium")}, ${formatTime(display, instant)}`;
}

/** The beginning of a post's text. A post without text is described by its type. */
function firstWords({ caption, postType }: PostSummary): string {
  return caption.trim() || { text: "No text", image: "Image without text", video: "Video without text" }[postType];
}

/** A post on one or two lines: time, platforms and first words. It links to the post. */
export const PostLine: FC<{ post: PostSummary; display: Display; now: number; tag?: Child }> = ({
  post,
  display,
  now,
  tag,
}) => (
  <div class="post-line">
    <p class="post-when">
      <time datetime={new Date(post.scheduledAt).toISOString()}>{formatWhen(display, post.scheduledAt, now)}</time>
      <span class="post-platforms">
        {post.platforms.map((platform) => (
          <PlatformBadge platform={platform} />
        ))}
      </span>
      {tag}
    </p>
    <a class="post-words" href={`/dashboard/posts/${post.id}`}>
      <bdi>{firstWords(post)}</bdi>
    </a>
  </div>
);
