import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { APPROVAL_STATES, CREATED_VIA, POST_TYPES } from "#core/status.ts";
import type { Approval as DomainApproval } from "#confirming/requests/types.ts";
import { toJsonDetail } from "#wire/refusal-body.ts";
import {
  EXAMPLE_APPROVAL_ID,
  EXAMPLE_ID,
  EXAMPLE_ORIGIN,
  EXAMPLE_PLATFORM,
  EXAMPLE_WORKSPACE_ID,
  Id,
  Instant,
  instantOrNull,
  PlatformName,
} from "./common.ts";
import { ErrorDetail } from "./error.ts";
import { PlannedInstant, presentPlannedTime } from "./scheduled-at.ts";
import { CreatedBy, EXAMPLE_CREATOR, EXAMPLE_POST } from "./post.ts";

const ApprovalState = z.enum(APPROVAL_STATES).openapi("ApprovalState", {
  description:
    "`pending`: waits for a person. `approved`: `post_ids` names what was written. `declined`: `note` has the person's words, if any. `expired`: nobody decided in time. `stale`: it could no longer be written when it was approved; `details` says why. `withdrawn`: taken back, or its credential was revoked. All but `pending` are final.",
});

const ApprovalPost = z
  .object({
    id: Id,
    scheduled_at: PlannedInstant.openapi({ description: "`now`: the time of the approval." }),
    caption: z.string().openapi({ description: "The first 140 characters." }),
    post_type: z.enum(POST_TYPES),
    platforms: z.array(PlatformName),
  })
  .openapi("ApprovalPost", { description: "A post as it would be after the approval." });

export const Approval = z
  .object({
    id: Id,
    workspace_id: Id,
    kind: z.enum(["schedule", "edit", "bulk"]),
    state: ApprovalState,
    url: z.string().openapi({
      format: "uri",
      description: "The page on which the signed-in user decides; no credential can.",
    }),
    plan_hash: z.string().openapi({ description: "SHA-256 of exactly what the user approves." }),
    requested_by: CreatedBy,
    via: z.enum(CREATED_VIA),
    note: z.string().nullable(),
    post_ids: z.array(Id).nullable(),
    details: z.array(ErrorDetail),
    created_at: Instant,
    expires_at: Instant,
    decided_at: Instant.nullable(),
    posts: z.array(ApprovalPost),
  })
  .openapi("Approval", { description: "A previewed plan that a person must approve before it is written." });
type Approval = z.infer<typeof Approval>;

export function presentApproval(approval: DomainApproval): Approval {
  return {
    id: approval.id,
    workspace_id: approval.workspaceId,
    kind: approval.kind,
    state: approval.state,
    url: approval.url,
    plan_hash: approval.planHash,
    requested_by: approval.requestedBy,
    via: approval.via,
    note: approval.note,
    post_ids: approval.postIds === null ? null : [...approval.postIds],
    details: approval.details.map(toJsonDetail),
    created_at: toIsoInstant(approval.createdAt),
    expires_at: toIsoInstant(approval.expiresAt),
    decided_at: instantOrNull(approval.decidedAt),
    posts: approval.posts.map((post) => ({
      id: post.id,
      scheduled_at: presentPlannedTime(post.scheduledAt),
      caption: post.caption,
      post_type: post.postType,
      platforms: [...post.platforms],
    })),
  };
}

export const EXAMPLE_APPROVAL: Approval = {
  id: EXAMPLE_APPROVAL_ID,
  workspace_id: EXAMPLE_WORKSPACE_ID,
  kind: "schedule",
  state: "pending",
  url: `${EXAMPLE_ORIGIN}/approvals/${EXAMPLE_APPROVAL_ID}`,
  plan_hash: EXAMPLE_POST.plan_hash,
  requested_by: EXAMPLE_CREATOR,
  via: "api",
  note: null,
  post_ids: null,
  details: [],
  created_at: EXAMPLE_POST.created_at,
  expires_at: "2026-11-27T09:06:12.000Z",
  decided_at: null,
  posts: [
    {
      id: EXAMPLE_ID,
      scheduled_at: EXAMPLE_POST.scheduled_at,
      caption: EXAMPLE_POST.caption,
      post_type: EXAMPLE_POST.post_type,
      platforms: [EXAMPLE_PLATFORM],
    },
  ],
};
