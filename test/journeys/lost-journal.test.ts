import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { MINUTE } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  connectInBrowser,
  createUniqueFile,
  killAfterCall,
  type MediaItem,
  publishedPosts,
  readPost,
  runAlarmsUntilIdle,
  runCron,
  schedulePost,
  uploadFile,
  useJourneyClock,
} from "./journey-driver.ts";
import { postKindsOf } from "./post-kinds.ts";

/* The storage of a post's Durable Object is lost right after the visible call, before its outcome was written anywhere. */

useJourneyClock("2034-03-01T09:00:00Z");

/** Why the first kind of post of a platform cannot be looked up without its journal. */
const CANNOT_LIST: Partial<Record<Platform, string>> = { linkedin: "a member's posts cannot be read by apps" };

/** Where a post needs several visible calls, it is lost after the only one. */
const ONE_CALL_OPTIONS: Partial<Record<Platform, object>> = { pinterest: { board_ids: ["549755885175"] } };

afterEach(() => {
  setFailpointHook(undefined);
});

const stubOf = (postId: string) => env.POSTS.get(env.POSTS.idFromName(postId));

describe.each(PLATFORMS)("%s", (platform) => {
  const [kind] = postKindsOf(platform);

  test(
    "a journal lost after the visible call ends published, once and with its id",
    { timeout: 30_000 },
    async ({ expect }) => {
      const caller = await createCaller();
      const { accounts } = await connectInBrowser(caller, platform);
      const account = accounts.find(({ display_name: name }) => name === kind.accountName) ?? accounts[0]!;
      const media_items: MediaItem[] = [];
      for (const name of kind.files) {
        media_items.push(await uploadFile(caller, await createUniqueFile(name)));
      }
      const caption = `Lost and found, ${crypto.randomUUID()}`;
      const { post } = await schedulePost(caller, {
        caption,
        media_items,
        targets: [{ account_id: account.id, platform_options: { ...kind.options, ...ONE_CALL_OPTIONS[platform] } }],
      });
      expect(await killAfterCall(post)).toBe(1);
      await runInDurableObject(stubOf(post.id), async (_, { storage }) => {
        await storage.deleteAll();
      });

      vi.setSystemTime(Date.now() + 10 * MINUTE);
      await runCron();
      await runAlarmsUntilIdle([post]);
      const [target] = (await readPost(caller, post.id)).targets;
      const published = (await publishedPosts(platform)).filter(({ text }) => text.startsWith(caption));
      expect(published).toHaveLength(1);
      expect(target, JSON.stringify(target?.error)).toMatchObject(
        CANNOT_LIST[platform] === undefined
          ? { status: "published", platform_post_id: published[0]?.id }
          : { status: "unconfirmed", platform_post_id: null },
      );
    },
  );
});
