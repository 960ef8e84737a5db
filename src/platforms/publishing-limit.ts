import { z } from "@hono/zod-openapi";
import { type PlatformResponse, readBody } from "./response.ts";
import type { Fault, PlatformClient, Result } from "./contract.ts";
import { succeeded } from "./fault.ts";
import { graphGet } from "./graph-api.ts";
import type { PublishingLimit } from "./own-cap.ts";

/* How many posts an account may publish through the API within a rolling window. Meta's pages name different numbers
   for the same platform, and an account can have its own. So the service reads each account's number. */

const Limit = z.looseObject({
  config: z.looseObject({ quota_total: z.int(), quota_duration: z.int().positive() }),
});
const LimitResponse = z.looseObject({ data: z.tuple([Limit], Limit) });

/**
 * Reads the publishing limit of an account. The call needs the permission to publish, so a refusal shows that this
 * permission is missing. `fields` must name `config`.
 */
export async function readPublishingLimit(
  client: PlatformClient,
  url: string,
  token: string,
  toFault: (response: PlatformResponse) => Fault,
  fields = "quota_usage,config",
): Promise<Result<PublishingLimit>> {
  const response = await graphGet(client, url, token, { fields });
  const missing = "The platform did not return the account's publishing limit.";
  const limits = readBody(LimitResponse, response, missing, toFault);
  if (!limits.ok) {
    return limits;
  }
  const [{ config }] = limits.value.data;
  return succeeded({ total: config.quota_total, windowSeconds: config.quota_duration });
}
