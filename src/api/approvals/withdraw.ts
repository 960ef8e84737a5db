import { z } from "@hono/zod-openapi";
import { withdrawRequest } from "#confirming/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { Approval, EXAMPLE_APPROVAL, presentApproval } from "#wire/schemas/approval.ts";
import { ExplicitConfirm } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { ApprovalInPath } from "./path.ts";

const WithdrawBody = z.object({ confirm: ExplicitConfirm }).openapi("WithdrawBody");

const WithdrawnApproval = z.object({ approval: Approval }).openapi("WithdrawnApproval");

const route = operation("posts:write", {
  method: "delete",
  path: "/approvals/{id}",
  operationId: "withdrawApproval",
  summary: "Withdraw a request for approval",
  description:
    "Takes back a request that nobody has decided. A decided one is refused with its state. No call approves a request: only the signed-in user can, on the page at `url`.",
  request: { params: ApprovalInPath, body: jsonBody(WithdrawBody, { confirm: true }) },
  responses: success(200, "The request is withdrawn.", WithdrawnApproval, {
    approval: { ...EXAMPLE_APPROVAL, state: "withdrawn", decided_at: "2026-11-20T09:30:00.000Z" },
  }),
});

export const withdraw = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const approval = await withdrawRequest(c.get("ctx"), { id });
  return c.json({ approval: presentApproval(approval) }, 200);
});
