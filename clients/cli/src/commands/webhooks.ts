import type { Almanac, AlmanacEvent, ListEventsData } from "@almanac/client";
import type { Command } from "commander";
import { CommandError } from "../exit-codes.ts";
import type { Run } from "../program.ts";
import type { Session } from "../session.ts";
import { shortId } from "../show.ts";
import { onOneLine } from "../text.ts";

interface ListenOptions {
  readonly types?: string;
  readonly after?: string;
  readonly all?: boolean;
  readonly every: string;
}

/** What an event is about, in a few words. */
function subjectOf(event: AlmanacEvent): string {
  const data: object = event.data;
  if ("post" in data) {
    const { post } = data as { post: { id: string; caption: string } };
    return `post ${shortId(post.id)}: ${post.caption}`;
  }
  if ("account" in data) {
    const { account } = data as { account: { platform: string; username: string } };
    return `${account.platform} ${account.username}`;
  }
  return "approval" in data ? "an approval" : "";
}

/** The number of the newest event: what comes after it is new. */
async function newestEvent(almanac: Almanac): Promise<number> {
  let after = 0;
  for (;;) {
    const page = await almanac.listEvents({ query: { after, limit: 100 } });
    after = page.next_after;
    if (!page.has_more) {
      return after;
    }
  }
}

function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new CommandError("usage", "unclear_number", `${name} takes a whole number`);
  }
  return Number(text);
}

function show({ terminal, clock }: Session, event: AlmanacEvent): void {
  terminal.jsonLine(event);
  terminal.line(
    `${clock.full(event.timestamp)}  ${terminal.paint(event.type, "cyan")}  ${onOneLine(subjectOf(event))}`,
  );
}

export function addWebhooks(program: Command, run: Run): void {
  const webhooks = program.command("webhooks").description("what the service tells about posts and accounts");
  webhooks
    .command("listen")
    .description("print events as they come; with --json one on each line")
    .option("--types <list>", "only these types, with commas between them: post.published,post.failed")
    .option("--after <seq>", "begin after the event with this seq")
    .option("--all", "begin with the oldest event of the last 30 days")
    .option("--every <seconds>", "how often to ask", "10")
    .action(
      run<ListenOptions>(async (session, { types, after, all, every }) => {
        const { terminal, signal } = session;
        const seconds = Math.max(1, wholeNumber(every, "--every"));
        const credential = await session.credentials.current();
        const almanac = session.clientFor(credential, await session.workspaceAt(credential.baseUrl));
        const begin = after === undefined ? (all ? 0 : await newestEvent(almanac)) : wholeNumber(after, "--after");
        const { recording } = await almanac.listEvents({ query: { after: begin, limit: 1 } });
        if (!recording) {
          terminal.streams.stderr.write(
            `No events are written: the workspace has no webhook, and its log is off. Switch the log on at ${new URL("/dashboard/webhooks", credential.baseUrl).href}, which only a signed-in person can do; this command goes on and prints what comes then.\n`,
          );
        }
        terminal.note(`Listening, every ${seconds} s; Ctrl-C ends.`);
        type Types = NonNullable<NonNullable<ListEventsData["query"]>["types"]>;
        const wanted = types?.split(",") as Types | undefined;
        const events = almanac.events(
          { after: begin, ...(wanted && { types: wanted }) },
          { pollMs: seconds * 1000, signal },
        );
        for await (const event of events) {
          show(session, event);
        }
      }),
    );
}
