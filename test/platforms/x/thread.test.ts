import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { JsonValue } from "#core/json.ts";
import type { Job } from "#platforms/contract.ts";
import { x } from "#platforms/x/index.ts";
import { image, job, validationInput, video } from "../../support/adapter-inputs.ts";
import {
  injectFault,
  prepareUntilReady,
  publishedPosts,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
  withCallListener,
} from "../../support/drive-simulator.ts";
import { captionsOf, connectAccount, PARTS, publishedThread, threadOf } from "../../support/thread-content.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";

/* A thread on X: each part is a reply to the one before, and none is sent twice. */

let clock = Date.parse("2033-05-01T09:00:00Z");
beforeEach(() => {
  clock += 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("x", { field_names: null, verify_lag_ms: 0 });
});

const CALLS = Array.from({ length: PARTS }, (_, index) => index);

function repliesOf(posts: readonly { readonly id: string; readonly options: unknown }[]) {
  return posts.map(
    ({ options }) => (options as { reply?: { in_reply_to_tweet_id: string } }).reply?.in_reply_to_tweet_id,
  );
}

describe("a thread of eight parts", () => {
  test("is published part by part, each a reply to the one before", async ({ expect }) => {
    const account = await connectAccount(x, {});
    const captions = captionsOf("Whole");
    const begun = Date.now();
    const result = await publishUntilSettled(x, account, threadOf(captions));
    const posts = await publishedThread(x, account, "Whole");
    expect(posts.map(({ text }) => text)).toEqual(captions);
    expect(repliesOf(posts)).toEqual([undefined, ...posts.slice(0, -1).map(({ id }) => id)]);
    expect(result).toMatchObject({ state: "published", remoteId: posts[0]?.id, publishedAt: begun });
    expect(result.steps.filter((step) => step === "commit:more")).toHaveLength(PARTS - 1);
  });

  test.for(CALLS.flatMap((call) => (["drop_after", "drop_before"] as const).map((effect) => [call, effect] as const)))(
    "whose call %i is lost (%s) is published once and in order",
    async ([call, effect], { expect }) => {
      const account = await connectAccount(x, {});
      const name = `Lost ${call} ${effect}`;
      let sent = 0;
      const lose = () => injectFault(x, { match: { method: "POST", path: "/2/tweets" }, times: 1, effect });
      const result = await withCallListener(
        async (request) => {
          if (request.method === "POST" && new URL(request.url).pathname === "/2/tweets" && ++sent === call) {
            await lose();
          }
        },
        () => publishUntilSettled(x, account, threadOf(captionsOf(name)), call === 0 ? lose : undefined),
      );
      const posts = await publishedThread(x, account, name);
      expect(posts.map(({ text }) => text)).toEqual(captionsOf(name));
      expect(repliesOf(posts)).toEqual([undefined, ...posts.slice(0, -1).map(({ id }) => id)]);
      expect(result).toMatchObject({ state: "published", remoteId: posts[0]?.id });
    },
  );

  test.for(["post", "tweet"])(
    "finds a lost part where X knows the field names of %s only",
    async (names, { expect }) => {
      await changeSettings("x", { field_names: names });
      const account = await connectAccount(x, {});
      const name = `Named ${names}`;
      const captions = captionsOf(name).with(3, `${name}, part 4 #sim-503-after`);
      const result = await publishUntilSettled(x, account, threadOf(captions));
      expect(await publishedThread(x, account, name)).toHaveLength(PARTS);
      expect(result.state).toBe("published");
    },
  );

  test("of which X refuses a part stops there", async ({ expect }) => {
    const account = await connectAccount(x, {});
    const captions = captionsOf("Refused").with(2, "Refused #sim-duplicate");
    const result = await publishUntilSettled(x, account, threadOf(captions));
    expect(result).toMatchObject({ state: "failed", fault: { code: "duplicate_content" } });
    expect(await publishedThread(x, account, "Refused")).toHaveLength(2);
  });

  test("goes on after what is public", async ({ expect }) => {
    const account = await connectAccount(x, {});
    const captions = captionsOf("Going on");
    const client = simulatedClient(x);
    const first = job({ account, ...threadOf(captions), now: Date.now() });
    const outcome = await x.commit(client, first, await prepareUntilReady(x, first));
    const progress = outcome.state === "more" ? outcome.progress : null;
    const next = { ...first, progress };
    expect(await x.commit(client, next, await prepareUntilReady(x, next))).toMatchObject({ state: "more" });
    expect(await publishedThread(x, account, "Going on")).toHaveLength(2);
  });
});

describe("a thread with media in its parts", () => {
  /** Image, images with a description and without a text, none, video. */
  async function mediaOfParts() {
    const [portrait, square] = await Promise.all([sampleMedia("portrait.jpg"), sampleMedia("square.png")]);
    return [[portrait], [square, { ...portrait, altText: "A portrait" }], [], [await sampleMedia("portrait.mp4")]];
  }
  const contentOf = async (name: string) => ({
    ...threadOf([`${name} 1`, `${name} 2`, "", `${name} 4`, `${name} 5`]),
    partMedia: await mediaOfParts(),
  });

  test.for([
    ["is published with them", 0, "drop_after"],
    ["is published once where the answer to the second part is lost", 2, "drop_after"],
    ["is published once where the second part is lost on the way", 2, "drop_before"],
    ["is published once where the answer to the part without a text is lost", 3, "drop_after"],
    ["is published once where the answer to the last part is lost", 5, "drop_after"],
  ] as const)("%s", async ([name, call, effect], { expect }) => {
    const account = await connectAccount(x, {});
    const content = await contentOf(name);
    const before = (await publishedPosts(x, account.platformAccountId)).length;
    let sent = 0;
    const lose = () => injectFault(x, { match: { method: "POST", path: "/2/tweets" }, times: 1, effect });
    const result = await withCallListener(
      async (request) => {
        // The last call before the create of a part: nothing is lost of what is uploaded.
        if (request.method === "POST" && new URL(request.url).pathname === "/2/tweets" && ++sent === call - 1) {
          await lose();
        }
      },
      () => publishUntilSettled(x, account, content),
    );
    expect(result.state).toBe("published");
    const posts = (await publishedPosts(x, account.platformAccountId)).slice(before);
    expect(posts.map(({ text }) => text)).toEqual([content.caption, `${name} 2`, "", `${name} 4`, `${name} 5`]);
    expect(repliesOf(posts)).toEqual([undefined, ...posts.slice(0, -1).map(({ id }) => id)]);
    expect(posts.map(({ media }) => media.map(({ sha256 }) => sha256))).toEqual([
      [],
      ...content.partMedia.map((items) => items.map(({ sha256 }) => sha256)),
    ]);
    expect(posts[2]?.options).toMatchObject({ alt_texts: [null, "A portrait"] });
  });

  test("without a journal is found with its media, and goes on with an upload", async ({ expect }) => {
    const account = await connectAccount(x, {});
    const content = await contentOf("Journal");
    const client = simulatedClient(x);
    const first = { ...job({ account, ...threadOf(["Journal 1", "Journal 2", "Journal 3"]), now: Date.now() }) };
    const post = { ...first, partMedia: content.partMedia };
    const outcome = await x.commit(client, post, await prepareUntilReady(x, post));
    expect(outcome).toMatchObject({ state: "more", prepareFirst: true });
    const next = { ...post, progress: outcome.state === "more" ? outcome.progress : null };
    await x.commit(client, next, await prepareUntilReady(x, next));
    const lost = (seconds: number, from: number): Job => {
      vi.setSystemTime(from + seconds * 1000);
      return { ...post, progress: null, committedAt: first.now, lastCommittedAt: first.now, now: Date.now() };
    };
    const begun = Date.now();
    const missing = await x.verify(client, lost(60, begun), null);
    const ref = missing.state === "again" ? (missing.ref ?? null) : null;
    expect(await x.verify(client, lost(121, begun), ref)).toMatchObject({
      state: "more",
      prepareFirst: true,
      progress: { thread: [{}, {}] },
    });
  });
});

describe("a part whose answer was lost", () => {
  async function lostSecondPart(name: string): Promise<{ next: Job; ref: JsonValue }> {
    const account = await connectAccount(x, {});
    const first = job({ account, ...threadOf(captionsOf(name)), now: Date.now() });
    const outcome = await x.commit(simulatedClient(x), first, await prepareUntilReady(x, first));
    if (outcome.state !== "more") {
      throw new Error(outcome.state);
    }
    const { progress, ref } = outcome;
    return { next: { ...first, progress, committedAt: Date.now(), lastCommittedAt: Date.now() }, ref };
  }
  const at = (post: Job, seconds: number): Job => {
    vi.setSystemTime(post.now + seconds * 1000);
    return { ...post, now: Date.now() };
  };

  test("is absent only after two whole lists that were read a minute apart", async ({ expect }) => {
    const { next, ref } = await lostSecondPart("Absent");
    const client = simulatedClient(x);
    expect(await x.verify(client, at(next, 1), ref)).toMatchObject({ state: "again", afterSeconds: 14 });
    const missing = await x.verify(client, at(next, 20), ref);
    expect(missing).toMatchObject({ state: "again", afterSeconds: 60, isProcessing: false });
    const again = missing.state === "again" ? (missing.ref ?? null) : null;
    expect(await x.verify(client, at(next, 79), again)).toMatchObject({ state: "again" });
    expect(await x.verify(client, at(next, 80), again)).toEqual({ state: "absent" });
  });

  test("is not sent again where another reply of the account is in its place", async ({ expect }) => {
    const { next, ref } = await lostSecondPart("Beside");
    const client = simulatedClient(x);
    const own = {
      ...next,
      options: { thread: [{ caption: "A reply that somebody wrote in the app" }, { caption: "z" }] },
    };
    await x.commit(client, own, ref);
    expect(await x.verify(client, at(next, 20), ref)).toMatchObject({ state: "cannot_tell" });
  });

  test("without a journal is looked for from the first part on, and is sent only after two whole lists", async ({
    expect,
  }) => {
    const { next } = await lostSecondPart("Without");
    const client = simulatedClient(x);
    const lost = { ...next, progress: null };
    const missing = await x.verify(client, at(lost, 60), null);
    expect(missing).toMatchObject({ state: "again", afterSeconds: 60, isProcessing: false });
    const again = missing.state === "again" ? (missing.ref ?? null) : null;
    expect(await x.verify(client, at(lost, 119), again)).toMatchObject({ state: "again" });
    expect(await x.verify(client, at(lost, 120), again)).toMatchObject({
      state: "more",
      progress: { thread: [{ id: expect.any(String) }] },
    });
    const { account } = lost;
    const careful = { ...lost, account: { ...account, app: { ...account.app, settings: { RESEND: "never" } } } };
    expect(await x.verify(client, at(careful, 120), again)).toMatchObject({ state: "cannot_tell" });
  });

  test("without a journal a whole thread is found", async ({ expect }) => {
    const account = await connectAccount(x, {});
    const content = threadOf(captionsOf("Found"));
    const result = await publishUntilSettled(x, account, content);
    const post = job({ account, ...content, now: Date.now(), committedAt: Date.now(), lastCommittedAt: Date.now() });
    expect(await x.verify(simulatedClient(x), at(post, 60), null)).toMatchObject({
      state: "published",
      remoteId: result.state === "published" ? result.remoteId : "",
    });
  });
});

describe("the preview", () => {
  const check = (input: Parameters<typeof validationInput>[0]) => x.validate(validationInput(input));

  test("judges each part like a post of its own", ({ expect }) => {
    const thread = [{ caption: "b".repeat(281) }, { caption: " " }, { caption: "$ABC $DEF" }];
    expect(check({ caption: "a", options: { thread } }).problems).toMatchObject([
      { code: "caption_too_long", param: "platform_options.thread[0].caption", limit: 280, actual: 281 },
      { code: "caption_required", param: "platform_options.thread[1].caption" },
      { code: "too_many_cashtags", param: "platform_options.thread[2].caption" },
    ]);
  });

  test("refuses equal parts, more than 24 and what a part cannot have", ({ expect }) => {
    expect(check({ caption: "Same", options: { thread: [{ caption: "Same " }] } }).problems).toMatchObject([
      { code: "thread_equal_parts", param: "platform_options.thread[0].caption" },
    ]);
    const many = Array.from({ length: 25 }, (_, index) => ({ caption: `part ${index}` }));
    expect(check({ options: { thread: many } }).problems).toMatchObject([
      { code: "option_invalid", param: "platform_options.thread", limit: 24, actual: 25 },
    ]);
    const quote = [{ caption: "b", quote_tweet_url: "20" }];
    expect(check({ options: { thread: quote } }).problems).toMatchObject([
      { code: "option_invalid", param: "platform_options.thread[0]" },
    ]);
  });

  test("judges the media of each part like those of a post", ({ expect }) => {
    const thread = [{ caption: "" }, { caption: "b" }, { caption: "c" }, { caption: "" }];
    const described = image({ altText: "a".repeat(1001) });
    const partMedia = [[image()], [image({ contentType: "image/bmp" }), video()], [described], []];
    expect(check({ caption: "a", options: { thread }, partMedia }).problems).toMatchObject([
      { code: "media_mixed", param: "platform_options.thread[1].media_items" },
      { code: "media_type_unsupported", param: "platform_options.thread[1].media_items[0]" },
      { code: "alt_text_too_long", param: "platform_options.thread[2].media_items[0].alt_text" },
      { code: "caption_required", param: "platform_options.thread[3].caption" },
    ]);
    const long = check({
      caption: "a",
      options: { thread: [{ caption: "b" }] },
      partMedia: [[video({ altText: "A wheel" })]],
    });
    expect(long.warnings).toMatchObject([
      { code: "alt_text_ignored", message: expect.stringContaining("part 2 of the thread: ") },
    ]);
    const cost = check({
      caption: "a",
      options: { thread: [{ caption: "b" }] },
      partMedia: [[image({ altText: "x" })]],
    });
    expect(cost.cost?.amountUsd).toBe(0.035);
  });

  test("sums what the parts cost and warns of nothing: the author may reply to the own post", ({ expect }) => {
    const result = check({ caption: "a", options: { thread: [{ caption: "b" }, { caption: "see example.com" }] } });
    expect(result.cost).toEqual({ amountUsd: 0.23, reason: "creating a post, and 2 replies of its thread" });
    expect(result.warnings).toEqual([]);
  });

  test("leaves what is public as it is", ({ expect }) => {
    const progress = { thread: ["1", "2"].map((id) => ({ id, url: null, at: 1 })) };
    const published = { caption: "a", options: { thread: [{ caption: "b" }, { caption: "c" }] }, media: [], progress };
    const edited = (caption: string, thread: readonly string[], others = {}) =>
      check({ caption, options: { ...others, thread: thread.map((text) => ({ caption: text })) }, published }).problems;
    expect(edited("a", ["b", "new", "more"])).toEqual([]);
    expect(edited("new", ["b", "c"])).toMatchObject([{ code: "part_already_published", param: "caption" }]);
    expect(edited("a", ["new", "c"])).toMatchObject([
      { code: "part_already_published", param: "platform_options.thread[0].caption" },
    ]);
    const pictured = { caption: "b", media_items: [{ url: "https://example.com/a.jpg", id: "0197a000" }] };
    expect(
      check({ caption: "a", options: { thread: [pictured, { caption: "c" }] }, published }).problems,
    ).toMatchObject([{ code: "part_already_published", param: "platform_options.thread[0].media_items" }]);
    expect(edited("a", ["b"], { reply_settings: "verified" })).toMatchObject([
      { code: "part_already_published", param: "platform_options" },
    ]);
  });
});
