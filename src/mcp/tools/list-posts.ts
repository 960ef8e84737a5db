import { z } from "@hono/zod-openapi";
import { POST_STATUSES } from "#core/status.ts";
import { summaryLine } from "#mcp/describe/post.ts";
import { rangeInput, type TimeReader } from "#mcp/describe/local-time.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { listArchivedPosts, listPosts } from "#posts/index.ts";
import { ExternalId, Label } from "#wire/schemas/annotations.ts";
import { presentPostSummary } from "#wire/schemas/post.ts";
import { presentSearch, SearchText } from "#wire/schemas/search.ts";
import { TimeZoneInput } from "#wire/schemas/time-zone.ts";

const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 20;

const input = (reader: TimeReader) =>
  z.object({
    q: SearchText.optional(),
    status: z.enum(POST_STATUSES).optional(),
    from: rangeInput(reader, "from").optional().describe("A date or 2026-12-24T18:00."),
    until: rangeInput(reader, "until").optional().describe("Exclusive; a date includes that day."),
    time_zone: TimeZoneInput.optional(),
    external_id: ExternalId.optional(),
    label: Label.optional(),
    include_past: z.boolean().optional().describe("Default: with q, status or from."),
    archived: z.boolean().default(false).describe("Old posts."),
    order: z.enum(["asc", "desc"]).optional(),
    limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
    offset: z.int().min(0).default(0),
  });

export const listPostsTool = defineTool({
  name: "list_posts",
  title: "List posts",
  description: "Upcoming posts by time; q: words in captions, labels, notes.",
  scope: "posts:read",
  hints: { readOnly: true },
  input,
  card: "ui://almanac/calendar",
  async run(
    { ctx },
    { from, until, include_past: includePast, archived, time_zone: named, external_id: externalId, q, ...query },
  ) {
    const timeZone = named ?? ctx.actor.timeZone;
    const order = query.order ?? (q === undefined ? "asc" : "desc");
    const bounds = { from: from?.instant, until: until?.instant };
    const input = { ...query, ...bounds, externalId, search: q, order, fields: "summary" as const };
    const page = archived ? await listArchivedPosts(ctx, input) : await listPosts(ctx, { ...input, includePast });
    const posts = page.posts.map(presentPostSummary);
    const { limit, offset, total, hasMore } = page.pagination;
    const search = page.search && presentSearch(page.search, order);
    const nextOffset = hasMore ? offset + posts.length : null;
    const range = posts.length === 0 ? "none of them here" : `${offset + 1} to ${offset + posts.length}`;
    const text = [
      `${total} posts, ${range}.`,
      ...posts.map((post) => summaryLine(timeZone, post)),
      ...(nextOffset === null ? [] : [`More: call again with offset ${nextOffset}.`]),
      ...(search === null ? [] : [searchLine(search)]),
    ].join("\n");
    return {
      text,
      data: {
        posts,
        time_zone: timeZone,
        pagination: { limit, offset, total, has_more: hasMore, next_offset: nextOffset },
        ...(search !== null && { search }),
      },
    };
  },
});

/** Says how far a search has looked, and how to continue it. */
function searchLine({ searched, next_from: from, next_until: until }: ReturnType<typeof presentSearch>): string {
  const bound = from === null ? until && `until ${until}` : `from ${from}`;
  return bound === null
    ? "All posts were searched but the archived ones."
    : `Only ${searched} posts were searched: call again with ${bound} for the others.`;
}
