import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { AccountAccess, Adapter, JobMedia } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import type { PublishedPost } from "#sandbox/contract.ts";
import {
  logIn,
  publishedPosts,
  publishUntilSettled,
  type PublishResult,
  sandboxCredentials,
  simulatedClient,
} from "./drive-simulator.ts";
import { sampleOf } from "./platform-samples.ts";

/* Publishes a post through an adapter and its simulator, with the account that the recorded calls have. */

export function adapterOf(platform: Platform): Adapter {
  const adapter = adapterFor(platform);
  if (!adapter) {
    throw new Error(`${platform} is not registered`);
  }
  return adapter;
}

/** What every post of the platform needs. */
async function neededOptions(adapter: Adapter, account: AccountAccess): Promise<JsonObject> {
  const boards = await adapter.listBoards?.(simulatedClient(adapter), account);
  const { options } = sampleOf(adapter.platform).post;
  return { ...options, ...(boards?.ok && { board_ids: boards.value.slice(0, 1).map(({ id }) => id) }) };
}

export async function accountOf(adapter: Adapter): Promise<AccountAccess> {
  const { post, recorded } = sampleOf(adapter.platform);
  const settings = { ...sandboxCredentials(adapter).settings, ...(recorded?.settings ?? post.settings) };
  const [account] = (await logIn(adapter, "ada", settings)).accounts;
  if (!account) {
    throw new Error("ada has no account");
  }
  return account;
}

/** Some platforms refuse the same text again. */
let postCount = 0;

export async function publishSample(
  adapter: Adapter,
  media: readonly JobMedia[],
  options: JsonObject = {},
): Promise<{ readonly result: PublishResult; readonly posts: readonly PublishedPost[] }> {
  const account = await accountOf(adapter);
  const before = await publishedPosts(adapter, account.platformAccountId);
  const result = await publishUntilSettled(adapter, account, {
    caption: `Out of the kiln ${(postCount += 1)}`,
    media,
    options: { ...(await neededOptions(adapter, account)), ...options },
  });
  const posts = await publishedPosts(adapter, account.platformAccountId);
  return { result, posts: posts.slice(before.length) };
}
