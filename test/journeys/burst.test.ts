import { afterEach, describe, test, vi } from "vitest";
import { DAY, HOUR, toInstant } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { newCaller } from "../support/user.ts";
import {
  bookOf,
  callsTo,
  connectInBrowser,
  freshFile,
  letTimePass,
  type Post,
  readPost,
  schedule,
  upload,
} from "./journey-driver.ts";

const POSTS = 50;

interface Burst {
  readonly platform: Platform;
  /** Longer than an access token lives. */
  readonly aheadMs: number;
  readonly files: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly tokenPath: string;
}

// Both rotate: of two refreshes with one token, the second would kill the login.
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
      const caller = await newCaller();
      const { accounts } = await connectInBrowser(caller, platform);
      const media_items = [];
      for (const name of files) {
        media_items.push(await upload(caller, await freshFile(name)));
      }
      const scheduled_at = toInstant(Date.now() + aheadMs);
      const captions = Array.from({ length: POSTS }, (_, n) => `Number ${n}`);
      const posts: Post[] = [];
      for (const caption of captions) {
        const targets = [{ account_id: accounts[0]!.id, platform_options: options }];
        posts.push((await schedule(caller, { caption, scheduled_at, media_items, targets })).post);
      }
      const since = Date.now() + 1;

      await letTimePass(posts);
      const read = await Promise.all(posts.map((post) => readPost(caller, post.id)));
      expect(read.map((post) => post.status)).toEqual(Array.from({ length: POSTS }, () => "published"));
      const book = await bookOf(platform);
      expect(book.map((entry) => entry.text).toSorted()).toEqual(captions.toSorted());
      const refreshes = (await callsTo(platform, since)).filter((one) => one.path === tokenPath);
      expect(refreshes.map((one) => one.status)).toEqual([200]);
    },
  );
});
