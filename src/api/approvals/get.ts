import { z } from "@hono/zod-openapi";
import { getApproval } from "#confirming/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { Approval, EXAMPLE_APPROVAL, presentApproval } from "#wire/schemas/approval.ts";
import { success } from "#wire/schemas/content.ts";
import { ApprovalInPath } from "./path.ts";

const ApprovalResponse = z.object({ approval: Approval }).openapi("ApprovalResponse");

const route = operation("posts:read", {
  method: "get",
  path: "/approvals/{id}",
  operationId: "getApproval",
  summary: "Read an approval",
  description:
    "Whether a person has decided, and how. People take hours: events (`approval.approved` and others) tell at once, a poll every minute is enough otherwise. A decided approval can be read for 30 days.",
  request: { params: ApprovalInPath },
  responses: success(200, "The approval.", ApprovalResponse, { approval: EXAMPLE_APPROVAL }),
});

export const get = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const approval = await getApproval(c.get("ctx"), { id });
  return c.json({ approval: presentApproval(approval) }, 200);
});
