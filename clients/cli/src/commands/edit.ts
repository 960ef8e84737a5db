import type { Almanac, EditResult, PreviewEditBody } from "@almanac/client";
import { type Command, Option } from "commander";
import { readOptions } from "../accounts.ts";
import { awaitingApproval } from "../confirms.ts";
import { toTime as toStart } from "../content.ts";
import { CommandError } from "../exit-codes.ts";
import { resolveMedia } from "../media.ts";
import { resolvePostId, resolvePostIds } from "../ids.ts";
import type { Run } from "../program.ts";
import { notConfirmed, type Session } from "../session.ts";
import { showEditPreview, showPost } from "../show.ts";
import { parseMinutes } from "../times.ts";
import { collect } from "./accounts.ts";

interface TimeOptions {
  readonly at?: string;
  readonly by?: string;
  readonly slot?: boolean;
  readonly days?: string;
  readonly clock?: string;
}

const SLOT = "to the next free slot; with --at to the first free one from then on; for one post";

function toTime(
  session: Session,
  { at, by, slot, days, clock }: TimeOptions,
): Pick<PreviewEditBody, "scheduled_at" | "shift_days" | "shift_minutes" | "slot" | "time_of_day" | "time_zone"> {
  if (by !== undefined && (at !== undefined || slot)) {
    throw new CommandError("usage", "exclusive_options", "--by excludes --at and --slot");
  }
  if (days !== undefined || clock !== undefined) {
    return {
      ...(days !== undefined && { shift_days: Number(days) }),
      ...(clock !== undefined && { time_of_day: clock }),
      time_zone: session.clock.zone,
    };
  }
  return {
    ...toStart(session, { at, slot }),
    ...(by !== undefined && { shift_minutes: parseMinutes(by) }),
  };
}

function finish(session: Session, result: EditResult): void {
  const { terminal } = session;
  if (result.state === "declined") {
    throw notConfirmed();
  }
  if (result.state === "awaiting_approval") {
    throw awaitingApproval(result.approval.url);
  }
  terminal.line(result.posts.length === 1 ? "Changed." : `${result.posts.length} posts changed.`);
  for (const post of result.posts) {
    terminal.line();
    showPost(session, post);
  }
  terminal.json({ state: "edited", posts: result.posts });
}

/** How an edit is decided: seen, asked. */
const decide = (session: Session, question: string) => ({
  signal: session.signal,
  async confirm(preview: Parameters<typeof showEditPreview>[1]) {
    showEditPreview(session, preview);
    return await session.asks(question);
  },
});

/** Options of platforms for the accounts that the posts already have. */
async function toTargetOptions(
  almanac: Almanac,
  ids: readonly string[],
  words: readonly string[],
): Promise<Pick<PreviewEditBody, "target_options">> {
  if (words.length === 0) {
    return {};
  }
  const [id = ""] = ids;
  const { post } = await almanac.getPost({ path: { id } });
  const options = await readOptions(almanac, words, new Set(post.targets.map(({ platform }) => platform)));
  return {
    target_options: post.targets.flatMap(({ account_id: accountId, platform, platform_options: before }) => {
      const changed = options.get(platform);
      return changed ? [{ account_id: accountId, platform_options: { ...before, ...changed } }] : [];
    }),
  };
}

interface EditOptions extends TimeOptions {
  readonly status?: PreviewEditBody["status"];
  readonly addLabel: string[];
  readonly removeLabel: string[];
  readonly text?: string;
  readonly media: string[];
  readonly removeMedia?: boolean;
  readonly option: string[];
}

export function addEdit(program: Command, run: Run): void {
  program
    .command("edit")
    .argument("<id...>", "the posts: ids, or their ends as `almanac list` shows them")
    .description("change posts: shows what would change, asks, and does exactly that")
    .option("--text <text>", "the new caption")
    .option("-a, --at <time>", "the new time, in your time zone, or now")
    .option("--by <duration>", "move by 30m, 2h or 1d; -1d for earlier")
    .option("-s, --slot", SLOT)
    .option("-m, --media <file>", "the new images and videos, instead of those it has", collect, [])
    .option("--remove-media", "without images and videos")
    .option("-o, --option <platform.name=value>", "an option of a platform", collect, [])
    .addOption(
      new Option("--status <status>", "pause, resume (scheduled) or cancel").choices([
        "paused",
        "scheduled",
        "cancelled",
      ]),
    )
    .option("--add-label <label>", "a label more", collect, [])
    .option("--remove-label <label>", "without this label", collect, [])
    .action(
      run<EditOptions, [ids: string[]]>(async (session, options, texts) => {
        const { text, media, removeMedia, option, status, addLabel, removeLabel, ...time } = options;
        session.requireDecision();
        const change = toTime(session, time);
        const almanac = await session.almanac();
        const ids = await resolvePostIds(almanac, texts);
        const items = await resolveMedia(session, almanac, media);
        const body: PreviewEditBody = {
          post_ids: ids,
          ...change,
          ...(text !== undefined && { caption: text }),
          ...(items.length > 0 && { media_items: items }),
          ...(removeMedia && { remove_media: true }),
          ...(status !== undefined && { status }),
          ...(addLabel.length + removeLabel.length > 0 && { labels: { add: addLabel, remove: removeLabel } }),
          ...(await toTargetOptions(almanac, ids, option)),
        };
        finish(session, await almanac.edit(body, decide(session, "Change this?")));
      }),
    );
}

export function addMove(program: Command, run: Run): void {
  program
    .command("move")
    .argument("<id...>", "the posts: ids, or their ends as `almanac list` shows them")
    .description("move posts to another time")
    .option("-a, --at <time>", "the new time, in your time zone, or now")
    .option("--by <duration>", "by 30m, 2h or 1d; -1d for earlier")
    .option("--days <count>", "by days at the same time of day, also across a clock change; -1 for earlier")
    .option("--clock <hh:mm>", "to this time of day, in your time zone; alone or with --days")
    .option("-s, --slot", SLOT)
    .action(
      run<TimeOptions, [ids: string[]]>(async (session, options, texts) => {
        session.requireDecision();
        const change = toTime(session, options);
        if (Object.keys(change).length === 0) {
          throw new CommandError("usage", "time_missing", 'say where to: --at "friday 18:00", --by 2h or --slot');
        }
        const almanac = await session.almanac();
        const body = { post_ids: await resolvePostIds(almanac, texts), ...change };
        finish(session, await almanac.edit(body, decide(session, "Move this?")));
      }),
    );
}

export function addRetry(program: Command, run: Run): void {
  program
    .command("retry")
    .argument("<id...>", "the failed posts: ids, or their ends as `almanac list` shows them")
    .description("try failed posts again where they were not published")
    .option("-a, --at <time>", "when; at once when left out")
    .action(
      run<Pick<TimeOptions, "at">, [ids: string[]]>(async (session, options, texts) => {
        session.requireDecision();
        const { scheduled_at: scheduledAt } = toTime(session, options);
        const almanac = await session.almanac();
        const ids = await resolvePostIds(almanac, texts);
        const result = await almanac.retry(
          ids,
          scheduledAt === undefined ? {} : { scheduled_at: scheduledAt },
          decide(session, "Try this again?"),
        );
        finish(session, result);
      }),
    );
}

export function addCancel(program: Command, run: Run): void {
  program
    .command("cancel")
    .argument("<id>", "the post's id, or its end as `almanac list` shows it")
    .description("cancel a post that is not published yet")
    .action(
      run<object, [id: string]>(async (session, _options, text) => {
        session.requireDecision();
        const { terminal } = session;
        const almanac = await session.almanac();
        const result = await almanac.cancel(await resolvePostId(almanac, text), {
          signal: session.signal,
          async confirm(post) {
            if (terminal.isInteractive) {
              showPost(session, post);
            }
            return await session.asks("Cancel this post? This cannot be undone.");
          },
        });
        if (result.state === "declined") {
          throw notConfirmed();
        }
        terminal.line(
          result.status === "cancelled"
            ? `Cancelled: ${result.post.id}`
            : `The retry is stopped; the post is ${result.status} again: ${result.post.id}`,
        );
        terminal.json({ id: result.post.id, status: result.status });
      }),
    );
}
