import type { Context } from "#context.ts";
import { makeToken, storePlan, tokenLifetime } from "#confirming/token/confirmation-token.ts";
import { atSlot } from "#planning/slots/at-slot.ts";
import type { EditInput, EditPreview } from "#planning/plan/types.ts";
import type { PreviewResult } from "#confirming/token/types.ts";
import { assessEdit } from "#planning/edit/assess-edit.ts";

/** Previews an edit of several posts and stores the plan for the confirm; the posts are not changed. */
export async function previewEdit(ctx: Context, given: EditInput): Promise<PreviewResult<EditPreview>> {
  const input = await atSlot(ctx, given, { posts: given.postIds });
  const { posts, dependencies, request, now } = await assessEdit(ctx, input, { counts: true });
  const { userId, workspaceId } = ctx.actor;
  const lifetime = tokenLifetime(now);
  const { token: confirmationToken, ...key } = await makeToken(ctx, now);
  await storePlan(ctx, key, {
    kind: "edit",
    userId,
    workspaceId,
    ...lifetime,
    dependencies,
    posts: posts.map(({ update }) => update),
    request,
    ...(input.slot && { slots: posts.map(({ update }) => update.scheduledAt) }),
  });
  return {
    preview: { action: "edit", posts: posts.map(({ preview }) => preview) },
    confirmationToken,
    expiresAt: lifetime.expiresAt,
  };
}
