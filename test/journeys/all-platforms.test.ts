import { afterEach, describe, test, vi } from "vitest";
import { DAY } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  type Account,
  publishedPosts,
  connectInBrowser,
  createUniqueFile,
  runAlarmsUntilIdle,
  readPost,
  schedulePost,
  uploadFile,
  revokeAtPlatform,
} from "./journey-driver.ts";

const OPTIONS: Partial<Record<Platform, Readonly<Record<string, unknown>>>> = {
  youtube: { title: "A bowl for everybody" },
  pinterest: { board_ids: ["549755885175"] },
};

interface Rules {
  readonly platform: Platform;
  readonly media: { readonly videos: object | null };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("one video on every platform that accepts videos", () => {
  test("is published everywhere; revoked access fails only its own target", { timeout: 60_000 }, async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2035-03-01T09:00:00Z") });
    const caller = await createCaller();
    const { body: rules } = await callApi(caller, { method: "GET", path: "/platforms" });
    const platforms: readonly Platform[] = rules.platforms.flatMap((rule: Rules) =>
      rule.media.videos === null ? [] : [rule.platform],
    );
    expect(platforms.length).toBeGreaterThanOrEqual(8);
    const accounts: Account[] = [];
    for (const platform of platforms) {
      accounts.push((await connectInBrowser(caller, platform)).accounts[0]!);
    }
    const file = await createUniqueFile("landscape.mp4");
    const body = (caption: string, media: unknown) => ({
      caption,
      media_items: [media],
      targets: accounts.map(({ id, platform }) => ({
        account_id: id,
        caption: `${caption} at ${platform}`,
        platform_options: OPTIONS[platform] ?? {},
      })),
    });
    const { post } = await schedulePost(caller, body("Fired today", await uploadFile(caller, file)));
    await runAlarmsUntilIdle([post]);
    const published = await readPost(caller, post.id);
    expect(published.targets.map((target) => [target.status, target.error])).toEqual(
      platforms.map(() => ["published", null]),
    );
    expect(published.status).toBe("published");
    for (const platform of platforms) {
      const entry = (await publishedPosts(platform)).at(-1);
      expect(entry, platform).toMatchObject({
        text: `Fired today at ${platform}`,
        media: [{ type: "video", sha256: file.sha256 }],
      });
    }

    vi.setSystemTime(Date.now() + DAY);
    const { post: next } = await schedulePost(caller, body("Fired again", await uploadFile(caller, file)));
    const revoked = accounts.find((account) => account.platform === "threads")!;
    await revokeAtPlatform("threads", revoked.platform_account_id);
    await runAlarmsUntilIdle([next]);
    const partly = await readPost(caller, next.id);
    expect(partly.status).toBe("partially_failed");
    for (const target of partly.targets) {
      expect(target).toMatchObject(
        target.account_id === revoked.id
          ? { status: "failed", error: { category: "auth", who_must_act: "user" } }
          : { status: "published", error: null },
      );
    }
  });
});
