import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { AccountAccess, JobMedia } from "#platforms/contract.ts";
import { x } from "#platforms/x/index.ts";
import { job } from "../../support/adapter-inputs.ts";
import {
  injectFault,
  logIn,
  prepareUntilReady,
  publishedPosts,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
} from "../../support/drive-simulator.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";

let clock = Date.parse("2032-05-01T09:00:00Z");
beforeEach(() => {
  clock += 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("x", {
    field_names: null,
    credits: null,
    credits_status: null,
    long_video: null,
    quote_refusal: null,
    access: null,
  });
});

async function connectAccount(settings: Record<string, string> = {}): Promise<AccountAccess> {
  const [account] = (await logIn(x, "ada", settings)).accounts;
  if (!account) {
    throw new Error("the login has no account");
  }
  return account;
}

describe("a post whose answer was lost", () => {
  test.for(["post", "tweet"])("is found where the API knows the field names of %s only", async (names, { expect }) => {
    await changeSettings("x", { field_names: names });
    const account = await connectAccount();
    const caption = `Lost where only ${names}.fields are known ${"and long ".repeat(40)}`;
    const result = await publishUntilSettled(x, account, { caption }, async () => {
      await injectFault(x, { match: { method: "POST", path: "/2/tweets" }, times: 1, effect: "drop_after" });
    });
    const posts = (await publishedPosts(x, account.platformAccountId)).filter((post) => post.text === caption);
    expect(posts).toHaveLength(1);
    expect(result).toMatchObject({ state: "published", remoteId: posts[0]?.id });
  });
});

describe("a quote", () => {
  test.for([
    ["link", null],
    ["native_then_link", null],
    ["native_then_link", "older"],
  ] as const)(
    "with QUOTE_MODE %s is published where X refuses quotes (wording: %s)",
    async ([mode, wording], { expect }) => {
      await changeSettings("x", { quote_refusal: wording });
      const account = await connectAccount({ QUOTE_MODE: mode });
      const caption = `A quote by ${mode} ${wording}`;
      const options = { quote_tweet_url: "https://x.com/jack/status/20" };
      expect(await publishUntilSettled(x, account, { caption, options })).toMatchObject({ state: "published" });
      const posts = (await publishedPosts(x, account.platformAccountId)).map(({ text }) => text);
      expect(posts.filter((text) => text.startsWith(caption))).toEqual([`${caption} https://x.com/jack/status/20`]);
    },
  );

  test("of an Enterprise app is native, with an id that is no JavaScript number", async ({ expect }) => {
    await changeSettings("x", { access: "enterprise" });
    const account = await connectAccount({ QUOTE_MODE: "native" });
    const options = { quote_tweet_url: "1900000000000000001" };
    const caption = `A native quote ${crypto.randomUUID()}`;
    expect(await publishUntilSettled(x, account, { caption, options })).toMatchObject({ state: "published" });
    expect((await publishedPosts(x, account.platformAccountId)).filter((post) => post.text === caption)).toMatchObject([
      { options: { quote_tweet_id: "1900000000000000001" } },
    ]);
  });

  test("is refused to a self-serve app that only quotes", async ({ expect }) => {
    const options = { quote_tweet_url: "20" };
    const account = await connectAccount({ QUOTE_MODE: "native" });
    expect(await publishUntilSettled(x, account, { caption: "Only a quote", options })).toMatchObject({
      state: "failed",
      fault: { code: "quote_not_allowed" },
    });
  });
});

describe("empty credits", () => {
  test.for([402, 403])(
    "answered with %i wait for the operator and are not the author's fault",
    async (status, { expect }) => {
      await changeSettings("x", { credits: 0, credits_status: status });
      const account = await connectAccount();
      const post = job({ account, caption: `Without credits ${status}`, now: Date.now() });
      expect(await x.commit(simulatedClient(x), post, await prepareUntilReady(x, post))).toMatchObject({
        state: "refused",
        fault: { kind: "rate_limited", code: "credits_depleted", whoMustAct: "operator", retryAfterSeconds: 900 },
      });
    },
  );
});

describe("a video of more than 140 seconds", () => {
  /** The sample video with another duration in its header. */
  async function longVideo(seconds: number): Promise<JobMedia> {
    const small = await sampleMedia("portrait.mp4", { width: 540, height: 960, durationSeconds: seconds });
    const bytes = await new Response(await small.read()).bytes();
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const header = new TextDecoder("latin1").decode(bytes).indexOf("mvhd");
    view.setUint32(header + 20, Math.round(seconds * view.getUint32(header + 16)));
    return {
      ...small,
      read: (range) =>
        Promise.resolve(new Blob([range ? bytes.subarray(range.offset, range.offset + range.length) : bytes]).stream()),
    };
  }

  test("is uploaded in the category that X names for it", async ({ expect }) => {
    const media = [await longVideo(141)];
    expect(await publishUntilSettled(x, await connectAccount(), { caption: "A long video", media })).toMatchObject({
      state: "published",
    });
  });

  test("is uploaded like others where the operator knows that Premium is enough", async ({ expect }) => {
    await changeSettings("x", { long_video: "premium" });
    const account = await connectAccount({ LONG_VIDEO_CATEGORY: "tweet_video" });
    const media = [await longVideo(141)];
    expect(await publishUntilSettled(x, account, { caption: "A long video of Premium", media })).toMatchObject({
      state: "published",
    });
  });
});
