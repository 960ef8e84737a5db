import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import type { Attempt as DomainAttempt } from "#posts/index.ts";
import { Id, Instant, instantOrNull, PlatformName } from "./common.ts";

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

export const AttemptList = z.object({ attempts: z.array(Attempt) }).openapi("AttemptList");

export function presentAttempt(attempt: DomainAttempt): z.infer<typeof Attempt> {
  return {
    account_id: attempt.accountId,
    platform: attempt.platform,
    at: toIsoInstant(attempt.at),
    step: attempt.step,
    outcome: attempt.outcome,
    http_status: attempt.httpStatus,
    platform_code: attempt.platformCode,
    message: attempt.message,
    next_attempt_at: instantOrNull(attempt.nextAttemptAt),
  };
}
