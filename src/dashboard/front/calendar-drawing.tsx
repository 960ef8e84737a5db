import type { FC } from "hono/jsx";
import { type Platform, PLATFORM_BADGES, PLATFORMS } from "#core/platform.ts";

const COLUMN_WIDTH = 100;
const ROW_HEIGHT = 92;
const TOP = 76;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

type DrawnStatus = "published" | "scheduled" | "failed";

interface DrawnPost {
  /** Column and row of the day in the drawn calendar, counted from 0. */
  readonly at: readonly [column: number, row: number];
  readonly time: string;
  readonly text: string;
  readonly status: DrawnStatus;
  /** The platforms of the drawn post, as indexes in the list of all platforms. */
  readonly platforms: readonly number[];
}

const POSTS: readonly DrawnPost[] = [
  { at: [1, 0], time: "09:00", text: "New menu", status: "published", platforms: [0, 5] },
  { at: [3, 0], time: "18:30", text: "At the bar", status: "published", platforms: [1, 2] },
  { at: [0, 1], time: "08:15", text: "Five a.m.", status: "published", platforms: [7] },
  { at: [2, 1], time: "12:00", text: "Daily soup", status: "failed", platforms: [0, 6] },
  { at: [4, 1], time: "17:00", text: "Weekend", status: "scheduled", platforms: [3, 4, 8] },
  { at: [1, 2], time: "09:00", text: "Our baker", status: "scheduled", platforms: [2] },
  { at: [3, 2], time: "19:45", text: "Live music", status: "scheduled", platforms: [0, 5, 9] },
  { at: [5, 2], time: "10:30", text: "Brunch", status: "scheduled", platforms: [0, 6] },
  { at: [2, 3], time: "12:00", text: "Winter tea", status: "scheduled", platforms: [4] },
];

const TODAY = { column: 3, row: 1 };

const Badge: FC<{ platform: Platform; x: number; y: number }> = ({ platform, x, y }) => (
  <g>
    <rect x={x} y={y} width="14" height="14" rx="4" fill={PLATFORM_BADGES[platform].color} />
    <text class="drawing-badge" x={x + 7} y={y + 10.5} text-anchor="middle">
      {PLATFORM_BADGES[platform].letters}
    </text>
  </g>
);

const Post: FC<{ post: DrawnPost }> = ({ post: { at, time, text, status, platforms } }) => {
  const x = at[0] * COLUMN_WIDTH + 5;
  const y = TOP + at[1] * ROW_HEIGHT + 26;
  return (
    <g class={`drawing-${status}`}>
      <rect class="drawing-chip" x={x} y={y} width={COLUMN_WIDTH - 10} height="60" rx="7" />
      <rect class="drawing-mark" x={x} y={y + 7} width="3" height="46" rx="1.5" />
      <text class="drawing-time" x={x + 10} y={y + 16}>
        {time}
        {status === "failed" && " failed"}
      </text>
      <text class="drawing-text" x={x + 10} y={y + 32}>
        {text}
      </text>
      {platforms.flatMap((place, index) => {
        const platform = PLATFORMS[place];
        return platform === undefined ? [] : [<Badge platform={platform} x={x + 10 + index * 17} y={y + 39} />];
      })}
    </g>
  );
};

/**
 * Draws a month of the calendar for the front page. A drawing stays sharp, follows the colour scheme and needs no file.
 */
export const CalendarDrawing: FC = () => (
  <svg
    class="drawing"
    viewBox="0 0 700 444"
    preserveAspectRatio="xMinYMin slice"
    role="img"
    aria-label="A calendar month with posts on most days: the past ones published, one failed and marked, the coming ones scheduled."
  >
    <text class="drawing-title" x="16" y="34">
      February
    </text>
    {WEEKDAYS.map((name, column) => (
      <text class="drawing-weekday" x={column * COLUMN_WIDTH + 10} y="64">
        {name}
      </text>
    ))}
    {Array.from({ length: 28 }, (_, index) => {
      const column = index % 7;
      const row = Math.floor(index / 7);
      const isToday = column === TODAY.column && row === TODAY.row;
      const isPast = row < TODAY.row || (row === TODAY.row && column < TODAY.column);
      const [x, y] = [column * COLUMN_WIDTH, TOP + row * ROW_HEIGHT];
      return (
        <g>
          <rect
            class={isPast ? "drawing-cell drawing-past" : "drawing-cell"}
            x={x}
            y={y}
            width={COLUMN_WIDTH}
            height={ROW_HEIGHT}
          />
          {isToday && <circle class="drawing-today" cx={x + 17} cy={y + 14} r="11" />}
          <text
            class={isToday ? "drawing-day drawing-day-today" : "drawing-day"}
            x={x + 17}
            y={y + 18}
            text-anchor="middle"
          >
            {index + 1}
          </text>
        </g>
      );
    })}
    {POSTS.map((post) => (
      <Post post={post} />
    ))}
  </svg>
);
