import { afterEach, describe, test, vi } from "vitest";
import { settings } from "../sandbox/help.ts";
import { newCaller } from "../support/user.ts";
import { bookOf, connectInBrowser, freshFile, letTimePass, readPost, schedule, upload } from "./journey-driver.ts";

/* Ids that a JavaScript number would round, on their whole way through. */

afterEach(() => {
  vi.useRealTimers();
});

const isRounded = (id: string): boolean => BigInt(Number(id)) !== BigInt(id);

describe("an id over 2^53", () => {
  test("that a caller gives stands in the platform's book to the last digit", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2034-03-01T09:00:00Z") });
    await settings("x", { access: "enterprise" });
    const quoted = "1900000000000000001";
    expect(isRounded(quoted)).toBe(true);
    const caller = await newCaller();
    const { accounts } = await connectInBrowser(caller, "x");
    const { post } = await schedule(caller, {
      caption: "Look at this",
      targets: [{ account_id: accounts[0]!.id, platform_options: { quote_tweet_url: quoted } }],
    });
    await letTimePass([post]);
    expect((await readPost(caller, post.id)).targets[0]?.platform_options["quote_tweet_url"]).toBe(quoted);
    expect((await bookOf("x")).at(-1)?.options["quote_tweet_id"]).toBe(quoted);
    await settings("x", { access: "self_serve" });
  });

  test("that a platform gives as a bare number comes back as it was", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2034-04-01T09:00:00Z") });
    const caller = await newCaller();
    const { accounts } = await connectInBrowser(caller, "tiktok");
    const { post } = await schedule(caller, {
      caption: "A bowl",
      media_items: [await upload(caller, await freshFile("portrait.mp4"))],
      targets: [{ account_id: accounts[0]!.id }],
    });
    await letTimePass([post]);
    const [entry] = await bookOf("tiktok");
    const [target] = (await readPost(caller, post.id)).targets;
    expect(isRounded(entry!.id)).toBe(true);
    expect(target).toMatchObject({ platform_post_id: entry!.id, platform_post_url: entry!.url });
  });

  test("of an account is not the number that the login answered with", async ({ expect }) => {
    const { accounts } = await connectInBrowser(await newCaller(), "threads");
    expect(accounts[0]?.platform_account_id).toBe("17841405793187219");
    expect(isRounded("17841405793187219")).toBe(true);
  });
});
