import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { JsonValue } from "#core/json.ts";
import type { Job } from "#platforms/contract.ts";
import { threads } from "#platforms/threads/index.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { image, job, validationInput, video } from "../../support/adapter-inputs.ts";
import {
  injectFault,
  logInAtPlatform,
  prepareUntilReady,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
  unwrap,
  withCallListener,
} from "../../support/drive-simulator.ts";
import { captionsOf, connectAccount, PARTS, publishedThread, threadOf } from "../../support/thread-content.ts";

/* A thread on Threads: each part has a container of its own and replies to the one before, and none is sent twice. */

let clock = Date.parse("2034-05-01T09:00:00Z");
beforeEach(() => {
  clock += 2 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("threads", { verify_lag_ms: 0 });
});

const CALLS = Array.from({ length: PARTS }, (_, index) => index);
const PUBLISH = { method: "POST", path: "/v1.0/*/threads_publish" };

function repliesOf(posts: readonly { readonly options: unknown }[]) {
  return posts.map(({ options }) => (options as { reply_to_id?: string }).reply_to_id);
}

describe("a thread of eight parts", () => {
  test("is published part by part, each a reply to the one before", async ({ expect }) => {
    const account = await connectAccount(threads);
    const captions = captionsOf("Whole");
    const result = await publishUntilSettled(threads, account, threadOf(captions));
    const posts = await publishedThread(threads, account, "Whole");
    expect(posts.map(({ text }) => text)).toEqual(captions);
    expect(repliesOf(posts)).toEqual([undefined, ...posts.slice(0, -1).map(({ id }) => id)]);
    expect(result).toMatchObject({ state: "published", remoteId: posts[0]?.id, url: posts[0]?.url });
    expect(result.steps.filter((step) => step === "commit:more")).toHaveLength(PARTS - 1);
    expect(result.steps.filter((step) => step === "prepare:ready")).toHaveLength(PARTS);
  });

  test.for(["drop_after", "drop_before"] as const)(
    "each of whose calls is lost once (%s) is published once and in order",
    async (effect, { expect }) => {
      const account = await connectAccount(threads);
      const name = `Lost ${effect}`;
      let published = 0;
      const lose = (times: number) => injectFault(threads, { match: PUBLISH, times, effect });
      const result = await withCallListener(
        async (request, status) => {
          const isPublished = new URL(request.url).pathname.endsWith("/threads_publish") && status === 200;
          if (isPublished && effect === "drop_before" && ++published < PARTS) {
            await lose(1);
          }
        },
        () =>
          publishUntilSettled(threads, account, threadOf(captionsOf(name)), () =>
            lose(effect === "drop_before" ? 1 : PARTS),
          ),
      );
      const posts = await publishedThread(threads, account, name);
      expect(posts.map(({ text }) => text)).toEqual(captionsOf(name));
      expect(repliesOf(posts)).toEqual([undefined, ...posts.slice(0, -1).map(({ id }) => id)]);
      expect(result).toMatchObject({ state: "published", remoteId: posts[0]?.id });
      expect(result.steps.filter((step) => step === "commit:uncertain")).toHaveLength(PARTS);
    },
  );

  test.for(["drop_after", "drop_before"] as const)(
    "the answer to one of whose containers is lost (%s) is published once",
    async (effect, { expect }) => {
      const account = await connectAccount(threads);
      const name = `Container ${effect}`;
      const match = { method: "POST", path: "/v1.0/*/threads" };
      let isLost = false;
      await withCallListener(
        async (request) => {
          if (!isLost && new URL(request.url).pathname.endsWith("/threads_publish")) {
            isLost = true;
            await injectFault(threads, { match, times: 1, effect });
          }
        },
        () => publishUntilSettled(threads, account, threadOf(captionsOf(name))),
      );
      expect((await publishedThread(threads, account, name)).map(({ text }) => text)).toEqual(captionsOf(name));
    },
  );

  test("goes on after what is public", async ({ expect }) => {
    const account = await connectAccount(threads);
    const client = simulatedClient(threads);
    const first = job({ account, ...threadOf(captionsOf("Going on")), now: Date.now() });
    const outcome = await threads.commit(client, first, await prepareUntilReady(threads, first));
    expect(outcome).toMatchObject({ state: "more", prepareFirst: true });
    const progress = outcome.state === "more" ? outcome.progress : null;
    const next = { ...first, progress };
    expect(await threads.commit(client, next, await prepareUntilReady(threads, next))).toMatchObject({ state: "more" });
    expect(await publishedThread(threads, account, "Going on")).toHaveLength(2);
  });
});

describe("a thread with media in its parts", () => {
  const contentOf = async (name: string) => {
    const [portrait, square] = await Promise.all([sampleMedia("portrait.jpg"), sampleMedia("square.png")]);
    return {
      ...threadOf([`${name} 1`, `${name} 2`, `${name} 3`, `${name} 4`, `${name} 5`]),
      partMedia: [
        [{ ...portrait, altText: "A portrait" }],
        [square, portrait],
        [],
        [await sampleMedia("portrait.mp4")],
      ],
    };
  };

  test.for(["drop_after", "drop_before"] as const)(
    "is published with them, each part once, where each answer is lost (%s)",
    async (effect, { expect }) => {
      const account = await connectAccount(threads);
      const name = `Media ${effect}`;
      const content = await contentOf(name);
      let published = 0;
      const lose = (times: number) => injectFault(threads, { match: PUBLISH, times, effect });
      const result = await withCallListener(
        async (request, status) => {
          const isPublished = new URL(request.url).pathname.endsWith("/threads_publish") && status === 200;
          if (isPublished && effect === "drop_before" && ++published < 5) {
            await lose(1);
          }
        },
        () => publishUntilSettled(threads, account, content, () => lose(effect === "drop_before" ? 1 : 5)),
      );
      expect(result.state).toBe("published");
      const posts = await publishedThread(threads, account, name);
      expect(posts.map(({ text }) => text)).toEqual([content.caption, ...content.options.thread.map((p) => p.caption)]);
      expect(repliesOf(posts)).toEqual([undefined, ...posts.slice(0, -1).map(({ id }) => id)]);
      expect(posts.map(({ media }) => media.map(({ sha256 }) => sha256))).toEqual([
        [],
        ...content.partMedia.map((items) => items.map(({ sha256 }) => sha256)),
      ]);
    },
  );

  test("without a journal a whole thread is found with its media", async ({ expect }) => {
    const account = await connectAccount(threads);
    const content = await contentOf("Found media");
    const dueAt = Date.now();
    const result = await publishUntilSettled(threads, account, content);
    const { partMedia, ...text } = content;
    const post = job({ account, ...text, dueAt, now: Date.now(), committedAt: dueAt, lastCommittedAt: Date.now() });
    vi.setSystemTime(Date.now() + 61_000);
    expect(await threads.verify(simulatedClient(threads), { ...post, partMedia, now: Date.now() }, null)).toMatchObject(
      {
        state: "published",
        remoteId: result.state === "published" ? result.remoteId : "",
      },
    );
  });
});

describe("a part whose answer was lost", () => {
  async function publishFirst(name: string): Promise<{ next: Job; ref: JsonValue }> {
    const account = await connectAccount(threads);
    const first = job({ account, ...threadOf(captionsOf(name)), dueAt: Date.now(), now: Date.now() });
    const outcome = await threads.commit(simulatedClient(threads), first, await prepareUntilReady(threads, first));
    if (outcome.state !== "more") {
      throw new Error(outcome.state);
    }
    const next = { ...first, progress: outcome.progress };
    const ref = await prepareUntilReady(threads, next);
    return { next: { ...next, now: Date.now(), committedAt: Date.now(), lastCommittedAt: Date.now() }, ref };
  }
  const at = (post: Job, seconds: number): Job => {
    vi.setSystemTime(post.now + seconds * 1000);
    return { ...post, now: Date.now() };
  };

  test("is known to be public from its container, and its id comes from the conversation", async ({ expect }) => {
    const { next, ref } = await publishFirst("Named");
    const client = simulatedClient(threads);
    await threads.commit(client, next, ref);
    const [, part] = await publishedThread(threads, next.account, "Named");
    expect(await threads.verify(client, at(next, 10), ref)).toMatchObject({
      state: "more",
      prepareFirst: true,
      progress: { thread: [{}, { id: part?.id }] },
    });
  });

  test("stops the thread where Threads does not tell its id", async ({ expect }) => {
    const { next, ref } = await publishFirst("Unnamed");
    await threads.commit(simulatedClient(threads), next, ref);
    await changeSettings("threads", { verify_lag_ms: 3_600_000 });
    const client = simulatedClient(threads);
    expect(await threads.verify(client, at(next, 60), ref)).toMatchObject({ state: "again", isProcessing: true });
    expect(await threads.verify(client, at(next, 301), ref)).toMatchObject({ state: "cannot_tell" });
  });

  test("without a journal is looked for from the first part on, and the thread goes on after two looks", async ({
    expect,
  }) => {
    const { next } = await publishFirst("Without");
    const client = simulatedClient(threads);
    const lost = { ...next, progress: null };
    const missing = await threads.verify(client, at(lost, 61), null);
    expect(missing).toMatchObject({ state: "again", afterSeconds: 60, isProcessing: false });
    const again = missing.state === "again" ? (missing.ref ?? null) : null;
    expect(await threads.verify(client, at(lost, 120), again)).toMatchObject({ state: "again" });
    expect(await threads.verify(client, at(lost, 122), again)).toMatchObject({
      state: "more",
      prepareFirst: true,
      progress: { thread: [{ url: expect.stringContaining("/post/") }] },
    });
  });

  test("without a journal a whole thread is found", async ({ expect }) => {
    const account = await connectAccount(threads);
    const content = threadOf(captionsOf("Found"));
    const dueAt = Date.now();
    const result = await publishUntilSettled(threads, account, content);
    const post = job({ account, ...content, dueAt, now: Date.now(), committedAt: dueAt, lastCommittedAt: Date.now() });
    expect(await threads.verify(simulatedClient(threads), at(post, 61), null)).toMatchObject({
      state: "published",
      remoteId: result.state === "published" ? result.remoteId : "",
      progress: { thread: CALLS.map(() => ({ id: expect.any(String) })) },
    });
  });
});

describe("the preview", () => {
  const check = (input: Parameters<typeof validationInput>[0]) => threads.validate(validationInput(input));

  test("judges each part like a post of its own", ({ expect }) => {
    const links = [1, 2, 3, 4, 5, 6].map((index) => `https://example.com/${index}`).join(" ");
    const thread = [{ caption: "b".repeat(501) }, { caption: " " }, { caption: links }, { caption: "c".repeat(490) }];
    const { problems, warnings } = check({ caption: "a", options: { thread } });
    expect(problems).toMatchObject([
      { code: "caption_too_long", param: "platform_options.thread[0].caption", limit: 500, actual: 501 },
      { code: "caption_required", param: "platform_options.thread[1].caption" },
      { code: "too_many_links", param: "platform_options.thread[2].caption" },
    ]);
    expect(warnings).toMatchObject([
      { code: "caption_near_limit", message: expect.stringContaining("part 5 of the thread") },
    ]);
  });

  test("judges the media of each part like those of a post", ({ expect }) => {
    const thread = [{ caption: "" }, { caption: "b" }];
    const partMedia = [[image()], [image({ contentType: "image/webp" }), video({ facts: { moovFirst: false } })]];
    const { problems, warnings } = check({ caption: "a", options: { thread }, partMedia });
    expect(problems).toMatchObject([
      { code: "media_type_unsupported", param: "platform_options.thread[1].media_items[0]" },
    ]);
    expect(warnings).toMatchObject([
      { code: "media_layout", message: expect.stringContaining("part 3 of the thread: media_items[1]") },
    ]);
  });

  test("leaves what is public as it is", ({ expect }) => {
    const published = {
      caption: "a",
      options: { thread: [{ caption: "b" }] },
      media: [],
      progress: { thread: [{ id: "1", url: null, at: 1 }] },
    };
    const edited = (caption: string) =>
      check({ caption, options: { thread: [{ caption: "new" }] }, published }).problems;
    expect(edited("a")).toEqual([]);
    expect(edited("new")).toMatchObject([{ code: "part_already_published", param: "caption" }]);
  });
});

describe("the login", () => {
  test("of a user who declined replies does not have the right for threads", async ({ expect }) => {
    const scopesOf = async (consent: Record<string, string>) => {
      const login = await logInAtPlatform(threads, "ada", undefined, consent);
      return unwrap(await login.exchange(login.params)).tokens.scopes;
    };
    expect(await scopesOf({})).toContain("threads_manage_replies");
    expect(await scopesOf({ untick: "threads_manage_replies" })).not.toContain("threads_manage_replies");
  });
});
