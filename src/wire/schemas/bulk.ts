import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import type { ConfirmedBulk as DomainConfirmedBulk } from "#confirming/index.ts";
import type { PreviewedBulk } from "#planning/index.ts";

import { toJsonDetail } from "#wire/refusal-body.ts";
import { Id, Instant } from "./common.ts";
import { ErrorDetail } from "./error.ts";
import { EXAMPLE_POST } from "./post.ts";
import {
  EXAMPLE_CONFIRMATION,
  EXAMPLE_SCHEDULE_PREVIEW,
  presentConfirmation,
  presentSchedulePreview,
  SchedulePreview,
} from "./preview.ts";

const Row = z.int().openapi({ description: "Its place in the request, from 1." });

const PreviewedRow = z
  .object({
    row: Row,
    preview: SchedulePreview.optional(),
    problems: z.array(ErrorDetail).openapi({ description: "Why it is left out; empty for a good post." }),
  })
  .openapi("PreviewedRow", { description: "One post of a bulk request." });

const BulkPreview = z
  .object({
    action: z.literal("bulk"),
    posts: z.array(PreviewedRow).openapi({ description: "In the order of the request." }),
    plan_hash: z
      .string()
      .nullable()
      .openapi({ description: "SHA-256 over the hashes of the good posts; null when all have problems." }),
    next_row: z.int().nullable().openapi({
      description: "The row at which the next part of a table begins, for `from_row`; null when nothing is left.",
    }),
  })
  .openapi("BulkPreview");

export const BulkPreviewResponse = z
  .object({
    preview: BulkPreview,
    confirmation_token: z.string().nullable().openapi({
      description: "For `POST /posts/bulk/confirm`: works once, for this user. Null when no post is good.",
    }),
    expires_at: Instant.nullable(),
    expires_in: z.int().nullable().openapi({ description: "Seconds until the token expires." }),
  })
  .openapi("BulkPreviewResponse");
type BulkPreviewResponse = z.infer<typeof BulkPreviewResponse>;

const NO_CONFIRMATION = { confirmation_token: null, expires_at: null, expires_in: null };

export function presentBulkPreview(
  { preview, confirmation }: PreviewedBulk,
  nextRow: number | null,
): BulkPreviewResponse {
  return {
    preview: {
      action: preview.action,
      posts: preview.posts.map((post) => ({
        row: post.row,
        ...(post.preview && { preview: presentSchedulePreview(post.preview) }),
        problems: post.problems.map(toJsonDetail),
      })),
      plan_hash: preview.planHash,
      next_row: nextRow,
    },
    ...(confirmation ? presentConfirmation(confirmation) : NO_CONFIRMATION),
  };
}

export const EXAMPLE_BULK_PREVIEW: BulkPreviewResponse = {
  preview: {
    action: "bulk",
    posts: [{ row: 1, preview: EXAMPLE_SCHEDULE_PREVIEW, problems: [] }],
    plan_hash: EXAMPLE_POST.plan_hash,
    next_row: null,
  },
  ...EXAMPLE_CONFIRMATION,
};

const ScheduledRow = z
  .object({ id: Id, row: Row, scheduled_at: Instant, plan_hash: z.string() })
  .openapi("ScheduledRow", { description: "One of the posts that were scheduled together." });

export const ScheduledBulk = z
  .object({
    posts: z.array(ScheduledRow),
    plan_hash: z.string().openapi({ description: "Equal to the hash in the preview." }),
  })
  .openapi("ScheduledBulk");
export type ScheduledBulk = z.infer<typeof ScheduledBulk>;

export function presentScheduledBulk({ posts, planHash }: DomainConfirmedBulk): ScheduledBulk {
  return {
    posts: posts.map((post) => ({
      id: post.id,
      row: post.row,
      scheduled_at: toIsoInstant(post.scheduledAt),
      plan_hash: post.planHash,
    })),
    plan_hash: planHash,
  };
}

export const EXAMPLE_SCHEDULED_BULK: ScheduledBulk = {
  posts: [{ id: EXAMPLE_POST.id, row: 1, scheduled_at: EXAMPLE_POST.scheduled_at, plan_hash: EXAMPLE_POST.plan_hash }],
  plan_hash: EXAMPLE_POST.plan_hash,
};
