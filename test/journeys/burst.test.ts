import { afterEach, describe, test, vi } from "vitest";
import { DAY, HOUR, toIsoInstant } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  publishedPosts,
  platformCalls,
  connectInBrowser,
  createUniqueFile,
  runAlarmsUntilIdle,
  type Post,
  readPost,
  schedulePost,
  uploadFile,
} from "./journey-driver.ts";

const POSTS = 50;

interface Burst {
  readonly platform: Platform;
  /** Longer than the lifetime of an access token. */
  readonly aheadMs: number;
  readonly files: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly tokenPath: string;
}

// Both platforms rotate refresh tokens: a second refresh with the same token would fail and lose the login.
const BURSTS: readonly Burst[] = [
  { platform: "x", aheadMs: 3 * HOUR, files: [], options: {}, tokenPath: "/2/oauth2/token" },
  {
    platform: "pinterest",
    aheadMs: 31 * DAY,
    files: ["portrait.jpg"],
    options: { board_ids: ["549755885175"] },
    tokenPath: "/v5/oauth/token",
  },
];

afterEach(() => {
  vi.useRealTimers();
});

describe.each(BURSTS)("$platform", ({ platform, aheadMs, files, options, tokenPath }) => {
  test(
    `${POSTS} posts of one account in one second, with an access token that has expired`,
    { timeout: 60_000 },
    async ({ expect }) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2033-03-01T09:00:00Z") });
      const caller = await createCaller();
      const { accounts } = await connectInBrowser(caller, platform);
      const media_items = [];
      for (const name of files) {
        media_items.push(await uploadFile(caller, await createUniqueFile(name)));
      }
      const scheduled_at = toIsoInstant(Date.now() + aheadMs);
      const captions = Array.from({ length: POSTS }, (_, n) => `Number ${n}`);
      const posts: Post[] = [];
      for (const caption of captions) {
        const targets = [{ account_id: accounts[0]!.id, platform_options: options }];
        posts.push((await schedulePost(caller, { caption, scheduled_at, media_items, targets })).post);
      }
      const since = Date.now() + 1;

      await runAlarmsUntilIdle(posts);
      const read = await Promise.all(posts.map((post) => readPost(caller, post.id)));
      expect(read.map((post) => post.status)).toEqual(Array.from({ length: POSTS }, () => "published"));
      const published = await publishedPosts(platform);
      expect(published.map((entry) => entry.text).toSorted()).toEqual(captions.toSorted());
      const refreshes = (await platformCalls(platform, since)).filter((call) => call.path === tokenPath);
      expect(refreshes.map((call) => call.status)).toEqual([200]);
    },
  );
});
