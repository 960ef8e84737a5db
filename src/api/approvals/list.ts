import { z } from "@hono/zod-openapi";
import { APPROVAL_STATES } from "#core/status.ts";
import { listApprovals } from "#confirming/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { Approval, EXAMPLE_APPROVAL, presentApproval } from "#wire/schemas/approval.ts";
import { pageInQuery } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";

const ApprovalQuery = z.object({
  state: z
    .enum(APPROVAL_STATES)
    .optional()
    .openapi({ param: { description: "Only approvals in this state." }, example: "pending" }),
  ...pageInQuery("approvals", 100),
});

const ApprovalPage = z.object({ approvals: z.array(Approval), has_more: z.boolean() }).openapi("ApprovalPage");

const route = operation("posts:read", {
  method: "get",
  path: "/approvals",
  operationId: "listApprovals",
  summary: "List approvals",
  description:
    "What credentials whose previews a person confirms have asked for in the active workspace: pending requests first, then what was decided in the last 30 days, newest first. A page ends at 4 MiB: the next `offset` is yours and as many as the page has.",
  request: { query: ApprovalQuery },
  responses: success(200, "A page of approvals.", ApprovalPage, { approvals: [EXAMPLE_APPROVAL], has_more: false }),
});

export const list = newRouter().openapi(route, async (c) => {
  const { approvals, hasMore } = await listApprovals(c.get("ctx"), c.req.valid("query"));
  return c.json({ approvals: approvals.map(presentApproval), has_more: hasMore }, 200);
});
