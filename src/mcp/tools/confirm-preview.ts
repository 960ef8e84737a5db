import { inputRequired } from "@modelcontextprotocol/server";
import { z } from "@hono/zod-openapi";
import { RefusalError } from "#core/errors.ts";
import { confirmedLine } from "#mcp/describe/post.ts";
import { type Answer, defineTool } from "#mcp/tool/tool.ts";
import type { Context } from "#context.ts";
import { confirmPreview, repeatUntilVisible } from "#confirming/index.ts";
import { getPosts } from "#posts/index.ts";
import type { Post as DomainPost } from "#posts/index.ts";
import { presentPost } from "#wire/schemas/post.ts";
import { ConfirmBody } from "#wire/schemas/preview.ts";

const ASK = "Look at what would be published and approve or decline it.";

const INPUT = z.object({ confirmation_token: ConfirmBody.shape.confirmation_token });

function confirmed({ actor }: Context, posts: readonly DomainPost[], headline: string, extra: object): Answer {
  const shown = posts.map(presentPost);
  return {
    text: [headline, ...shown.map((post) => confirmedLine(actor.timeZone, post))].join("\n"),
    data: { posts: shown, ...extra },
  };
}

/** Returns the posts of a used token again. The model may have lost the first answer, although the posts exist. */
async function alreadyConfirmed(ctx: Context, error: unknown): Promise<Answer> {
  if (!(error instanceof RefusalError) || error.refusal.code !== "token_already_used") {
    throw error;
  }
  const { workspaceId } = ctx.actor;
  const posts = await getPosts(ctx, { workspaceId, ids: error.refusal.postIds ?? [] });
  const { credential } = ctx.actor;
  const isApproved = credential.kind !== "session" && credential.confirms === "person";
  const headline = isApproved
    ? "A person approved it, so that these posts were written:"
    : "This token was confirmed before; nothing was written again:";
  return confirmed(ctx, posts, headline, { already_confirmed: true });
}

export const confirmPreviewTool = defineTool({
  name: "confirm_preview",
  title: "Confirm a preview",
  description:
    "Schedules or changes exactly what the preview showed. Safe to repeat with the same token. approval_required: give the person the address and stop.",
  scope: "posts:write",
  hints: { destructive: true, idempotent: true, openWorld: true },
  input: () => INPUT,
  async run({ ctx, opensAddresses, isRetry }, { confirmation_token: confirmationToken }) {
    try {
      const result = await repeatUntilVisible(() => confirmPreview(ctx, { confirmationToken }));
      const headline = result.kind === "schedule" ? "Scheduled:" : "Changed:";
      const planHash = result.kind === "schedule" ? { plan_hash: result.planHash } : {};
      return confirmed(ctx, result.posts, headline, { ...planHash, already_confirmed: false });
    } catch (error) {
      const approval = error instanceof RefusalError ? error.refusal.approval : undefined;
      // Send the person to the approval page only once. The client's report of their decision is ignored, because a
      // client could report anything.
      return opensAddresses && !isRetry && approval?.state === "pending"
        ? inputRequired({ inputRequests: { approval: inputRequired.elicitUrl({ message: ASK, url: approval.url }) } })
        : alreadyConfirmed(ctx, error);
    }
  },
});
