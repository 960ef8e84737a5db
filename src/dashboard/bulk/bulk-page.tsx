import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { Notice, PlatformBadge } from "#dashboard/layout/components.tsx";
import { toSentence } from "#dashboard/wording/sentence.ts";
import { type Display, formatDateTime, formatTime, formatZone } from "#dashboard/wording/display.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import type { PreviewedBulk, SchedulePreview } from "#planning/index.ts";

export const BULK_PATH = "/dashboard/posts/many";

const EXAMPLE = `caption,scheduled_at,accounts
The new glaze is here.,2027-01-08T18:00,almanac
"Two lines,
and a comma",2027-01-09T18:00,x/almanac`;

type Row = PreviewedBulk["preview"]["posts"][number];

export interface BulkPageProps {
  readonly signedIn: SignedInUser;
  readonly display: Display;
  readonly now: number;
  readonly table: string;
  /** The row number with which the shown part of the table begins. */
  readonly fromRow: number;
  /** The row number with which the next part begins. Absent or null at the end of the table. */
  readonly nextRow?: number | null;
  /** How many posts the whole table contains. */
  readonly count?: number;
  readonly previewed?: PreviewedBulk;
  /** The column names of the table as the user wrote them. */
  readonly headers?: readonly string[];
  readonly cells?: ReadonlyMap<number, readonly string[]>;
  /**
   * True if the user changed cells after the preview. The page then shows a preview of the changed cells instead of
   * confirming.
   */
  readonly isChanged?: boolean;
  /** Why the table, or its confirm, was refused. */
  readonly refused?: { readonly message: string; readonly details: readonly RefusalDetail[] };
  /** How many posts were scheduled just now. */
  readonly scheduled?: number;
}

/** A cell can hold several values, so `accounts[0]` is in the column `accounts`. */
const columnOf = (param: string): string => param.replace(/[[.].*$/su, "");

const Problems: FC<{ details: readonly RefusalDetail[] }> = ({ details }) => (
  <ul>
    {details.map(({ row, param, message }) => (
      <li>
        {row !== undefined && `Row ${row}: `}
        {param === undefined ? (
          toSentence(message)
        ) : (
          <>
            <code>{columnOf(param)}</code>
            {message.startsWith(param) ? `${message.slice(param.length)}.` : `: ${toSentence(message)}`}
          </>
        )}
      </li>
    ))}
  </ul>
);

const Post: FC<{ preview: SchedulePreview; display: Display }> = ({ preview, display }) => {
  const { scheduledAt } = preview;
  const warnings = [
    ...preview.warnings.map(({ message }) => message),
    ...preview.targets.flatMap((target) =>
      target.warnings.map(({ message }) => `${PLATFORM_NAMES[target.platform]}, ${target.username}: ${message}`),
    ),
  ];
  return (
    <>
      <p class="item-meta">
        {scheduledAt !== "now" && (
          <time datetime={new Date(scheduledAt).toISOString()}>{formatDateTime(display, scheduledAt)}</time>
        )}
        {preview.targets.map(({ platform, username }) => (
          <span>
            <PlatformBadge platform={platform} /> <bdi>{username}</bdi>
          </span>
        ))}
        {preview.mediaItems.length > 0 && <span>{countOf(preview.mediaItems.length, "file")}</span>}
        {preview.annotations.labels.length > 0 && <span>{preview.annotations.labels.join(", ")}</span>}
      </p>
      <details>
        <summary>The whole text</summary>
        <p class="caption">
          <bdi>{preview.caption}</bdi>
        </p>
        {preview.targets
          .filter(({ effectiveCaption }) => effectiveCaption !== preview.caption)
          .map(({ platform, username, effectiveCaption }) => (
            <>
              <p class="hint">{`${PLATFORM_NAMES[platform]}, ${username}`}</p>
              <p class="caption">
                <bdi>{effectiveCaption}</bdi>
              </p>
            </>
          ))}
      </details>
      {warnings.length > 0 && (
        <ul class="hint">
          {warnings.map((message) => (
            <li>{toSentence(message)}</li>
          ))}
        </ul>
      )}
    </>
  );
};

/** The form field name of a table cell. */
const cellName = (row: number, header: string): string => `cell.${row}.${header}`;

const LONG_COLUMNS = new Set(["caption", "alt_texts", "media_urls"]);

const Cell: FC<{ row: number; header: string; text: string }> = ({ row, header, text }) => {
  const field = { name: cellName(row, header), "aria-label": `Row ${row}, ${header}`, spellcheck: false };
  return (
    <td>
      {LONG_COLUMNS.has(header) || text.includes("\n") ? (
        <textarea rows={3} {...field}>{`\n${text}`}</textarea>
      ) : (
        <input value={text} {...field} />
      )}
    </td>
  );
};

const RowCells: FC<{ row: Row; headers: readonly string[]; cells: readonly string[]; display: Display }> = ({
  row: { row, preview, problems },
  headers,
  cells,
  display,
}) => (
  <tr>
    <th scope="row">{row}</th>
    <td>
      {preview ? (
        <Post preview={preview} display={display} />
      ) : (
        <>
          <span class="status failed">Left out</span>
          <Problems details={problems} />
        </>
      )}
    </td>
    {cells.length === headers.length ? (
      headers.map((header, index) => <Cell row={row} header={header} text={cells[index] ?? ""} />)
    ) : (
      <td colspan={headers.length}>Correct this row in the text below.</td>
    )}
  </tr>
);

type ResultsProps = Required<
  Pick<BulkPageProps, "previewed" | "table" | "fromRow" | "display" | "now" | "headers" | "cells">
> &
  Pick<BulkPageProps, "nextRow" | "count">;

const Results: FC<ResultsProps> = (props) => {
  const { previewed, table, fromRow, nextRow = null, count = 0, headers, cells, display, now } = props;
  const { posts } = previewed.preview;
  const good = posts.filter(({ preview }) => preview !== null).length;
  const { confirmation } = previewed;
  const bad = posts.length - good;
  return (
    <section aria-labelledby="rows">
      <h2 id="rows">
        {bad === 0
          ? `${countOf(good, "post")}, all good`
          : `${countOf(good, "post")} good, ${countOf(bad, "row")} with problems`}
      </h2>
      {count > posts.length && (
        <p>
          {`The table has ${count} posts, which are scheduled in parts of up to 100: these are rows ${fromRow} to ${posts.at(-1)?.row ?? fromRow}.`}
          {nextRow !== null && " The next part is shown when these are scheduled."}
        </p>
      )}
      <form method="post" action={`${BULK_PATH}/preview`} enctype="multipart/form-data">
        <input type="hidden" name="table" value={table} />
        <input type="hidden" name="from_row" value={String(fromRow)} />
        {nextRow !== null && <input type="hidden" name="next_row" value={String(nextRow)} />}
        {/* This must be the form's first button: the Enter key in a cell presses it, and must not schedule anything. */}
        <p class="actions">
          <button class="secondary">Preview the changed cells</button>
          {confirmation && (
            <>
              <input type="hidden" name="confirmation_token" value={confirmation.confirmationToken} />
              <button formaction={`${BULK_PATH}/confirm`}>
                {bad === 0
                  ? `Schedule ${good === 1 ? "the post" : `all ${good} posts`}`
                  : `Schedule the ${countOf(good, "good post")}`}
              </button>
            </>
          )}
        </p>
        <p class="hint">
          {confirmation &&
            `All of them are scheduled or none. This preview is valid for five minutes, until ${formatTime(display, confirmation.expiresAt)}. `}
          {bad > 0 &&
            "The rows with problems are left out: correct their cells and preview again to schedule everything together. "}
          {`Rows are counted without the first line. Times in ${formatZone(display.timeZone, now)}.`}
        </p>
        <div class="table-scroll" tabindex={0} role="region" aria-label="The rows and their cells">
          <table>
            <thead>
              <tr>
                <th scope="col">Row</th>
                <th scope="col">Preview</th>
                {headers.map((header) => (
                  <th scope="col">{header}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {posts.map((row) => (
                <RowCells row={row} headers={headers} cells={cells.get(row.row) ?? []} display={display} />
              ))}
            </tbody>
          </table>
        </div>
      </form>
    </section>
  );
};

/** The page that schedules many posts from a table. It shows the preview of each row and the button to confirm. */
export const BulkPage: FC<BulkPageProps> = ({ signedIn, display, now, scheduled, refused, ...part }) => {
  const { table, fromRow, previewed, headers, cells, isChanged = false } = part;
  return (
    <DashboardLayout
      title="Many posts"
      section="calendar"
      signedIn={signedIn}
      assets={{ styles: ["bulk"] }}
      lead="Posts from a table, as spreadsheets save it (CSV). Every row is checked before anything is scheduled; more than 100 are scheduled in parts."
    >
      {scheduled !== undefined && (
        <Notice kind="success">
          {`${countOf(scheduled, "post")} ${scheduled === 1 ? "is" : "are"} scheduled.`}{" "}
          <a href="/dashboard">Calendar</a>
        </Notice>
      )}
      {refused && (
        <div class="notice error" role="alert">
          <p>{toSentence(refused.message)}</p>
          {refused.details.length > 1 && <Problems details={refused.details} />}
        </div>
      )}
      {isChanged && (
        <Notice kind="info">
          Cells were changed after the preview, so nothing is scheduled yet: this is how it is now.
        </Notice>
      )}
      {previewed && headers && cells && (
        <Results {...part} previewed={previewed} headers={headers} cells={cells} display={display} now={now} />
      )}
      <form class="card bulk-form" method="post" action={`${BULK_PATH}/preview`} enctype="multipart/form-data">
        <div class="field">
          <label for="file">Table as a file</label>
          <input
            type="file"
            id="file"
            name="file"
            accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
            aria-describedby="file-hint"
          />
          <p class="hint" id="file-hint">
            In UTF-8, at most 1 MB. In Excel: Save as, “CSV UTF-8”. Dates may be written as your Excel shows them.
          </p>
        </div>
        <div class="field">
          <label for="table">Or its text</label>
          <textarea
            id="table"
            name="table"
            rows={previewed || refused ? 12 : 8}
            spellcheck={false}
            aria-describedby="table-hint"
          >
            {`\n${table}`}
          </textarea>
          <p class="hint" id="table-hint">
            {`A time without an offset is one on the clock of ${formatZone(display.timeZone, now)}, unless the column time_zone names another zone.`}
          </p>
        </div>
        {fromRow > 1 && (
          <div class="field">
            <label for="from_row">First row</label>
            <input type="number" id="from_row" name="from_row" min="1" value={String(fromRow)} />
          </div>
        )}
        <p class="actions">
          <button class={previewed ? "secondary" : undefined}>Preview</button>
        </p>
      </form>
      <details>
        <summary>The columns</summary>
        <p>
          The first line names the columns: <code>caption</code> and <code>scheduled_at</code>, and of{" "}
          <code>accounts</code> (usernames, as <code>x/almanac</code> where several accounts have it),{" "}
          <code>platforms</code>, <code>account_ids</code>, <code>media_urls</code>, <code>alt_texts</code>,{" "}
          <code>labels</code>, <code>external_id</code>, <code>time_zone</code> and <code>slot</code> (<code>next</code>{" "}
          takes the next free one) those that you need. Several values of a cell are separated by <code>|</code>.{" "}
          <a href="/docs/many-posts">More about tables</a>
        </p>
        <pre tabindex={0}>{EXAMPLE}</pre>
      </details>
    </DashboardLayout>
  );
};
