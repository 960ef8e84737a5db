import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { isRefreshable } from "#accounts/refresh-and-sync-times.ts";
import { unsealTokens } from "#accounts/tokens/seal-tokens.ts";
import { readConfig } from "#config.ts";
import { HOUR, toIsoInstant } from "#core/clock.ts";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { type PlatformRules, requiredOptions } from "../../scripts/platform-rules.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import { sampleOf } from "../support/platform-samples.ts";
import {
  publishedPosts,
  connectInBrowser,
  createUniqueFile,
  runAlarmsUntilIdle,
  type Post,
  readPost,
  schedulePost,
  uploadFile,
} from "./journey-driver.ts";

/** The strictest platform accepts fifteen posts a day. */
const POSTS = 15;

// Where the refresh token may be rotated: a second refresh with the same token would fail and lose the login.
const WITH_REFRESH_TOKENS = PLATFORMS.filter(
  (platform) =>
    adapterFor(platform)?.connect.tokenRefresh.kind === "refresh" &&
    sampleOf(platform).connect.tokens.refreshToken !== null,
);

afterEach(() => {
  vi.useRealTimers();
});

async function readTokens(accountId: string) {
  const row = await env.DB.prepare(
    `SELECT c.id AS id, c.sealed_tokens AS sealedTokens, c.token_version AS version, c.token_expires_at AS tokenExpiresAt
     FROM accounts a JOIN connections c ON c.id = a.connection_id WHERE a.id = ?`,
  )
    .bind(accountId)
    .first<{ id: string; sealedTokens: string; version: number; tokenExpiresAt: number | null }>();
  return { version: row!.version, tokens: (await unsealTokens({ config: readConfig(env) }, row!))! };
}

test("some platforms have refresh tokens", ({ expect }) => {
  expect(WITH_REFRESH_TOKENS.length).toBeGreaterThanOrEqual(2);
});

describe.each(WITH_REFRESH_TOKENS)("%s", (platform) => {
  test(
    `${POSTS} posts of one account in one second, with an access token that has expired`,
    { timeout: 60_000 },
    async ({ expect, skip }) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2033-03-01T09:00:00Z") });
      const caller = await createCaller();
      const { accounts } = await connectInBrowser(caller, platform);
      const accountId = accounts[0]!.id;
      const before = await readTokens(accountId);
      if (!isRefreshable(adapterFor(platform)!.connect, before.tokens)) {
        skip("this login got no refresh token");
      }
      const get = async (path: string) => (await callApi(caller, { method: "GET", path })).body as unknown;
      const { platforms } = (await get("/platforms")) as { platforms: readonly PlatformRules[] };
      const rules = platforms.find((one) => one.platform === platform)!;
      const options = await requiredOptions(rules, accountId, get);
      const media_items = [];
      for (const name of sampleOf(platform).post.files) {
        media_items.push(await uploadFile(caller, await createUniqueFile(name)));
      }
      const scheduled_at = toIsoInstant((before.tokens.expiresAt ?? Date.now()) + HOUR);
      const posts: Post[] = [];
      for (let number = 0; number < POSTS; number += 1) {
        const targets = [{ account_id: accountId, platform_options: options }];
        posts.push(
          (await schedulePost(caller, { caption: `Number ${number}`, scheduled_at, media_items, targets })).post,
        );
      }

      await runAlarmsUntilIdle(posts);
      const read = await Promise.all(posts.map((post) => readPost(caller, post.id)));
      expect(read.map((post) => post.status)).toEqual(Array.from({ length: POSTS }, () => "published"));
      expect(await publishedPosts(platform)).toHaveLength(POSTS);
      expect((await readTokens(accountId)).version).toBe(before.version + 1);
    },
  );
});
