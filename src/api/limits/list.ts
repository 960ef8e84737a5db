import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { LIMIT_NAMES, type LimitKey, PLAN_LIMITS, PLANS } from "#core/plan.ts";
import { HOURLY_LIMITS, listLimits, type UserLimits } from "#quotas/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { Instant } from "#wire/schemas/common.ts";
import { EXAMPLE_MEDIA_ITEM } from "#wire/schemas/media.ts";
import { success } from "#wire/schemas/content.ts";

const DESCRIPTIONS: Record<LimitKey, string> = {
  accounts: "Connected accounts.",
  workspaces: "Workspaces.",
  apiKeys: "API keys that work; while keys are rotated, twice as many.",
  connectedApps: "Apps that were given access with OAuth.",
  scheduledPosts: "Posts that are scheduled, publishing or paused.",
  storageBytes: "Bytes of stored media.",
  draftBytes: "Bytes of drafts.",
  webhooks: "Webhooks of the active workspace.",
  previewsPerHour: "Previews of posts and edits in this hour (UTC).",
  textBytesPerHour:
    "Bytes that confirmed posts and edits, approvals and annotations stored in this hour, with the text of each account; a post or edit of less than 4 KiB does not count.",
  mediaFetchesPerHour: "Files fetched from URLs in this hour.",
  mediaFetchesPerHostPerHour: "Files fetched from one host in this hour; `used` is that of the host with the most.",
  requestsPerMinute: "Requests with one credential.",
  userRequestsPerMinute: "Requests with all credentials together.",
  archiveAfterDays: "Days until a finished post moves to the archive, at the end of that month.",
};

const KEYS = Object.keys(LIMIT_NAMES) as LimitKey[];

function limitSchema(key: LimitKey) {
  return z
    .object({
      limit: z.int(),
      used: z.int().nullable().openapi({ description: "Null where nothing is counted: requests are not stored." }),
      resets_at: Instant.nullable().openapi({
        description: "When `used` begins again at 0; null for what stays in use.",
      }),
    })
    .openapi({ description: DESCRIPTIONS[key] });
}

const Limits = z
  .object({
    plan: z.enum(PLANS),
    limits: z.object(Object.fromEntries(KEYS.map((key) => [LIMIT_NAMES[key], limitSchema(key)]))),
  })
  .openapi("Limits", {
    description:
      "The limits of the user in all workspaces together (`webhooks`: of the active one), with lower ones in a trial, and their present use.",
  });

function presentLimits({ plan, limits, used, hourEndsAt }: UserLimits) {
  const present = (key: LimitKey) => ({
    limit: limits[key],
    used: key in used ? used[key as keyof typeof used] : null,
    resets_at: HOURLY_LIMITS.includes(key) ? toIsoInstant(hourEndsAt) : null,
  });
  return { plan, limits: Object.fromEntries(KEYS.map((key) => [LIMIT_NAMES[key], present(key)])) };
}

const EXAMPLE_USE = {
  accounts: 1,
  workspaces: 1,
  apiKeys: 1,
  connectedApps: 0,
  scheduledPosts: 1,
  storageBytes: EXAMPLE_MEDIA_ITEM.size_bytes,
  draftBytes: 0,
  webhooks: 1,
  previewsPerHour: 1,
  textBytesPerHour: 0,
  mediaFetchesPerHour: 1,
  mediaFetchesPerHostPerHour: 1,
};

const route = operation(null, {
  method: "get",
  path: "/limits",
  operationId: "getLimits",
  tags: ["platforms"],
  summary: "Read your limits and their use",
  description:
    "What the user's plan allows in all workspaces together, and how much of it is in use. A call over a limit is refused, naming limit and use: with 403 `account_limit_reached` for `accounts`, `storage_limit_reached` for `media_bytes`, `plan_required` for a second workspace where the plan has one, and `quota_exceeded` for every other limit of what is kept; with 429 `rate_limited` and `Retry-After` for the limits per hour (`details` has `quota_exceeded` with the limit's name) and per minute. Needs any valid credential and no scope.",
  responses: success(
    200,
    "The limits.",
    Limits,
    presentLimits({
      plan: "growth",
      limits: PLAN_LIMITS.growth,
      used: EXAMPLE_USE,
      hourEndsAt: Date.UTC(2026, 10, 20, 10),
    }),
  ),
});

export const list = newRouter().openapi(route, async (c) => c.json(presentLimits(await listLimits(c.get("ctx"))), 200));
