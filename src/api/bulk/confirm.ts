import { confirmBulk } from "#confirming/index.ts";
import { getPosts } from "#posts/index.ts";
import type { LargeResponse } from "#api/idempotency.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_SCHEDULED_BULK, presentScheduledBulk, ScheduledBulk } from "#wire/schemas/bulk.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { ConfirmBody, EXAMPLE_CONFIRM_BODY } from "#wire/schemas/preview.ts";

interface Reference {
  readonly workspaceId: string;
  readonly rows: readonly (readonly [id: string, row: number])[];
  readonly planHash: string;
}

const bulkByReference: LargeResponse = {
  toReference({ actor }, body) {
    const { posts, plan_hash: planHash } = body as unknown as ScheduledBulk;
    return { workspaceId: actor.workspaceId, rows: posts.map(({ id, row }) => [id, row]), planHash };
  },
  async rebuild(ctx, reference) {
    const { workspaceId, rows, planHash } = reference as unknown as Reference;
    const rowOf = new Map(rows);
    const posts = await getPosts(ctx, { workspaceId, ids: [...rowOf.keys()] });
    const confirmed = { posts: posts.map((post) => ({ ...post, row: rowOf.get(post.id) ?? 0 })), planHash };
    return presentScheduledBulk(confirmed);
  },
};

const route = operation("posts:write", {
  method: "post",
  path: "/posts/bulk/confirm",
  operationId: "confirmBulk",
  largeResponse: bulkByReference,
  summary: "Schedule many previewed posts",
  description:
    "Schedules all posts of a bulk preview or none: when an account or a file of one of them is gone, nothing is written, and `row` in `details` names the posts. The answer has ids and times; read the posts with `GET /posts/{id}`. Otherwise as `POST /posts/confirm`.",
  request: { body: jsonBody(ConfirmBody, EXAMPLE_CONFIRM_BODY) },
  responses: success(200, "Posts scheduled.", ScheduledBulk, EXAMPLE_SCHEDULED_BULK),
});

export const bulkConfirm = newRouter().openapi(route, async (c) => {
  const { confirmation_token: confirmationToken } = c.req.valid("json");
  return c.json(presentScheduledBulk(await confirmBulk(c.get("ctx"), { confirmationToken })), 200);
});
