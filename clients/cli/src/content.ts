import type { Almanac, PreviewScheduleBody } from "@almanac/client";
import { readOptions, resolveAccounts } from "./accounts.ts";
import { CommandError } from "./exit-codes.ts";
import { resolveMedia } from "./media.ts";
import type { Session } from "./session.ts";
import { isNow, parseTime } from "./times.ts";

/** What a post or a draft is made of, as it is written on the command line. */
export interface ContentOptions {
  readonly to?: string | undefined;
  readonly at?: string | undefined;
  readonly slot?: boolean | undefined;
  readonly media: string[];
  readonly option: string[];
}

/** The text itself, or for `-` what the standard input has. */
export async function readText(session: Session, text: string): Promise<string> {
  if (text !== "-") {
    return text;
  }
  if (session.terminal.streams.stdin.isTTY) {
    throw new CommandError("usage", "text_missing", "`-` reads the text from the standard input: pipe it in");
  }
  let read = "";
  for await (const chunk of session.terminal.streams.stdin) {
    read += String(chunk);
  }
  return read.replace(/\n$/, "");
}

/** The time of `--at`, and for `--slot` the first free slot from then on, or from now on; null without both. A slot needs no time of day. */
export function toTime(
  { clock }: Session,
  { at, slot }: Pick<ContentOptions, "at" | "slot">,
): Pick<PreviewScheduleBody, "scheduled_at" | "slot"> | null {
  if (at === undefined && !slot) {
    return null;
  }
  if (at === undefined || isNow(at)) {
    return { scheduled_at: "now", ...(slot && { slot: "next" }) };
  }
  const time = parseTime(at, clock.zone, clock.now(), { dayIsEnough: slot === true });
  return { scheduled_at: new Date(time).toISOString(), ...(slot && { slot: "next" }) };
}

/** The accounts with their options, and the files, which are uploaded; nothing for what is not there. */
export async function toContent(
  session: Session,
  almanac: Almanac,
  { to, media, option }: Omit<ContentOptions, "at" | "slot">,
): Promise<Pick<PreviewScheduleBody, "targets" | "media_items">> {
  if (to === undefined && option.length > 0) {
    throw new CommandError("usage", "accounts_missing", "--option needs --to, which says for which accounts it is");
  }
  const words = (to ?? "").split(",").map((word) => word.trim());
  const accounts = await resolveAccounts(
    almanac,
    words.filter((word) => word !== ""),
  );
  const options = await readOptions(almanac, option, new Set(accounts.map(({ platform }) => platform)));
  const items = await resolveMedia(session, almanac, media);
  return {
    ...(accounts.length > 0 && {
      targets: accounts.map(({ id, platform }) => {
        const platformOptions = options.get(platform);
        return { account_id: id, ...(platformOptions && { platform_options: platformOptions }) };
      }),
    }),
    ...(items.length > 0 && { media_items: items }),
  };
}
