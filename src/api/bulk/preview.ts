import { z } from "@hono/zod-openapi";
import { refuse } from "#core/errors.ts";
import { type BulkInput } from "#planning/index.ts";
import { previewBulk } from "#confirming/index.ts";
import { TABLE_TYPES } from "#api/body.ts";
import type { ApiContext } from "#api/env.ts";
import { newRouter, operation } from "#api/operation.ts";
import { PreviewScheduleBody } from "#wire/schemas/schedule-body.ts";
import { readCsvPosts } from "#wire/csv/defer-csv.ts";
import { BULK_POSTS_MAX } from "#wire/csv/row-reader.ts";
import { BulkPreviewResponse, EXAMPLE_BULK_PREVIEW, presentBulkPreview } from "#wire/schemas/bulk.ts";
import { EXAMPLE_ACCOUNT_ID, optional, QueryBoolean } from "#wire/schemas/common.ts";
import { json, success } from "#wire/schemas/content.ts";
import { EXAMPLE_POST } from "#wire/schemas/post.ts";
import { toRefusal } from "#wire/validation-refusal.ts";
import { readRow } from "#wire/schemas/read-row.ts";

const PreviewBulkBody = z
  .object({
    posts: z.array(PreviewScheduleBody).min(1).max(BULK_POSTS_MAX).openapi({
      description: "As for `POST /posts/preview`; videos of other servers are imported before.",
    }),
    skip_invalid: optional(z.boolean()).openapi({
      description: "Leaves posts with problems out instead of refusing the request.",
    }),
  })
  .openapi("PreviewBulkBody");

/**
 * The body of a bulk preview with unchecked posts. `readRow` checks each post, so that a wrong post becomes a row with
 * problems.
 */
const BodyOfUnreadPosts = PreviewBulkBody.extend({ posts: z.array(z.unknown()).min(1).max(BULK_POSTS_MAX) });

const CSV_TABLE = {
  type: "string",
  description:
    "A table in UTF-8 whose first line names the columns: `caption`, `scheduled_at`, `time_zone`, `slot`, `platforms`, `accounts` (usernames, as `x/almanac` where several have it), `account_ids`, `media_urls`, `alt_texts`, `labels`, `external_id`, and `platform.option` for an option of a platform. `scheduled_at` may be written as a spreadsheet shows it (`24.12.2026 18:00`, `12/24/2026 6:00 PM`). Cells are separated by commas, semicolons or tabs; a cell with one of them or with a line break is put in quotation marks. Several values of a cell are separated by `|` or line breaks.",
} as const;

/** A CSV body has no place for the switches of a JSON body, so a table sends them in the query. */
const CsvQuery = z.object({
  skip_invalid: QueryBoolean.default(false).openapi({
    type: "boolean",
    enum: [true, false],
    param: { description: "Of a table: as `skip_invalid` in a JSON body." },
    example: false,
  }),
  from_row: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .openapi({
      type: "integer",
      param: {
        description:
          "Of a table with more than 100 posts: up to 100 from this row on. Begin with 1, go on with `next_row`.",
      },
      example: 1,
    }),
});

const EXAMPLE_TABLE = `caption,scheduled_at,account_ids\nThe new glaze is here.,2026-12-24T18:00:00Z,${EXAMPLE_ACCOUNT_ID}\n`;
const tableFor = (type: string) =>
  type === "text/tab-separated-values" ? EXAMPLE_TABLE.replaceAll(",", "\t") : EXAMPLE_TABLE;

const route = operation("posts:write", {
  hasNoEvents: true,
  method: "post",
  path: "/posts/bulk/preview",
  operationId: "previewBulk",
  summary: "Preview many new posts",
  description:
    "Checks up to 100 posts together and shows each as `POST /posts/preview` does. The posts see each other: their times count towards the daily caps of their accounts, and equal texts are warned of. When one has problems, the request is refused with every problem of every post, and `row` in `details` says which; with `skip_invalid` those posts are left out, and the answer lists their problems. One token schedules all good posts. Each post counts towards `previews_per_hour` of `GET /limits`. Up to 100 images of other servers are fetched, three at a time and for a minute at most, when nothing else is wrong with their posts; videos are imported before with `POST /media`.",
  acceptsCsv: true,
  request: {
    query: CsvQuery,
    body: {
      required: true,
      content: {
        ...json(PreviewBulkBody, {
          posts: [
            {
              caption: EXAMPLE_POST.caption,
              scheduled_at: "2026-12-24T18:00:00Z",
              account_ids: [EXAMPLE_ACCOUNT_ID],
              media_urls: ["https://images.example.net/launch.jpg"],
            },
            {
              caption: "And another",
              scheduled_at: "2026-12-25T18:00:00Z",
              account_ids: [EXAMPLE_ACCOUNT_ID],
              media_urls: ["https://images.example.net/launch.jpg"],
            },
          ],
          skip_invalid: true,
        }),
        ...Object.fromEntries(TABLE_TYPES.map((type) => [type, { schema: CSV_TABLE, example: tableFor(type) }])),
      },
    },
  },
  responses: success(
    200,
    "Each post as it would be published, and the token that schedules them.",
    BulkPreviewResponse,
    EXAMPLE_BULK_PREVIEW,
  ),
});

async function readRequest(c: ApiContext): Promise<BulkInput & { readonly nextRow: number | null }> {
  const { csv, body: data = null } = c.var;
  if (csv !== undefined) {
    const fromRow = c.req.query("from_row");
    const { rows, nextRow } = await readCsvPosts(
      c.get("ctx"),
      csv,
      readRow,
      fromRow === undefined ? undefined : Number(fromRow),
    );
    return { posts: rows, skipInvalid: c.req.query("skip_invalid") === "true", nextRow };
  }
  const body = BodyOfUnreadPosts.safeParse(data);
  return body.success
    ? {
        posts: await Promise.all(body.data.posts.map((post, index) => readRow(post, index + 1))),
        skipInvalid: body.data.skip_invalid ?? false,
        nextRow: null,
      }
    : refuse(toRefusal({ target: "json", data, error: body.error }));
}

async function answer(c: ApiContext) {
  const { nextRow, ...input } = await readRequest(c);
  return c.json(presentBulkPreview(await previewBulk(c.get("ctx"), input), nextRow), 200);
}

export const bulkPreview = newRouter().openapi(route, answer, (result, c) =>
  // In a JSON body, an invalid post becomes a row with problems. A table's invalid query is refused as a whole.
  result.success ? undefined : result.target === "json" ? answer(c) : refuse(toRefusal(result)),
);
