import type { ListPostsData, PostSummary } from "@almanac/client";
import { type Command, Option } from "commander";
import { Temporal } from "temporal-polyfill";
import { CommandError } from "../exit-codes.ts";
import { resolvePostId } from "../ids.ts";
import type { Run } from "../program.ts";
import type { Session } from "../session.ts";
import { showPost, showPosts } from "../show.ts";
import { onOneLine } from "../text.ts";
import { parseTime } from "../times.ts";

type Query = NonNullable<ListPostsData["query"]>;

interface ListOptions {
  readonly status?: NonNullable<Query["status"]>;
  readonly from?: string;
  readonly until?: string;
  readonly past?: boolean;
  readonly search?: string;
  readonly limit: string;
}

const STATUSES: NonNullable<Query["status"]>[] = [
  "scheduled",
  "publishing",
  "published",
  "partially_failed",
  "failed",
  "paused",
];

const toIso = ({ clock }: Session, text: string): string => {
  const day = /^\d{4}-\d{2}-\d{2}$/.exec(text);
  return new Date(day ? clock.startOfDay(text) : parseTime(text, clock.zone, clock.now())).toISOString();
};

function toLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw new CommandError("usage", "unclear_limit", "--limit takes a whole number from 1 to 200");
  }
  return limit;
}

export function addList(program: Command, run: Run): void {
  program
    .command("list")
    .description("list posts: by default those to come, the next first")
    .addOption(new Option("--status <status>", "only posts with this status").choices(STATUSES))
    .option("--from <time>", "from this time or day on")
    .option("--until <time>", "before this time or day")
    .option("--past", "also those whose time has passed, the latest first")
    .option("--search <words>", "those that have these words in captions, labels or notes, the latest first")
    .option("-l, --limit <number>", "at most so many", "20")
    .action(
      run<ListOptions>(async (session, { status, from, until, past, search: q, limit }) => {
        const almanac = await session.almanac();
        const { posts, pagination, search } = await almanac.listPosts({
          query: {
            fields: "summary",
            limit: toLimit(limit),
            ...(status && { status }),
            ...(from && { from: toIso(session, from) }),
            ...(until && { until: toIso(session, until) }),
            ...(past && { include_past: true, order: "desc" }),
            ...(q !== undefined && { q }),
          },
        });
        const { terminal } = session;
        if (posts.length === 0) {
          terminal.line(past || status || q !== undefined ? "No posts." : "No posts to come; --past shows the others.");
        } else {
          showPosts(session, posts as PostSummary[]);
        }
        if (pagination.has_more) {
          terminal.note(`${posts.length} of ${pagination.total}; --limit shows more.`);
        }
        if (search?.next_until) {
          terminal.note(
            `Only ${search.searched} posts were searched; --until ${search.next_until} searches the earlier ones.`,
          );
        }
        terminal.json({ posts, pagination, ...(search && { search }) });
      }),
    );
}

export function addShow(program: Command, run: Run): void {
  program
    .command("show")
    .argument("<id>", "the post's id, or its end as `almanac list` shows it")
    .description("show one post with what became of it at each account")
    .option("--attempts", "also every attempt to publish it")
    .action(
      run<{ attempts?: boolean }, [id: string]>(async (session, { attempts: wantsAttempts }, text) => {
        const { terminal, clock } = session;
        const almanac = await session.almanac();
        const path = { id: await resolvePostId(almanac, text) };
        const { post } = await almanac.getPost({ path });
        const attempts = wantsAttempts ? (await almanac.listAttempts({ path })).attempts : null;
        showPost(session, post);
        if (attempts) {
          terminal.line();
          terminal.table(attempts, [
            { title: `Time (${clock.zone})`, of: ({ at }) => clock.full(at) },
            { title: "Platform", of: ({ platform }) => platform },
            { title: "Step", of: ({ step }) => step },
            { title: "Outcome", of: ({ outcome }) => outcome },
            { title: "Message", of: ({ message }) => message ?? "", shrinks: true },
          ]);
        }
        terminal.json({ post, ...(attempts && { attempts }) });
      }),
    );
}

const WEEKDAYS = "Mo  Tu  We  Th  Fr  Sa  Su";
const CELL = 4;

/** A month with the number of posts below each day. */
function showMonth({ terminal, clock }: Session, month: Temporal.PlainYearMonth, posts: readonly PostSummary[]): void {
  const counts = new Map<string, number>();
  for (const { scheduled_at: at } of posts) {
    const day = clock.dayOf(at);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  const first = month.toPlainDate({ day: 1 });
  const today = clock.dayOf(clock.now());
  terminal.line(
    terminal.paint(`${first.toLocaleString("en-GB", { month: "long", year: "numeric" })}, ${clock.zone}`, "bold"),
  );
  terminal.line(WEEKDAYS);
  let days = " ".repeat((first.dayOfWeek - 1) * CELL);
  let marks = days;
  for (let day = first; day.month === month.month; day = day.add({ days: 1 })) {
    const number = String(day.day).padStart(2).padEnd(CELL);
    const count = counts.get(day.toString()) ?? 0;
    days += day.toString() === today ? terminal.paint(number, "underline") : number;
    marks += terminal.paint((count === 0 ? "" : `•${count}`).padStart(2).padEnd(CELL), "cyan");
    if (day.dayOfWeek === 7 || day.day === day.daysInMonth) {
      terminal.line(days.trimEnd());
      if (marks.trim() !== "") {
        terminal.line(marks.trimEnd());
      }
      days = "";
      marks = "";
    }
  }
}

function parseMonth(session: Session, text: string | undefined): Temporal.PlainYearMonth {
  const day = session.clock.dayOf(session.clock.now());
  try {
    return Temporal.PlainYearMonth.from(text ?? day.slice(0, 7));
  } catch {
    throw new CommandError("usage", "unclear_month", `"${text}" is no month: write it as ${day.slice(0, 7)}`);
  }
}

export function addCalendar(program: Command, run: Run): void {
  program
    .command("calendar")
    .argument("[month]", "the month as 2026-12; this month when left out")
    .description("show a month with its posts, day by day")
    .action(
      run<object, [month?: string]>(async (session, _options, text) => {
        const { terminal, clock } = session;
        const month = parseMonth(session, text);
        const almanac = await session.almanac();
        const posts: PostSummary[] = [];
        for await (const post of almanac.postSummaries({
          from: new Date(clock.startOfDay(month.toPlainDate({ day: 1 }).toString())).toISOString(),
          until: new Date(clock.startOfDay(month.add({ months: 1 }).toPlainDate({ day: 1 }).toString())).toISOString(),
          limit: 200,
        })) {
          posts.push(post);
        }
        showMonth(session, month, posts);
        for (const day of new Set(posts.map(({ scheduled_at: at }) => clock.dayOf(at)))) {
          terminal.line();
          const date = Temporal.PlainDate.from(day);
          terminal.line(
            terminal.paint(date.toLocaleString("en-GB", { weekday: "long", day: "numeric", month: "long" }), "bold"),
          );
          for (const post of posts.filter(({ scheduled_at: at }) => clock.dayOf(at) === day)) {
            terminal.line(
              `  ${clock.timeOfDay(post.scheduled_at)}  ${post.status}  ${post.platforms.join(", ")}  ${onOneLine(post.caption)}`,
            );
          }
        }
        terminal.json({ month: month.toString(), time_zone: clock.zone, posts });
      }),
    );
}
