import { listAttempts } from "#posts/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { AttemptList, presentAttempt } from "#wire/schemas/attempt.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_PLATFORM, IdInPath } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";

const route = operation("posts:read", {
  method: "get",
  path: "/posts/{id}/attempts",
  operationId: "listAttempts",
  summary: "List publishing attempts",
  description: "The publishing attempts for each target of the post and their results, oldest first.",
  request: { params: IdInPath },
  responses: success(200, "The attempts.", AttemptList, {
    attempts: [
      {
        account_id: EXAMPLE_ACCOUNT_ID,
        platform: EXAMPLE_PLATFORM,
        at: "2026-12-24T18:00:01.041Z",
        step: "commit",
        outcome: "published",
        http_status: 200,
        platform_code: null,
        message: null,
        next_attempt_at: null,
      },
    ],
  }),
});

export const attempts = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const listed = await listAttempts(c.get("ctx"), { id });
  return c.json({ attempts: listed.map(presentAttempt) }, 200);
});
