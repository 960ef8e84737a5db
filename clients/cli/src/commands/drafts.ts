import type { Almanac, CreateDraftBody, Draft, PreviewDraftBody, UpdateDraftBody } from "@almanac/client";
import type { Command } from "commander";
import { openConfirms, scheduleOne } from "../confirms.ts";
import { type ContentOptions, readText, toContent, toTime } from "../content.ts";
import { CommandError } from "../exit-codes.ts";
import { resolveDraftId } from "../ids.ts";
import type { Run } from "../program.ts";
import { notConfirmed, type Session } from "../session.ts";
import { showSchedulePreview } from "../show.ts";
import { showDraft, showDraftChange, showDrafts } from "../show-draft.ts";
import { addContentOptions } from "./post.ts";

const ID_HELP = "the draft's id, or its end as `almanac drafts` shows it";

const MAX_PAGE = 100;

function toLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new CommandError("usage", "unclear_limit", `--limit takes a whole number from 1 to ${MAX_PAGE}`);
  }
  return limit;
}

async function readDraft(almanac: Almanac, text: string): Promise<Draft> {
  const { draft } = await almanac.getDraft({ path: { id: await resolveDraftId(almanac, text) } });
  return draft;
}

async function finish(session: Session, almanac: Almanac, draft: Draft, state: "saved" | "changed"): Promise<void> {
  const { terminal } = session;
  terminal.line(state === "saved" ? "Saved as a draft; nothing is scheduled." : "Changed.");
  if (!terminal.isJson) {
    showDraft(session, draft, (await almanac.listAccounts()).accounts);
  }
  terminal.json({ state, draft });
}

function addDraftList(drafts: Command, run: Run): void {
  drafts
    .command("list", { isDefault: true })
    .description("list drafts, what was changed last first")
    .option("-l, --limit <number>", "at most so many", "20")
    .action(
      run<{ limit: string }>(async (session, { limit }) => {
        const { terminal } = session;
        const query = { limit: toLimit(limit) };
        const { drafts: found, has_more: hasMore } = await (await session.almanac()).listDrafts({ query });
        if (found.length === 0) {
          terminal.line("No drafts; `almanac drafts save` keeps one.");
        } else {
          showDrafts(session, found);
        }
        if (hasMore) {
          terminal.note("There are more; --limit shows more.");
        }
        terminal.json({ drafts: found, has_more: hasMore });
      }),
    );
  drafts
    .command("show")
    .argument("<id>", ID_HELP)
    .description("show a draft, and what is still missing in it")
    .action(
      run<object, [id: string]>(async (session, _options, text) => {
        const almanac = await session.almanac();
        const draft = await readDraft(almanac, text);
        showDraft(session, draft, (await almanac.listAccounts()).accounts);
        session.terminal.json({ draft });
      }),
    );
}

function addDraftSave(drafts: Command, run: Run): void {
  addContentOptions(
    drafts
      .command("save")
      .argument("[text]", "the caption so far; - reads it from the standard input")
      .description("keep a post that is not ready yet"),
  ).action(
    run<ContentOptions, [text?: string]>(async (session, options, argument) => {
      const time = toTime(session, options);
      const text = argument === undefined ? undefined : await readText(session, argument);
      const almanac = await session.almanac();
      const body: CreateDraftBody = {
        ...(text !== undefined && { caption: text }),
        ...time,
        ...(await toContent(session, almanac, options)),
      };
      if (Object.keys(body).length === 0) {
        throw new CommandError("usage", "draft_empty", "say what to keep: a text, or --to, --at, --slot or --media");
      }
      const { draft } = await almanac.createDraft({ body, signal: session.signal });
      await finish(session, almanac, draft, "saved");
    }),
  );
}

interface EditOptions extends ContentOptions {
  readonly text?: string;
  readonly removeMedia?: boolean;
}

/** The members to replace. Accounts, times and files are said in one way only, so that the others of the draft go. */
async function toChanges(
  session: Session,
  almanac: Almanac,
  { text, removeMedia, ...options }: EditOptions,
): Promise<Omit<UpdateDraftBody, "version">> {
  const time = toTime(session, options);
  const content = await toContent(session, almanac, options);
  return {
    ...(text !== undefined && { caption: await readText(session, text) }),
    ...(time && { slot: null, time_zone: null, ...time }),
    ...content,
    ...(content.targets && { account_ids: null, platforms: null }),
    ...(removeMedia && { media_items: null }),
    ...((removeMedia || content.media_items) && { media_urls: null }),
  };
}

function addDraftEdit(drafts: Command, run: Run): void {
  addContentOptions(
    drafts
      .command("edit")
      .argument("<id>", ID_HELP)
      .description("change a draft: shows what would change, asks, and changes nothing if somebody else did meanwhile"),
  )
    .option("--text <text>", "the new caption; - reads it from the standard input")
    .option("--remove-media", "without images and videos")
    .action(
      run<EditOptions, [id: string]>(async (session, options, id) => {
        session.requireDecision();
        const almanac = await session.almanac();
        const before = await readDraft(almanac, id);
        const wanted = Object.entries(await toChanges(session, almanac, options));
        // What is there already, or is not there and should not be, is no change.
        const changes = Object.fromEntries(
          wanted.filter(([name, value]) => JSON.stringify(before.content[name] ?? null) !== JSON.stringify(value)),
        );
        if (Object.keys(changes).length === 0) {
          throw new CommandError("usage", "no_changes", "say what to change: --text, --to, --at, --slot or --media");
        }
        showDraftChange(session, before, changes);
        if (!(await session.asks("Change this draft?"))) {
          throw notConfirmed();
        }
        const { draft } = await almanac.updateDraft({
          path: { id: before.id },
          body: { ...changes, version: before.version },
          signal: session.signal,
        });
        await finish(session, almanac, draft, "changed");
      }),
    );
}

interface ScheduleOptions extends Pick<ContentOptions, "at" | "slot"> {
  readonly dryRun?: boolean;
}

function addDraftSchedule(drafts: Command, run: Run): void {
  drafts
    .command("schedule")
    .argument("<id>", ID_HELP)
    .description("schedule a draft: shows a preview, asks, schedules exactly that and deletes the draft")
    .option("-a, --at <time>", "at another time than that of the draft")
    .option("-s, --slot", "at the next free slot; with --at at the first free one from then on")
    .option("-n, --dry-run", "only show the preview")
    .action(
      run<ScheduleOptions, [id: string]>(async (session, { dryRun, ...options }, text) => {
        if (!dryRun) {
          session.requireDecision();
        }
        const time = toTime(session, options);
        const changes: PreviewDraftBody = time ? { slot: null, time_zone: null, ...time } : {};
        const confirms = await openConfirms(session, ["draft", text, options.at, options.slot]);
        const { almanac } = confirms;
        if (dryRun) {
          const id = await resolveDraftId(almanac, text);
          const { preview } = await almanac.previewDraft({ path: { id }, body: changes, signal: session.signal });
          showSchedulePreview(session, preview);
          session.terminal.json({ state: "previewed", preview });
          return;
        }
        await scheduleOne(
          session,
          confirms,
          async (decide) =>
            // Read here: the draft of a killed run may be gone, because it became the post.
            await almanac.scheduleDraft(await resolveDraftId(almanac, text), changes, decide),
        );
      }),
    );
}

function addDraftDelete(drafts: Command, run: Run): void {
  drafts
    .command("delete")
    .argument("<id>", ID_HELP)
    .description("delete a draft")
    .action(
      run<object, [id: string]>(async (session, _options, text) => {
        session.requireDecision();
        const { terminal } = session;
        const almanac = await session.almanac();
        const draft = await readDraft(almanac, text);
        if (terminal.isInteractive) {
          showDraft(session, draft, (await almanac.listAccounts()).accounts);
        }
        if (!(await session.asks("Delete this draft? This cannot be undone."))) {
          throw notConfirmed();
        }
        const { id } = await almanac.deleteDraft({
          path: { id: draft.id },
          body: { confirm: true },
          signal: session.signal,
        });
        terminal.line(`Deleted: ${id}`);
        terminal.json({ id, deleted: true });
      }),
    );
}

export function addDrafts(program: Command, run: Run): void {
  const drafts = program.command("drafts").description("posts that are not ready yet");
  addDraftList(drafts, run);
  addDraftSave(drafts, run);
  addDraftEdit(drafts, run);
  addDraftSchedule(drafts, run);
  addDraftDelete(drafts, run);
}
