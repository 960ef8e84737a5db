import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Almanac, BulkPreview, PostTable, PreviewedRow, ScheduledMany } from "@almanac/client";
import type { Command } from "commander";
import { awaitingApproval, type Confirms, openConfirms, settlePending } from "../confirms.ts";
import { CommandError } from "../exit-codes.ts";
import type { Run } from "../program.ts";
import { notConfirmed, type Session } from "../session.ts";
import { shortId } from "../show.ts";
import { countPosts, withTimeZone } from "../table-zone.ts";
import { onOneLine } from "../text.ts";

interface BulkOptions {
  readonly skipInvalid?: boolean;
  readonly dryRun?: boolean;
  readonly fromRow: string;
}

/** The text of a file, or for `-` what the standard input has. */
async function readTable({ terminal }: Session, file: string): Promise<string> {
  let bytes: Uint8Array;
  if (file === "-") {
    const { stdin } = terminal.streams;
    if (stdin.isTTY) {
      throw new CommandError("usage", "table_missing", "`-` reads the table from the standard input: pipe it in");
    }
    const parts: Buffer[] = [];
    for await (const part of stdin) {
      parts.push(Buffer.from(part as Uint8Array));
    }
    bytes = Buffer.concat(parts);
  } else {
    try {
      bytes = await readFile(file);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === "ENOENT" ? "there is no such file" : message;
      throw new CommandError("usage", "unreadable_file", `${file} cannot be read: ${reason}`);
    }
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError("usage", "unreadable_file", `${file} is not UTF-8: save it as "CSV UTF-8"`);
  }
}

const problemsOf = ({ problems }: PreviewedRow) =>
  problems.map(({ param, message }) =>
    param === undefined || message.startsWith(param) ? message : `${param}: ${message}`,
  );

const warningsOf = ({ preview }: PreviewedRow) =>
  preview
    ? [
        ...preview.warnings.map(({ message }) => message),
        ...preview.targets.flatMap(({ platform, username, warnings }) =>
          warnings.map(({ message }) => `${platform} ${username}: ${message}`),
        ),
      ]
    : [];

/** Every row as the person decides about it; on the standard error, because it is no result yet. */
function showBulkPreview({ terminal, clock }: Session, { posts }: BulkPreview): void {
  const note = (text: string) => terminal.note(text);
  note("");
  terminal.table(
    posts,
    [
      { title: "Row", of: ({ row }) => String(row) },
      { title: `Time (${clock.zone})`, of: ({ preview }) => (preview ? clock.short(preview.scheduled_at) : "") },
      {
        title: "Platforms",
        of: ({ preview }) => [...new Set(preview?.targets.map(({ platform }) => platform))].join(", "),
      },
      { title: "Files", of: ({ preview }) => (preview?.media_items.length ? String(preview.media_items.length) : "") },
      { title: "Caption", of: ({ preview }) => preview?.caption ?? "", shrinks: true },
      {
        title: "Result",
        of: (row) => {
          const warnings = warningsOf(row).length;
          return row.preview ? (warnings === 0 ? "good" : `${warnings} to note`) : "left out";
        },
        style: (row) => (row.preview ? (warningsOf(row).length === 0 ? "green" : "yellow") : "red"),
      },
    ],
    note,
  );
  const remarks = posts.flatMap((row) => [
    ...problemsOf(row).map((message) => ({ sign: "x", style: "red" as const, row: row.row, message })),
    ...warningsOf(row).map((message) => ({ sign: "!", style: "yellow" as const, row: row.row, message })),
  ]);
  if (remarks.length > 0) {
    note("");
  }
  for (const { sign, style, row, message } of remarks) {
    note(`${terminal.paint(sign, style, "stderr")} Row ${row}: ${onOneLine(message)}`);
  }
  note("");
}

const countOf = (count: number) => (count === 1 ? "1 post" : `${count} posts`);

function question({ posts }: BulkPreview): string {
  const good = posts.filter(({ preview }) => preview).length;
  const bad = posts.length - good;
  return bad === 0 ? `Schedule ${countOf(good)}?` : `Schedule ${countOf(good)}, and leave out ${bad}?`;
}

export function addBulk(program: Command, run: Run): void {
  program
    .command("bulk")
    .argument("<file>", "the table, as spreadsheets save it (CSV in UTF-8); - reads it from the standard input")
    .description("schedule the posts of a table: shows every row, asks, and schedules all of them or none")
    .option("--skip-invalid", "leave out rows with problems instead of refusing the table")
    .option("--from-row <number>", "begin at this row; more than 100 posts are scheduled in parts", "1")
    .option("-n, --dry-run", "only show the preview")
    .action(
      run<BulkOptions, [file: string]>(async (session, { skipInvalid = false, dryRun, fromRow }, file) => {
        if (!dryRun) {
          session.requireDecision();
        }
        const { terminal, clock } = session;
        const csv = withTimeZone(await readTable(session, file), clock.zone);
        const hash = createHash("sha256").update(csv).digest("hex");
        const confirms = await openConfirms(session, ["bulk", hash, skipInvalid]);
        const table = { csv, skip_invalid: skipInvalid, from_row: firstRow(fromRow) };
        const count = countPosts(csv);
        if (count > PART_MAX) {
          terminal.note(`The table has ${count} posts: they are scheduled in parts of up to ${PART_MAX}.`);
        }
        if (dryRun) {
          await showParts(session, confirms.almanac, table);
          return;
        }
        const finished = await settlePending(session, confirms);
        const made = (finished?.postIds ?? []).map((id) => ({ id }));
        const parts =
          finished && finished.nextRow === null
            ? []
            : await scheduleParts(session, confirms, { ...table, from_row: finished?.nextRow ?? table.from_row }, file);
        const posts = parts.flatMap((part) => part.posts);
        terminal.line(`Scheduled: ${countOf(made.length + posts.length)}.`);
        if (posts.length > 0) {
          terminal.table(posts, [
            { title: "Row", of: ({ row }) => String(row) },
            { title: `Time (${clock.zone})`, of: (post) => clock.short(post.scheduled_at) },
            { title: "Id", of: ({ id }) => shortId(id), style: () => "dim" },
          ]);
        }
        terminal.json({
          state: "scheduled",
          posts: [...made, ...posts],
          ...(parts.length > 0 && { preview: joined(parts.map(({ preview }) => preview)) }),
        });
      }),
    );
}

const PART_MAX = 100;

type Table = Required<PostTable>;

function firstRow(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new CommandError("usage", "unclear_row", "--from-row takes the number of a row");
  }
  return Number(text);
}

/** One preview with the rows of several. */
function joined(previews: readonly BulkPreview[]): object {
  return { ...previews.at(-1), posts: previews.flatMap(({ posts }) => posts) };
}

async function showParts(session: Session, almanac: Almanac, table: Table): Promise<void> {
  const previews: BulkPreview[] = [];
  for (let row: number | null = table.from_row; row !== null;) {
    const { preview }: { preview: BulkPreview } = await almanac.previewMany(
      { ...table, from_row: row },
      { signal: session.signal },
    );
    showBulkPreview(session, preview);
    previews.push(preview);
    row = preview.next_row;
  }
  session.terminal.json({ state: "previewed", preview: joined(previews) });
}

/** Schedules one part after the other; what is scheduled stays when a later part is not. */
async function scheduleParts(
  session: Session,
  { almanac, pending, baseUrl, workspace, command }: Confirms,
  table: Table,
  file: string,
): Promise<readonly ScheduledMany[]> {
  const { terminal, signal } = session;
  const parts: ScheduledMany[] = [];
  let shown: BulkPreview | undefined;
  const results = almanac.scheduleInParts(table, {
    signal,
    async confirm(preview) {
      shown = preview;
      showBulkPreview(session, preview);
      return await session.asks(question(preview));
    },
    beforeConfirm: async (token) =>
      await pending.keep({
        baseUrl,
        token,
        workspace,
        command,
        caption: basename(file),
        scheduledAt: null,
        posts: shown?.posts.filter(({ preview }) => preview).length ?? 0,
        nextRow: shown?.next_row ?? null,
      }),
  });
  try {
    for await (const result of results) {
      if (result.state === "awaiting_approval") {
        throw awaitingApproval(result.approval.url);
      }
      if (result.state === "declined") {
        throw declined(session, result.preview);
      }
      parts.push(result);
    }
  } catch (error) {
    const next = parts.at(-1)?.preview.next_row;
    if (error instanceof Error && error.name !== "AlmanacConnectionError" && !signal.aborted) {
      await pending.forget();
      if (next) {
        terminal.note(`The rows before ${next} are scheduled: --from-row ${next} goes on with the others.`);
      }
    }
    throw error;
  }
  await pending.forget();
  return parts;
}

function declined(session: Session, preview: BulkPreview): CommandError {
  if (preview.plan_hash !== null) {
    return notConfirmed("nothing was scheduled");
  }
  showBulkPreview(session, preview);
  session.terminal.json({ state: "previewed", preview });
  return new CommandError("refused", "no_good_row", "no row of the table is good: nothing was scheduled");
}
