import { Command } from "commander";
import { addAccounts, addConnect } from "./commands/accounts.ts";
import { addBulk } from "./commands/bulk.ts";
import { addCompletion } from "./commands/completion.ts";
import { addDrafts } from "./commands/drafts.ts";
import { addCancel, addEdit, addMove, addRetry } from "./commands/edit.ts";
import { addCalendar, addList, addShow } from "./commands/list.ts";
import { addLogin, addLogout } from "./commands/login.ts";
import { addMedia } from "./commands/media.ts";
import { addPost } from "./commands/post.ts";
import { addSlots } from "./commands/slots.ts";
import { addWebhooks } from "./commands/webhooks.ts";
import { addWhoami } from "./commands/whoami.ts";
import { addWorkspaces } from "./commands/workspaces.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import type { CommonOptions, Session } from "./session.ts";
import type { Streams } from "./terminal.ts";

/** Turns what a command does into what commander calls: its arguments, then its options, then itself. */
export type Run = <Options extends object = object, Arguments extends readonly unknown[] = []>(
  work: (session: Session, options: Options, ...args: Arguments) => Promise<void>,
) => (...args: unknown[]) => Promise<void>;

const NAMES = Object.keys(EXIT) as (keyof typeof EXIT)[];

const EXIT_HELP = `
Exit codes:
${NAMES.map((name) => `  ${String(EXIT[name]).padEnd(3)}  ${EXIT_MEANINGS[name]}`).join("\n")}

Times are in the time zone of this computer; --zone takes another one.
ALMANAC_URL and ALMANAC_API_KEY are used instead of a login, for scripts;
ALMANAC_WORKSPACE names the workspace, as --workspace does.`;

/** The commands and their options. */
export function buildProgram(
  version: string,
  streams: Streams,
  openSession: (options: CommonOptions) => Session,
): Command {
  const program = new Command("almanac")
    .description("Schedule social posts: every one with a preview, and made exactly once.")
    .version(version)
    .option("--json", "write the result as JSON, and nothing else, to the standard output")
    .option("-y, --yes", "answer yes to every question")
    .option("-z, --zone <name>", "the time zone, such as Europe/Berlin")
    .option("-w, --workspace <id>", "work in this workspace instead of the active one")
    .addHelpText("after", EXIT_HELP)
    .showHelpAfterError("(almanac --help shows what there is)")
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    })
    .exitOverride();

  const run: Run =
    (work) =>
    async (...args) => {
      const command = args.at(-1) as Command;
      const options = command.optsWithGlobals<CommonOptions>();
      await work(openSession(options), options as never, ...(args.slice(0, -2) as never));
    };

  addLogin(program, run);
  addLogout(program, run);
  addWhoami(program, run);
  addWorkspaces(program, run);
  addAccounts(program, run);
  addConnect(program, run);
  addPost(program, run);
  addBulk(program, run);
  addList(program, run);
  addCalendar(program, run);
  addShow(program, run);
  addEdit(program, run);
  addMove(program, run);
  addCancel(program, run);
  addRetry(program, run);
  addDrafts(program, run);
  addSlots(program, run);
  addMedia(program, run);
  addWebhooks(program, run);
  addCompletion(program, streams);
  for (const command of [...program.commands, ...program.commands.flatMap((parent) => parent.commands)]) {
    addCommonOptions(command);
  }
  return program;
}

/** The options of the program are taken after the command too, where people write them. */
function addCommonOptions(command: Command): void {
  command
    .option("--json", "write the result as JSON, and nothing else, to the standard output")
    .option("-y, --yes", "answer yes to every question")
    .option("-z, --zone <name>", "the time zone, such as Europe/Berlin")
    .option("-w, --workspace <id>", "work in this workspace instead of the active one")
    .exitOverride();
}
