import type { Command } from "commander";
import { openConfirms, scheduleOne } from "../confirms.ts";
import { type ContentOptions, readText, toContent, toTime } from "../content.ts";
import { CommandError } from "../exit-codes.ts";
import type { Run } from "../program.ts";
import { showSchedulePreview } from "../show.ts";
import { collect } from "./accounts.ts";

interface PostOptions extends ContentOptions {
  readonly dryRun?: boolean;
}

/** The options of everything that a post is made of. */
export function addContentOptions(command: Command): Command {
  return command
    .option("-t, --to <list>", "platforms, usernames or account ids, with commas between them: x,linkedin")
    .option("-a, --at <time>", 'when, in your time zone: "tomorrow 9:00", "in 2 hours", "2026-12-24 18:00", or now')
    .option("-s, --slot", "at the next free slot; with --at at the first free one from then on, such as friday")
    .option(
      "-m, --media <file>",
      "an image or video: a file or a public https address; several times for several",
      collect,
      [],
    )
    .option("-o, --option <platform.name=value>", "an option of a platform: youtube.title=...", collect, []);
}

export function addPost(program: Command, run: Run): void {
  addContentOptions(
    program
      .command("post")
      .argument("<text>", "the caption; - reads it from the standard input")
      .description("schedule a post: shows a preview, asks, and schedules exactly that"),
  )
    .option("-n, --dry-run", "only show the preview")
    .action(
      run<PostOptions, [text: string]>(async (session, { dryRun, ...options }, argument) => {
        const { to, at, slot, media, option } = options;
        if (to === undefined) {
          throw new CommandError("usage", "accounts_missing", "say where to: --to x,linkedin");
        }
        const time = toTime(session, options);
        if (!time) {
          throw new CommandError("usage", "time_missing", 'say when: --at "tomorrow 9:00", or --slot');
        }
        if (!dryRun) {
          session.requireDecision();
        }
        const text = await readText(session, argument);
        const confirms = await openConfirms(session, [text, to, at, media, option, ...(slot ? ["slot"] : [])]);
        const { almanac } = confirms;
        const toBody = async () => ({
          caption: text,
          ...time,
          ...(await toContent(session, almanac, options)),
        });
        if (dryRun) {
          const { preview } = await almanac.previewPost({ body: await toBody(), signal: session.signal });
          showSchedulePreview(session, preview);
          session.terminal.json({ state: "previewed", preview });
          return;
        }
        await scheduleOne(session, confirms, async (decide) => await almanac.schedule(await toBody(), decide));
      }),
    );
}
