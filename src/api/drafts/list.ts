import { listDrafts } from "#drafts/index.ts";
import { z } from "@hono/zod-openapi";
import { newRouter, operation } from "#api/operation.ts";
import { pageInQuery } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";
import { DraftSummary, EXAMPLE_DRAFT, presentDraftSummary } from "./draft.ts";

const DraftQuery = z.object({
  ...pageInQuery("drafts", 100),
});

const DraftPage = z.object({ drafts: z.array(DraftSummary), has_more: z.boolean() }).openapi("DraftPage");

const { content: _, problems: __, ...summary } = EXAMPLE_DRAFT;

const route = operation("posts:read", {
  method: "get",
  path: "/drafts",
  operationId: "listDrafts",
  summary: "List drafts",
  description:
    "The drafts of the active workspace, without what is in them; what was changed last comes first. Drafts are no posts: `GET /posts` never has them.",
  request: { query: DraftQuery },
  responses: success(200, "A page of drafts.", DraftPage, {
    drafts: [{ ...summary, caption: "The new glaze is here." }],
    has_more: false,
  }),
});

export const list = newRouter().openapi(route, async (c) => {
  const { drafts, hasMore } = await listDrafts(c.get("ctx"), c.req.valid("query"));
  return c.json({ drafts: drafts.map(presentDraftSummary), has_more: hasMore }, 200);
});
