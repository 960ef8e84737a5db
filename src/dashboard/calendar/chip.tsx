import type { FC } from "hono/jsx";
import { type Platform, PLATFORM_BADGES, PLATFORM_NAMES } from "#core/platform.ts";
import { zoneOffsetAt } from "#core/time-zone.ts";
import { toTimeOfDay } from "#core/wall-time.ts";
import { MINUTE } from "#core/clock.ts";
import type { CalendarPost } from "#posts/index.ts";
import { type Display, formatTimeOfDay } from "#dashboard/wording/display.ts";
import { isMovable, SOURCE_LABELS, stateOf } from "#dashboard/wording/status-labels.ts";
import type { CalendarModel, Placed, PlacedNote } from "./model.ts";
import type { NoteKind } from "./notes.ts";
import { calendarHref } from "./query.ts";

const WORDS_IN_GRID = 80;
const BADGES_IN_GRID = 3;

/**
 * Draws the badge of every platform once. Posts refer to it, because hundreds of copies would be most of the page's
 * size.
 */
export const BadgeSymbols: FC<{ platforms: readonly Platform[] }> = ({ platforms }) => (
  <svg hidden>
    {platforms.map((platform) => (
      <symbol id={`badge-${platform}`} viewBox="0 0 20 20">
        <rect width="20" height="20" rx="5" fill={PLATFORM_BADGES[platform].color} />
        <text x="10" y="14" text-anchor="middle" fill="#fff">
          {PLATFORM_BADGES[platform].letters}
        </text>
      </symbol>
    ))}
  </svg>
);

const Badges: FC<{ platforms: readonly Platform[]; most: number }> = ({ platforms, most }) => {
  const shown = platforms.length > most ? platforms.slice(0, most - 1) : platforms;
  const rest = platforms.slice(shown.length);
  return (
    <span class="badges">
      {shown.map((platform) => (
        <svg class="platform-badge" role="img" aria-label={PLATFORM_NAMES[platform]}>
          <use href={`#badge-${platform}`} />
        </svg>
      ))}
      {rest.length > 0 && (
        <span role="img" aria-label={rest.map((platform) => PLATFORM_NAMES[platform]).join(", ")}>
          +{rest.length}
        </span>
      )}
    </span>
  );
};

const Thumbnail: FC<{ post: CalendarPost; origin: string }> = ({ post: { firstMedia }, origin }) => {
  if (firstMedia === null) {
    return null;
  }
  if (firstMedia.type === "video") {
    return (
      <svg class="thumb" viewBox="0 0 24 24" role="img" aria-label="Video">
        <path d="M9 7v10l8-5z" fill="currentColor" />
      </svg>
    );
  }
  const src = firstMedia.url.startsWith(`${origin}/`) ? firstMedia.url.slice(origin.length) : firstMedia.url;
  return <img class="thumb" src={src} alt="Image" loading="lazy" decoding="async" width="32" height="32" />;
};

/**
 * The UTC offset (`UTC+02:00`) of a post whose time the clock shows twice that day. Null otherwise, because the time is
 * enough.
 */
function offsetOf({ timeZone }: Display, { post, isRepeated }: Placed): string | null {
  if (!isRepeated) {
    return null;
  }
  const offset = zoneOffsetAt(timeZone, post.scheduledAt) / MINUTE;
  return `UTC${offset < 0 ? "−" : "+"}${toTimeOfDay(Math.abs(offset))}`;
}

/** The beginning of a post's text on one line. It never cuts inside a character. */
function firstWords({ caption, postType }: Pick<CalendarPost, "caption" | "postType">, most: number): string {
  const characters = Array.from(caption.replaceAll(/\s+/g, " ").trim());
  if (characters.length === 0) {
    return { text: "No text", image: "Image without text", video: "Video without text" }[postType];
  }
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : characters.join("");
}

/** Says in words where the post goes and who created it, for the list view. */
function chipDetails(model: CalendarModel, { targets, mediaCount, createdVia }: CalendarPost): string {
  const usernames = targets.flatMap(
    ({ accountId }) => model.accounts.find(({ id }) => id === accountId)?.username ?? [],
  );
  const others = targets.length - usernames.length;
  return [
    ...usernames,
    ...(others > 0 ? [`${others} disconnected`] : []),
    ...(mediaCount > 1 ? [`${mediaCount} media`] : []),
    ...(createdVia === "dashboard" ? [] : [`by ${SOURCE_LABELS[createdVia]}`]),
  ].join(" · ");
}

const NOTE_LABELS = {
  draft: "Draft",
  waiting: "Needs approval",
  cancelled: "Cancelled",
} as const satisfies Record<NoteKind, string>;

/** Shows a draft, an agent's request or a cancelled post as a link to its page. It cannot be moved. */
export const NoteChip: FC<{ placed: PlacedNote; model: CalendarModel; isDetailed?: boolean }> = ({
  placed: { post: note, minute },
  model,
  isDetailed = false,
}) => (
  <li class="chip-item note">
    <a class="chip" href={note.href}>
      <span class="chip-head">
        <time datetime={new Date(note.scheduledAt).toISOString()}>{formatTimeOfDay(model.display, minute)}</time>{" "}
        <Badges platforms={note.platforms} most={isDetailed ? note.platforms.length : BADGES_IN_GRID} />
      </span>
      <span class="words">
        {firstWords({ caption: note.caption, postType: "text" }, isDetailed ? 140 : WORDS_IN_GRID)}
      </span>
      <span class="state">{NOTE_LABELS[note.kind]}</span>
    </a>
  </li>
);

/** Shows a post as a link to its page. A post that can be moved also gets a link to its form for moving. */
export const Chip: FC<{ placed: Placed; model: CalendarModel; isDetailed?: boolean }> = ({
  placed,
  model,
  isDetailed = false,
}) => {
  const { post, minute } = placed;
  const { kind, label } = stateOf(post);
  const time = formatTimeOfDay(model.display, minute);
  const offset = offsetOf(model.display, placed);
  const { select } = model.query;
  const canMove = isMovable(post) && select === undefined;
  const next = encodeURIComponent(calendarHref(model.query));
  return (
    <li
      class={`chip-item ${kind}`}
      data-move={canMove ? post.id : undefined}
      data-time={canMove ? toTimeOfDay(minute) : undefined}
    >
      {select !== undefined && (
        <input
          type="checkbox"
          form="selection"
          name="post"
          value={post.id}
          checked={select === "all"}
          aria-label={`Select the post of ${time}${offset === null ? "" : ` ${offset}`}`}
        />
      )}
      <a class="chip" href={`/dashboard/posts/${post.id}`}>
        <span class="chip-head">
          <time datetime={new Date(post.scheduledAt).toISOString()}>{time}</time>{" "}
          {offset !== null && <small>{offset}</small>}
          <Badges platforms={post.platforms} most={isDetailed ? post.platforms.length : BADGES_IN_GRID} />
        </span>
        <Thumbnail post={post} origin={model.origin} />
        <span class="words">{firstWords(post, isDetailed ? 140 : WORDS_IN_GRID)}</span>
        {isDetailed && <span class="chip-details">{chipDetails(model, post)}</span>}
        {kind !== "scheduled" && <span class="state">{label}</span>}
      </a>
      {canMove && (
        <a
          class="move"
          href={`/dashboard/posts/${post.id}/move?next=${next}`}
          aria-label={`Move the post of ${time}${offset === null ? "" : ` ${offset}`}`}
        >
          Move
        </a>
      )}
    </li>
  );
};
