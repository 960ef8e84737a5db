import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { type Draft as DomainDraft, type DraftSummary as DomainDraftSummary, getDraft } from "#drafts/index.ts";
import type { ApiContext } from "#api/env.ts";
import type { LargeResponse } from "#api/idempotency.ts";
import { PreviewScheduleBody } from "#wire/schemas/schedule-body.ts";
import { toJsonDetail } from "#wire/refusal-body.ts";
import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_DRAFT_ID,
  EXAMPLE_WORKSPACE_ID,
  Id,
  Instant,
  optional,
} from "#wire/schemas/common.ts";
import { Caption } from "#wire/schemas/post-input.ts";
import { ErrorDetail } from "#wire/schemas/error.ts";
import { NULLABLE_SCHEDULED_AT_SCHEMA, ScheduledAtInput } from "#wire/schemas/scheduled-at.ts";
import { toRefusal, type ValidationFailure } from "#wire/validation-refusal.ts";

export const DraftInPath = z.object({
  id: Id.openapi({
    param: { name: "id", in: "path", description: "The draft's id." },
    example: EXAMPLE_DRAFT_ID,
  }),
});

/**
 * The content of a draft: the members of a preview's body. Each may be missing or invalid, because a draft is
 * unfinished.
 */
export const DraftContent = z.object({
  ...PreviewScheduleBody.shape,
  caption: optional(Caption).openapi({ description: "The caption of every target without its own caption." }),
  scheduled_at: optional(ScheduledAtInput).openapi({
    ...NULLABLE_SCHEDULED_AT_SCHEMA,
    description: "When to publish.",
  }),
});

export const DraftVersion = z.int().min(1).openapi({ description: "The version that was read.", example: 1 });

const draftMembers = {
  id: Id,
  workspace_id: Id,
  version: z.int().openapi({ description: "Grows with every change; `PATCH` names the one that was read." }),
};
const timeMembers = {
  created_at: Instant,
  updated_at: Instant,
};

export const Draft = z
  .object({
    ...draftMembers,
    content: z.record(z.string(), z.unknown()).openapi({
      description: "The members of `PreviewScheduleBody` that are set, as they were sent.",
    }),
    problems: z.array(ErrorDetail).openapi({
      description:
        "What of the content is missing or malformed. What only a preview can tell, like the rules of the platforms, is not among them.",
    }),
    ...timeMembers,
  })
  .openapi("Draft", { description: "A post that is not scheduled yet." });

export const DraftSummary = z
  .object({
    ...draftMembers,
    caption: z.string().nullable().openapi({ description: "The first 140 characters; null without a caption." }),
    ...timeMembers,
  })
  .openapi("DraftSummary", { description: "A draft without what is in it." });

export const DraftResponse = z.object({ draft: Draft }).openapi("DraftResponse");

const CONTENT_MEMBERS: ReadonlySet<string> = new Set(Object.keys(PreviewScheduleBody.shape));

/** Picks a preview's members from a body. Unknown members are ignored, as in a preview. */
export function contentOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => CONTENT_MEMBERS.has(name)));
}

export function presentDraft(draft: DomainDraft): z.infer<typeof Draft> {
  const parsed = PreviewScheduleBody.safeParse(draft.content);
  const { details = [] } = parsed.success
    ? {}
    : toRefusal({ target: "json", data: draft.content, error: parsed.error });
  return {
    id: draft.id,
    workspace_id: draft.workspaceId,
    version: draft.version,
    content: draft.content,
    problems: details.map(toJsonDetail),
    created_at: toIsoInstant(draft.createdAt),
    updated_at: toIsoInstant(draft.updatedAt),
  };
}

export function presentDraftSummary(draft: DomainDraftSummary): z.infer<typeof DraftSummary> {
  return {
    id: draft.id,
    workspace_id: draft.workspaceId,
    version: draft.version,
    caption: draft.caption,
    created_at: toIsoInstant(draft.createdAt),
    updated_at: toIsoInstant(draft.updatedAt),
  };
}

/** The body of a request. Validation has already refused a body that is not an object. */
export function bodyOf(c: ApiContext): JsonObject {
  return c.var.body as JsonObject;
}

/** Lets `handle` answer a body whose only invalid members are a draft's content, because drafts may be unfinished. */
export function lenientHook<R>(handle: (c: ApiContext) => Promise<R>) {
  return (
    result: { readonly success: true } | (ValidationFailure & { readonly success: false }),
    c: ApiContext,
  ): Promise<R> | undefined => {
    if (result.success) {
      return undefined;
    }
    const issues =
      result.target === "json"
        ? result.error.issues.filter(({ path: [member] }) => !CONTENT_MEMBERS.has(String(member)))
        : result.error.issues;
    if (issues.length > 0) {
      refuse(toRefusal({ ...result, error: { issues } }));
    }
    return handle(c);
  };
}

/** For responses with a `draft`: a repeated call with the same idempotency key gets the draft in its current state. */
export const draftByReference: LargeResponse = {
  toReference(_, { draft }) {
    return { id: (draft as { readonly id: string }).id };
  },
  async rebuild(ctx, { id }) {
    const draft = await getDraft(ctx, { id: id as string });
    return { draft: presentDraft(draft) as unknown as JsonObject };
  },
};

export const EXAMPLE_DRAFT: z.infer<typeof Draft> = {
  id: EXAMPLE_DRAFT_ID,
  workspace_id: EXAMPLE_WORKSPACE_ID,
  version: 1,
  content: { caption: "The new glaze is here.", account_ids: [EXAMPLE_ACCOUNT_ID] },
  problems: [{ code: "required", message: "scheduled_at is required", param: "scheduled_at" }],
  created_at: "2026-11-20T09:05:00.000Z",
  updated_at: "2026-11-20T09:05:00.000Z",
};
