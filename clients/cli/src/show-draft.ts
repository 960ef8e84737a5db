import type { Account, Draft, DraftSummary } from "@almanac/client";
import type { Session } from "./session.ts";
import { shortId } from "./show.ts";
import { onOneLine } from "./text.ts";

type Content = Draft["content"];

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Where the draft would be posted, in words; ids of accounts that are not connected stay ids. */
function accountsOf({ targets, account_ids: ids, platforms }: Content, accounts: readonly Account[]): string {
  const nameOf = (id: unknown): string => {
    const account = accounts.find((candidate) => candidate.id === id);
    return account ? `${account.platform} ${account.username}` : textOf(id);
  };
  return [
    ...listOf(targets).map((target) => nameOf(memberOf(target, "account_id"))),
    ...listOf(ids).map(nameOf),
    ...listOf(platforms).map((platform) => `every ${textOf(platform)}`),
  ].join(", ");
}

function timeOf({ clock }: Session, { scheduled_at: at, time_zone: zone, slot }: Content): string {
  const isInstant = typeof at === "string" && !Number.isNaN(Date.parse(at)) && /(?:z|[+-]\d{2}:?\d{2})$/i.test(at);
  const time = isInstant ? clock.full(at) : at === undefined ? "" : textOf(at) + (zone ? ` ${textOf(zone)}` : "");
  return slot === "next" ? `the next free slot${time === "" ? "" : ` from ${time} on`}` : time;
}

/** Members that people read under their own names. */
const SHOWN = new Set(["caption", "scheduled_at", "time_zone", "slot", "targets", "account_ids", "platforms"]);

/** The draft, with everything that is in it. */
export function showDraft(session: Session, draft: Draft, accounts: readonly Account[]): void {
  const { terminal, clock } = session;
  const { id, version, content, problems, updated_at: updatedAt } = draft;
  const line = (name: string, text: string) => terminal.line(`${terminal.paint(name.padEnd(8), "bold")}  ${text}`);
  line("Draft", id);
  line("Version", `${version}, changed ${clock.full(updatedAt)}`);
  line("When", onOneLine(timeOf(session, content)) || "not yet said");
  line("Where", onOneLine(accountsOf(content, accounts)) || "not yet said");
  terminal.line(terminal.paint("What", "bold"));
  terminal.quote(content["caption"] === undefined ? "(no caption)" : textOf(content["caption"]));
  const others = Object.entries(content).filter(([name]) => !SHOWN.has(name));
  for (const [name, value] of others) {
    terminal.line(`  ${name}: ${onOneLine(textOf(value))}`);
  }
  if (problems.length > 0) {
    terminal.line();
    terminal.line(terminal.paint("To be done before it can be previewed", "bold"));
  }
  for (const { message } of problems) {
    terminal.line(`${terminal.paint("!", "yellow")} ${onOneLine(message)}`);
  }
}

export function showDrafts({ terminal, clock }: Session, drafts: readonly DraftSummary[]): void {
  terminal.table(drafts, [
    { title: `Changed (${clock.zone})`, of: (draft) => clock.short(draft.updated_at) },
    { title: "Caption", of: ({ caption }) => caption ?? "(no caption)", shrinks: true },
    { title: "Id", of: ({ id }) => shortId(id), style: () => "dim" },
  ]);
}

/** What a change would replace, on the standard error, because it is no result yet. */
export function showDraftChange(session: Session, { id, content }: Draft, changes: Content): void {
  const { terminal } = session;
  const note = (text: string) => terminal.note(text);
  const shown = (value: unknown) => (value === undefined || value === null ? "none" : textOf(value));
  note("");
  note(`Draft ${shortId(id)}: ${onOneLine(content["caption"] === undefined ? "" : textOf(content["caption"]))}`);
  terminal.table(
    Object.entries(changes),
    [
      { title: "Change", of: ([name]) => name },
      { title: "From", of: ([name]) => shown(content[name]) },
      { title: "To", of: ([, value]) => shown(value), shrinks: true },
    ],
    note,
  );
  note("");
}
