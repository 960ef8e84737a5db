import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { listAttempts } from "#posting/index.ts";
import { NOT_FOUND } from "#api/document/error-responses.ts";
import { newRouter, operation } from "#api/operation.ts";
import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_PLATFORM,
  Id,
  IdInPath,
  Instant,
  instantOrNull,
  PlatformName,
} from "#wire/schemas/common.ts";
import { json } from "#wire/schemas/content.ts";

const Attempt = z
  .object({
    account_id: Id,
    platform: PlatformName,
    at: Instant,
    step: z.string(),
    outcome: z.string(),
    http_status: z.int().nullable(),
    platform_code: z.string().nullable(),
    message: z.string().nullable(),
    next_attempt_at: Instant.nullable(),
  })
  .openapi("Attempt", { description: "One step of publishing and its result." });

const AttemptList = z.object({ attempts: z.array(Attempt) }).openapi("AttemptList");

const route = operation("posts:read", {
  method: "get",
  path: "/posts/{id}/attempts",
  operationId: "listAttempts",
  tags: ["posts"],
  summary: "List publishing attempts",
  description: "The publishing attempts for each target of the post and their results, oldest first.",
  request: { params: IdInPath },
  responses: {
    200: {
      description: "The attempts.",
      content: json(AttemptList, {
        attempts: [
          {
            account_id: EXAMPLE_ACCOUNT_ID,
            platform: EXAMPLE_PLATFORM,
            at: "2026-12-24T18:00:00.104Z",
            step: "commit",
            outcome: "published",
            http_status: 200,
            platform_code: null,
            message: null,
            next_attempt_at: null,
          },
        ],
      }),
    },
    ...NOT_FOUND,
  },
});

export const attempts = newRouter().openapi(route, async (c) => {
  const { id } = c.req.valid("param");
  const listed = await listAttempts(c.var.ctx, { id });
  return c.json(
    {
      attempts: listed.map((attempt) => ({
        account_id: attempt.accountId,
        platform: attempt.platform,
        at: toIsoInstant(attempt.at),
        step: attempt.step,
        outcome: attempt.outcome,
        http_status: attempt.httpStatus,
        platform_code: attempt.platformCode,
        message: attempt.message,
        next_attempt_at: instantOrNull(attempt.nextAttemptAt),
      })),
    },
    200,
  );
});
