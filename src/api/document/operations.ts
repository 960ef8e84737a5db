import { OpenAPIHono } from "@hono/zod-openapi";
import type { ApiEnv } from "#api/env.ts";
import { ACCOUNT_OPERATIONS } from "#api/accounts/operations.ts";
import { APPROVAL_OPERATIONS } from "#api/approvals/operations.ts";
import { BULK_OPERATIONS } from "#api/bulk/operations.ts";
import { DRAFT_OPERATIONS } from "#api/drafts/operations.ts";
import { EVENT_OPERATIONS } from "#api/events/operations.ts";
import { LIMIT_OPERATIONS } from "#api/limits/operations.ts";
import { MEDIA_OPERATIONS } from "#api/media/operations.ts";
import { PLATFORM_OPERATIONS } from "#api/platforms/operations.ts";
import { POST_OPERATIONS } from "#api/posts/operations.ts";
import { SCHEDULE_OPERATIONS } from "#api/schedule/operations.ts";
import { WEBHOOK_OPERATIONS } from "#api/webhooks/operations.ts";
import { WORKSPACE_OPERATIONS } from "#api/workspaces/operations.ts";

/** The OpenAPI document lists the operations in this order. */
const GROUPS = [
  ACCOUNT_OPERATIONS,
  WORKSPACE_OPERATIONS,
  PLATFORM_OPERATIONS,
  LIMIT_OPERATIONS,
  MEDIA_OPERATIONS,
  SCHEDULE_OPERATIONS,
  POST_OPERATIONS,
  BULK_OPERATIONS,
  DRAFT_OPERATIONS,
  APPROVAL_OPERATIONS,
  EVENT_OPERATIONS,
  WEBHOOK_OPERATIONS,
];

export function allOperations(): OpenAPIHono<ApiEnv> {
  const all = new OpenAPIHono<ApiEnv>();
  for (const operation of GROUPS.flat()) {
    all.route("/", operation);
  }
  return all;
}
