import type { OpenAPIHono } from "@hono/zod-openapi";
import { once } from "#core/once.ts";
import type { ApiEnv } from "./env.ts";
import { MEDIA_OPERATIONS } from "./media/operations.ts";
import { POST_OPERATIONS } from "./posts/operations.ts";

/** The operations whose paths begin with the same word, which are loaded together. */
export type OperationGroup = readonly OpenAPIHono<ApiEnv>[];

/** Operations that nearly every isolate serves, so they load at its start. */
export const FREQUENT: OperationGroup = [...MEDIA_OPERATIONS, ...POST_OPERATIONS];

const BULK = "posts/bulk";

/** The name of an operation group: the first word of a path below the API's prefix. */
export function groupNameOf(path: string): string {
  return path.startsWith(`${BULK}/`) ? BULK : (path.split("/", 1)[0] ?? "");
}

/**
 * The other operation groups, by the first word of their paths. Each is loaded on its first call, because most isolates
 * never need it.
 */
export const ON_FIRST_CALL: ReadonlyMap<string, () => Promise<OperationGroup>> = new Map([
  ["accounts", once(async () => (await import("./accounts/operations.ts")).ACCOUNT_OPERATIONS)],
  ["workspaces", once(async () => (await import("./workspaces/operations.ts")).WORKSPACE_OPERATIONS)],
  ["platforms", once(async () => (await import("./platforms/operations.ts")).PLATFORM_OPERATIONS)],
  ["limits", once(async () => (await import("./limits/operations.ts")).LIMIT_OPERATIONS)],
  ["schedule", once(async () => (await import("./schedule/operations.ts")).SCHEDULE_OPERATIONS)],
  [BULK, once(async () => (await import("./bulk/operations.ts")).BULK_OPERATIONS)],
  ["drafts", once(async () => (await import("./drafts/operations.ts")).DRAFT_OPERATIONS)],
  ["approvals", once(async () => (await import("./approvals/operations.ts")).APPROVAL_OPERATIONS)],
  ["events", once(async () => (await import("./events/operations.ts")).EVENT_OPERATIONS)],
  ["webhooks", once(async () => (await import("./webhooks/operations.ts")).WEBHOOK_OPERATIONS)],
]);
