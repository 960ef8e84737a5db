import { z } from "@hono/zod-openapi";
import { takePage } from "#core/page-bytes.ts";
import { POST_STATUSES } from "#core/status.ts";
import { listArchivedPosts, listPostTexts } from "#posts/index.ts";
import { jsonText } from "#api/json-text.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_ANNOTATIONS, ExternalId, Label } from "#wire/schemas/annotations.ts";
import { InstantInQuery, QueryBoolean, pageInQuery } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";
import { presentSearch, Search, SearchText } from "#wire/schemas/search.ts";
import { EXAMPLE_POST, Post, PostSummary, presentPost, presentPostSummary } from "#wire/schemas/post.ts";
import { Warning } from "#wire/schemas/preview.ts";
import { POST_JSON } from "#wire/schemas/store-post-json.ts";
import { unknownParameterWarnings } from "#wire/schemas/unknown-members.ts";

const ListQuery = z.object({
  ...pageInQuery("posts", 200),
  fields: z
    .enum(["full", "summary"])
    .default("full")
    .openapi({ param: { description: "`summary` leaves out targets, media and the rest of the caption." } }),
  order: z
    .enum(["asc", "desc"])
    .optional()
    .openapi({ param: { description: "By time, then by id. The default is `asc`, or `desc` with `q`." } }),
  q: SearchText.optional().openapi({
    param: {
      description:
        "Only posts that have all of these words, each as a part of a text: the captions, also those of single accounts and of each part of a thread, the labels and the notes. Case, accents and the width of letters do not matter. It finds posts of the past, too, and says in `search` how far it has looked.",
    },
    example: "glaze",
  }),
  status: z
    .enum(POST_STATUSES)
    .optional()
    .openapi({ param: { description: "Only posts with this status." }, example: "scheduled" }),
  from: InstantInQuery.optional().openapi({ param: { description: "Only posts at or after this time." } }),
  until: InstantInQuery.optional().openapi({
    param: { description: "Only posts before this time." },
    example: "2027-01-01T00:00:00Z",
  }),
  external_id: ExternalId.optional().openapi({
    param: { description: "Only posts with this `external_id`." },
    example: EXAMPLE_ANNOTATIONS.external_id ?? "",
  }),
  label: Label.optional().openapi({ param: { description: "Only posts with this label." }, example: "launch" }),
  include_past: QueryBoolean.optional().openapi({
    type: "boolean",
    enum: [true, false],
    param: {
      description:
        "Whether posts whose time has passed are listed. The default is false, or true when `q`, `status` or `from` is given; posts that are being published or wait for their next try are always listed.",
    },
    example: true,
  }),
  archived: QueryBoolean.default(false).openapi({
    type: "boolean",
    enum: [true, false],
    default: false,
    param: {
      description:
        "Lists the archived posts instead: posts that ended longer ago than `archive_after_days` of `GET /limits`. They are in no other list and no statistic; `include_past` changes nothing here.",
    },
    example: false,
  }),
});

const PostPage = z
  .object({
    posts: z.array(z.union([Post, PostSummary])),
    pagination: z.object({
      limit: z.int(),
      offset: z.int(),
      total: z.int().openapi({ description: "The number of matching posts on all pages." }),
      has_more: z.boolean(),
      next_offset: z.int().nullable().openapi({
        description: "The `offset` of the next page; null on the last one. A page ends at 4 MiB.",
      }),
    }),
    search: Search.optional().openapi({ description: "Absent without `q`." }),
    warnings: z.array(Warning).optional().openapi({
      description: "Parameters of the query that are not known and therefore ignored; absent without any.",
    }),
  })
  .openapi("PostPage");

const route = operation("posts:read", {
  method: "get",
  path: "/posts",
  operationId: "listPosts",
  summary: "List posts",
  description: "A page of the posts of the active workspace, by default the upcoming posts, earliest first.",
  request: { query: ListQuery },
  responses: success(200, "A page of posts.", PostPage, {
    posts: [EXAMPLE_POST],
    pagination: { limit: 50, offset: 0, total: 1, has_more: false, next_offset: null },
  }),
});

export const list = newRouter().openapi(route, async (c) => {
  const { include_past: includePast, archived, external_id: externalId, q, ...query } = c.req.valid("query");
  const order = query.order ?? (q === undefined ? "asc" : "desc");
  const input = { ...query, externalId, search: q, order } as const;
  const { posts, pagination, search } = archived
    ? await listArchivedTexts(c.get("ctx"), input)
    : await listPostTexts(c.get("ctx"), { ...input, includePast }, POST_JSON);
  const { limit, offset, total, hasMore } = pagination;
  const warnings = unknownParameterWarnings(new URL(c.req.url).searchParams.keys(), Object.keys(ListQuery.shape));
  const rest = JSON.stringify({
    pagination: { limit, offset, total, has_more: hasMore, next_offset: hasMore ? offset + posts.length : null },
    ...(search !== null && { search: presentSearch(search, order) }),
    ...(warnings.length > 0 && { warnings }),
  });
  return jsonText<typeof PostPage>(c, `{"posts":[${posts.join(",")}],${rest.slice(1)}`);
});

async function listArchivedTexts(...input: Parameters<typeof listArchivedPosts>) {
  const { posts, pagination, search } = await listArchivedPosts(...input);
  const texts = posts
    .values()
    .map((post) => JSON.stringify("targets" in post ? presentPost(post) : presentPostSummary(post)));
  const page = takePage(texts, (text) => text);
  const hasMore = pagination.hasMore || page.length < posts.length;
  return { posts: page, pagination: { ...pagination, hasMore }, search };
}
