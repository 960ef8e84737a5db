import { z } from "@hono/zod-openapi";
import { type PlatformResponse, isOk, parseBody } from "./response.ts";
import type { Fault, PlatformClient, Result } from "./contract.ts";
import { failed, succeeded, temporary } from "./fault.ts";
import { graphGet } from "./graph-api.ts";
import type { PublishingLimit } from "./own-cap.ts";

/*
 * How many posts an account may publish through the API within a rolling window. Meta's pages name different numbers for the
 * same platform, and an account can have its own, so the service reads the number of each account.
 */

const LimitResponse = z.looseObject({
  data: z
    .array(z.looseObject({ config: z.looseObject({ quota_total: z.int(), quota_duration: z.int().positive() }) }))
    .min(1),
});

/**
 * Reads the limit. The call needs the permission to publish, so its refusal also shows that this permission is missing.
 * `fields` names `config`.
 */
export async function readPublishingLimit(
  client: PlatformClient,
  url: string,
  token: string,
  toFault: (response: PlatformResponse) => Fault,
  fields = "quota_usage,config",
): Promise<Result<PublishingLimit>> {
  const response = await graphGet(client, url, token, { fields });
  const [limit] = (isOk(response) ? parseBody(LimitResponse, response)?.data : undefined) ?? [];
  if (limit) {
    return succeeded({ total: limit.config.quota_total, windowSeconds: limit.config.quota_duration });
  }
  return failed(
    isOk(response)
      ? temporary("The platform did not return the account's publishing limit.", { httpStatus: response.status })
      : toFault(response),
  );
}
