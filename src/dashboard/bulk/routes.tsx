import { byteLength } from "#core/bytes.ts";
import { Hono } from "hono";
import { requireSubscription } from "#core/actor.ts";
import { refuse, RefusalError } from "#core/errors.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { readTakenSlot } from "#dashboard/wording/taken-slot.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { confirmBulk, previewBulk, repeatUntilVisible } from "#confirming/index.ts";
import { editCsvTable, readCsvPosts } from "#wire/csv/defer-csv.ts";
import { BULK_POSTS_MAX, type RowReader } from "#wire/csv/row-reader.ts";
import { parseInstant } from "#wire/instant.ts";
import { decodeUtf8 } from "#wire/read-bytes.ts";
import { readRow } from "#wire/schemas/read-row.ts";
import { assertWellFormed } from "#wire/well-formed.ts";
import { BULK_PATH, BulkPage, type BulkPageProps } from "./bulk-page.tsx";

type Shown = Omit<BulkPageProps, "signedIn" | "display" | "now">;

function render(c: PageContext, shown: Shown, status: 200 | 400 = 200): Promise<Response> {
  const now = c.var.services.clock.now();
  return renderPage(c, <BulkPage signedIn={c.var.signedIn} display={displayOf(c)} now={now} {...shown} />, status);
}

/** Shows a refusal on the page. The table and the position in it stay in the form, so that the user can correct it. */
async function orRefused(
  c: PageContext,
  { table, fromRow, nextRow }: TablePlace,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusalError) {
      const { code, message, details = [] } = error.refusal;
      // If the posts of this part are already scheduled, continue with the next part, so that the form does not offer
      // them again.
      const place = { table, fromRow: code === "token_already_used" && nextRow !== null ? nextRow : fromRow };
      const taken = await readTakenSlot(c, error.refusal);
      const refused = taken
        ? { message: `${taken.sentences} Nothing is scheduled yet: preview again`, details: [] }
        : { message, details };
      return render(c, { ...place, refused }, 400);
    }
    throw error;
  }
}

function showBulk(c: PageContext): Promise<Response> {
  const scheduled = Number(c.req.query("scheduled"));
  const isCount = Number.isInteger(scheduled) && scheduled > 0 && scheduled <= BULK_POSTS_MAX;
  return render(c, { table: "", fromRow: 1, ...(isCount && { scheduled }) });
}

/** The largest table file: 1 MB. */
const TABLE_MAX_BYTES = 1024 * 1024;

const formOf = (c: PageContext): Promise<FormData> => c.req.formData().catch(() => new FormData());

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

/** A table with the rows at which the shown part begins and ends. */
interface TablePlace {
  readonly table: string;
  readonly fromRow: number;
  readonly nextRow: number | null;
}

function rowOf(form: FormData, name: string): number | null {
  const text = textOf(form, name);
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;
}

/** The table from the form: the uploaded file or the text. Null for a file that is not UTF-8. */
async function tableOf(form: FormData): Promise<string | null> {
  const file = form.get("file");
  return file !== null && typeof file !== "string" && file.size > 0
    ? decodeUtf8(await file.bytes())
    : textOf(form, "table");
}

/** A reader of rows that takes the person's time zone for times without one. */
function readerFor(timeZone: string): RowReader {
  return (data, row, withMore) => {
    const { scheduled_at: time, time_zone: named } = data as { scheduled_at?: string; time_zone?: string };
    const isLocal = time !== undefined && named === undefined && parseInstant(time) === undefined;
    return readRow(isLocal ? { ...(data as object), time_zone: timeZone } : data, row, withMore);
  };
}

const CELL = /^cell\.([1-9]\d{0,5})\.(.+)$/;

/** The table with the changes that the person typed into its cells. Null if nothing differs. */
function editedTable(form: FormData, table: string): Promise<string | null> {
  const edits = [...form].flatMap(([name, text]) => {
    const [, row, header] = CELL.exec(name) ?? [];
    return row === undefined || header === undefined || typeof text !== "string"
      ? []
      : [{ row: Number(row), header, text }];
  });
  return editCsvTable(table, edits);
}

async function doPreview(c: PageContext): Promise<Response> {
  const form = await formOf(c);
  const sent = await tableOf(form);
  const table = sent === null ? null : ((await editedTable(form, sent)) ?? sent);
  const fromRow = rowOf(form, "from_row") ?? 1;
  return orRefused(c, { table: table ?? "", fromRow, nextRow: null }, async () => {
    const ctx = contextOf(c);
    requireSubscription(ctx.actor);
    if (table === null) {
      refuse({ code: "invalid_request", message: "the file is not UTF-8: save it as “CSV UTF-8” and choose it again" });
    }
    if (table.trim() === "") {
      refuse({ code: "invalid_request", message: "choose a file or paste the text of a table" });
    }
    if (byteLength(table) > TABLE_MAX_BYTES) {
      refuse({ code: "invalid_request", message: "the table is larger than 1 MB: send it in parts" });
    }
    assertWellFormed(table);
    return await showPart(c, { table, fromRow });
  });
}

/** Previews up to a hundred rows of the table, beginning at `fromRow`. */
async function showPart(
  c: PageContext,
  shown: Pick<Shown, "table" | "fromRow" | "scheduled" | "isChanged">,
): Promise<Response> {
  const ctx = contextOf(c);
  const reader = readerFor(displayOf(c).timeZone);
  const { rows, ...part } = await readCsvPosts(ctx, shown.table, reader, shown.fromRow);
  const previewed = await previewBulk(ctx, { posts: rows, skipInvalid: true });
  return await render(c, { ...shown, ...part, previewed });
}

async function doConfirm(c: PageContext): Promise<Response> {
  const form = await formOf(c);
  const table = textOf(form, "table");
  const [fromRow, nextRow] = [rowOf(form, "from_row") ?? 1, rowOf(form, "next_row")];
  const edited = await editedTable(form, table);
  if (edited !== null) {
    return orRefused(c, { table: edited, fromRow, nextRow: null }, () => {
      assertWellFormed(edited);
      return showPart(c, { table: edited, fromRow, isChanged: true });
    });
  }
  return orRefused(c, { table, fromRow, nextRow }, async () => {
    const ctx = contextOf(c);
    requireSubscription(ctx.actor);
    const confirmationToken = textOf(form, "confirmation_token");
    const { posts } = await repeatUntilVisible(() => confirmBulk(ctx, { confirmationToken }));
    return nextRow === null
      ? c.redirect(`${BULK_PATH}?scheduled=${posts.length}`, 303)
      : await orRefused(c, { table, fromRow: nextRow, nextRow: null }, () =>
          showPart(c, { table, fromRow: nextRow, scheduled: posts.length }),
        );
  });
}

/** Serves `/dashboard/posts/many`, where users schedule many posts from a table. */
export const bulkPages = new Hono<PageEnv>().get("/", showBulk).post("/preview", doPreview).post("/confirm", doConfirm);
