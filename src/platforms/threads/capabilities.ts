import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, PlatformClient, Result } from "#platforms/contract.ts";
import { succeeded } from "#platforms/fault.ts";
import { readPublishingLimit } from "#platforms/publishing-limit.ts";
import { toFault } from "./errors.ts";
import { publishingLimitUrl } from "./hosts.ts";

/** The number of posts that Threads allows this account. */
export async function fetchCapabilities(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const url = publishingLimitUrl(account.app, account.platformAccountId);
  const limit = await readPublishingLimit(client, url, account.accessToken, toFault);
  return limit.ok ? succeeded({ ...account.capabilities, publishingLimit: limit.value }) : limit;
}
