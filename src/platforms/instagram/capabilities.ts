import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, PlatformClient, Result } from "#platforms/contract.ts";
import { succeeded } from "#platforms/fault.ts";
import { readPublishingLimit } from "#platforms/publishing-limit.ts";
import { toFault } from "./errors.ts";
import { publishingLimitUrl } from "./hosts.ts";

/** The number of posts that Instagram allows this account; read with the login's token, as the reference asks for. */
export async function fetchCapabilities(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const limit = await readPublishingLimit(client, publishingLimitUrl(account), account.loginToken, toFault);
  return limit.ok ? succeeded({ ...account.capabilities, publishingLimit: limit.value }) : limit;
}
