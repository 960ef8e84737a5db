import { afterEach, describe, test, vi } from "vitest";
import { createCaller } from "../support/create-caller.ts";
import {
  publishedPosts,
  connectInBrowser,
  createUniqueFile,
  runAlarmsUntilIdle,
  readPost,
  schedulePost,
  uploadFile,
} from "./journey-driver.ts";

/* Ids larger than 2^53, which a JavaScript number would round, stay exact end to end. */

afterEach(() => {
  vi.useRealTimers();
});

const isRounded = (id: string): boolean => BigInt(Number(id)) !== BigInt(id);

describe("an id over 2^53", () => {
  test("given by a caller reaches the platform unchanged", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2034-03-01T09:00:00Z") });
    const quoted = "1900000000000000001";
    expect(isRounded(quoted)).toBe(true);
    const caller = await createCaller();
    const { accounts } = await connectInBrowser(caller, "x");
    const { post } = await schedulePost(caller, {
      caption: "Look at this",
      targets: [{ account_id: accounts[0]!.id, platform_options: { quote_tweet_url: quoted } }],
    });
    await runAlarmsUntilIdle([post]);
    expect((await readPost(caller, post.id)).targets[0]?.platform_options["quote_tweet_url"]).toBe(quoted);
    expect((await publishedPosts("x")).at(-1)?.text).toBe(`Look at this https://x.com/i/status/${quoted}`);
  });

  test("that a platform returns as a JSON number is stored and returned unchanged", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2034-04-01T09:00:00Z") });
    const caller = await createCaller();
    const { accounts } = await connectInBrowser(caller, "tiktok");
    const { post } = await schedulePost(caller, {
      caption: "A bowl",
      media_items: [await uploadFile(caller, await createUniqueFile("portrait.mp4"))],
      targets: [{ account_id: accounts[0]!.id }],
    });
    await runAlarmsUntilIdle([post]);
    const [entry] = await publishedPosts("tiktok");
    const [target] = (await readPost(caller, post.id)).targets;
    expect(isRounded(entry!.id)).toBe(true);
    expect(target).toMatchObject({ platform_post_id: entry!.id, platform_post_url: entry!.url });
  });

  test("of an account is not taken from the rounded number in the token response", async ({ expect }) => {
    const { accounts } = await connectInBrowser(await createCaller(), "threads");
    expect(accounts[0]?.platform_account_id).toBe("17841405793187219");
    expect(isRounded("17841405793187219")).toBe(true);
  });
});
