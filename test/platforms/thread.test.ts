import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { bluesky } from "#platforms/bluesky/index.ts";
import type { AccountAccess, Adapter, Job } from "#platforms/contract.ts";
import { mastodon } from "#platforms/mastodon/index.ts";
import { image, job, validationInput } from "../support/adapter-inputs.ts";
import {
  injectFault,
  prepareUntilReady,
  publishedPosts,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
  withCallListener,
} from "../support/drive-simulator.ts";
import { captionsOf, connectAccount, PARTS, publishedThread, threadOf } from "../support/thread-content.ts";

/* A thread on platforms whose calls can be repeated: each part replies to the one before, and none is published twice. */

let clock = Date.parse("2035-05-01T09:00:00Z");
beforeEach(() => {
  clock += 30 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(() => {
  vi.useRealTimers();
});

interface ThreadCase {
  readonly adapter: Adapter;
  /** The path of the visible call. */
  readonly path: string;
  readonly refusal: string;
  /** The id of the post that a published post answers. */
  readonly replyTo: (options: Readonly<Record<string, unknown>>) => unknown;
  readonly captionMax: number;
}

const CASES: readonly ThreadCase[] = [
  {
    adapter: bluesky,
    path: "/xrpc/com.atproto.repo.createRecord",
    refusal: JSON.stringify({ error: "InvalidRequest", message: "no" }),
    replyTo: ({ reply }) => (reply as { parent: string } | undefined)?.parent,
    captionMax: 300,
  },
  {
    adapter: mastodon,
    path: "/api/v1/statuses",
    refusal: JSON.stringify({ error: "no" }),
    replyTo: ({ in_reply_to_id: id }) => id,
    captionMax: 500,
  },
];

describe.each(CASES)("a thread on $adapter.platform", ({ adapter, path, refusal, replyTo, captionMax }) => {
  const repliesOf = (posts: readonly { readonly options: Readonly<Record<string, unknown>> }[]) =>
    posts.map(({ options }) => replyTo(options));
  const inOrder = (posts: readonly { readonly id: string }[]) => [undefined, ...posts.slice(0, -1).map(({ id }) => id)];
  const isVisibleCall = ({ method, url }: Request) => method === "POST" && new URL(url).pathname === path;
  const inject = (effect: string, more: Record<string, JsonValue> = {}) =>
    injectFault(adapter, { match: { method: "POST", path }, times: 1, effect, ...more });

  /** Publishes while the visible call with this number meets a fault. */
  async function publishWithFault(
    account: AccountAccess,
    content: ReturnType<typeof threadOf>,
    call: number,
    fault: () => Promise<void>,
  ) {
    let sent = 0;
    return await withCallListener(
      async (request) => {
        if (isVisibleCall(request) && ++sent === call) {
          await fault();
        }
      },
      () => publishUntilSettled(adapter, account, content, call === 0 ? fault : undefined),
    );
  }

  test("is published part by part, each a reply to the one before", async ({ expect }) => {
    const account = await connectAccount(adapter);
    const captions = captionsOf("Whole");
    const begun = Date.now();
    const result = await publishUntilSettled(adapter, account, threadOf(captions));
    const posts = await publishedThread(adapter, account, "Whole");
    expect(posts.map(({ text }) => text)).toEqual(captions);
    expect(repliesOf(posts)).toEqual(inOrder(posts));
    expect(result).toMatchObject({
      state: "published",
      remoteId: posts[0]?.id,
      url: posts[0]?.url,
      publishedAt: begun,
    });
    expect(result.steps.filter((step) => step === "commit:more")).toHaveLength(PARTS - 1);
  });

  test.for(
    [0, 1, PARTS - 1].flatMap((call) =>
      (["drop_after", "drop_before"] as const).map((effect) => [call, effect] as const),
    ),
  )("whose call %i is lost (%s) is published once and in order", async ([call, effect], { expect }) => {
    const account = await connectAccount(adapter);
    const name = `Lost ${call} ${effect}`;
    const result = await publishWithFault(account, threadOf(captionsOf(name)), call, () => inject(effect));
    const posts = await publishedThread(adapter, account, name);
    expect(result, JSON.stringify(result)).toMatchObject({ state: "published", remoteId: posts[0]?.id });
    expect(posts.map(({ text }) => text)).toEqual(captionsOf(name));
    expect(repliesOf(posts)).toEqual(inOrder(posts));
  });

  test("of which the platform refuses a part stops there", async ({ expect }) => {
    const account = await connectAccount(adapter);
    const result = await publishWithFault(account, threadOf(captionsOf("Refused")), 2, () =>
      inject("answer", { status: 400, body: refusal }),
    );
    expect(result).toMatchObject({ state: "failed", fault: { kind: "rejected" } });
    expect(await publishedThread(adapter, account, "Refused")).toHaveLength(2);
  });

  test("with equal parts has both", async ({ expect }) => {
    const account = await connectAccount(adapter);
    const captions = ["Equal", "Equal", "Equal"];
    const before = (await publishedPosts(adapter, account.platformAccountId)).length;
    const result = await publishWithFault(account, threadOf(captions), 1, () => inject("drop_after"));
    expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
    const posts = (await publishedPosts(adapter, account.platformAccountId)).slice(before);
    expect(posts.map(({ text }) => text)).toEqual(captions);
    expect(repliesOf(posts)).toEqual(inOrder(posts));
  });

  test.for([
    ["is published with them", -1],
    ["is published once where the answer to a part with images is lost", 1],
    ["is published once where the answer to the last part is lost", 3],
  ] as const)("with media in its parts %s", async ([what, call], { expect }) => {
    const account = await connectAccount(adapter);
    const [portrait, square] = await Promise.all([sampleMedia("portrait.jpg"), sampleMedia("square.png")]);
    const name = `${what} `;
    const content = {
      ...threadOf([`${name} 1`, `${name} 2`, "", `${name} 4`]),
      partMedia: [[portrait, { ...square, altText: "A square" }], [await sampleMedia("portrait.mp4")], []],
    };
    const before = (await publishedPosts(adapter, account.platformAccountId)).length;
    const result = await publishWithFault(account, content, call, () => inject("drop_after"));
    expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
    const posts = (await publishedPosts(adapter, account.platformAccountId)).slice(before);
    expect(posts.map(({ text }) => text)).toEqual([`${name} 1`, `${name} 2`, "", `${name} 4`]);
    expect(repliesOf(posts)).toEqual(inOrder(posts));
    expect(posts.map(({ media }) => media.map(({ sha256 }) => sha256))).toEqual([
      [],
      ...content.partMedia.map((items) => items.map(({ sha256 }) => sha256)),
    ]);
    expect(JSON.stringify(posts[1]?.options["alt_texts"])).toContain("A square");
  });

  describe("without its journal", () => {
    /** A target of which a lost run published some parts. */
    async function publishParts(name: string, count: number): Promise<{ lost: Job; progress: JsonValue }> {
      const account = await connectAccount(adapter);
      const first = job({ account, ...threadOf(captionsOf(name)), dueAt: Date.now(), now: Date.now() });
      let progress: JsonValue = null;
      for (let part = 0; part < count; part += 1) {
        const next = { ...first, progress, committedAt: Date.now(), now: Date.now() };
        const outcome = await adapter.commit(simulatedClient(adapter), next, await prepareUntilReady(adapter, next));
        progress = outcome.state === "more" ? outcome.progress : null;
      }
      return { lost: { ...first, committedAt: first.now, lastCommittedAt: Date.now() }, progress };
    }

    /** Sends the parts that are missing until an answer is uncertain. */
    async function sendParts(run: { post: Job; ref: JsonValue }): Promise<string> {
      for (;;) {
        const next: Job = { ...run.post, committedAt: Date.now(), lastCommittedAt: Date.now(), now: Date.now() };
        const ref = await prepareUntilReady(adapter, next);
        const sent = await adapter.commit(simulatedClient(adapter), next, ref);
        if (sent.state !== "more") {
          Object.assign(run, { post: next, ref: sent.state === "uncertain" ? (sent.ref ?? ref) : ref });
          return sent.state;
        }
        Object.assign(run, { post: { ...next, progress: sent.progress } });
      }
    }

    /** Runs the target from the look-up on, as the run that takes over does. */
    async function takeOver(lost: Job): Promise<string> {
      const run: { post: Job; ref: JsonValue } = { post: lost, ref: null };
      for (let step = 0; step < 100; step += 1) {
        const found = await adapter.verify(simulatedClient(adapter), { ...run.post, now: Date.now() }, run.ref);
        if (found.state === "again") {
          Object.assign(run, { ref: found.ref ?? run.ref });
          vi.setSystemTime(Date.now() + found.afterSeconds * SECOND);
        } else if (found.state === "more" || found.state === "absent") {
          const { progress } = found.state === "more" ? found : run.post;
          Object.assign(run, { post: { ...run.post, progress } });
          const sent = await sendParts(run);
          if (sent !== "uncertain") {
            return sent;
          }
        } else {
          return found.state;
        }
      }
      throw new Error("no end");
    }

    test.for([0, 1, 3, PARTS])("after %i public parts is completed, each part once", async (count, { expect }) => {
      const name = `Lost journal ${count}`;
      const { lost } = await publishParts(name, count);
      expect(await takeOver(lost)).toBe("published");
      const posts = await publishedThread(adapter, lost.account, name);
      expect(posts.map(({ text }) => text)).toEqual(captionsOf(name));
      expect(repliesOf(posts)).toEqual(inOrder(posts));
    });

    test("goes on after the parts that its row has", async ({ expect }) => {
      const { lost, progress } = await publishParts("Row", 3);
      expect(await takeOver({ ...lost, progress })).toBe("published");
      expect((await publishedThread(adapter, lost.account, "Row")).map(({ text }) => text)).toEqual(captionsOf("Row"));
    });
  });

  describe("in the preview", () => {
    const check = (input: Parameters<typeof validationInput>[0]) => adapter.validate(validationInput(input));

    test("has each part judged like a post of its own", ({ expect }) => {
      const thread = [{ caption: "b".repeat(captionMax + 1) }, { caption: " " }, { caption: "" }];
      const partMedia = [[], [], [image({ contentType: "image/bmp" })]];
      const result = check({ caption: "a", options: { thread }, partMedia });
      expect(result.partLengths).toEqual([captionMax + 1, expect.any(Number), 0]);
      expect(result.problems).toMatchObject([
        { code: "caption_too_long", param: "platform_options.thread[0].caption", limit: captionMax },
        { code: "caption_required", param: "platform_options.thread[1].caption" },
        { code: "media_type_unsupported", param: "platform_options.thread[2].media_items[0]" },
      ]);
    });

    test("may repeat a text, and has at most 24 parts after the first", ({ expect }) => {
      expect(check({ caption: "Same", options: { thread: [{ caption: "Same" }] } }).problems).toEqual([]);
      const many = Array.from({ length: 25 }, (_, index) => ({ caption: `part ${index}` }));
      expect(check({ options: { thread: many } }).problems).toMatchObject([
        { code: "option_invalid", param: "platform_options.thread", limit: 24, actual: 25 },
      ]);
    });

    test("leaves what is public as it is", ({ expect }) => {
      const progress = { thread: [{ id: "1", url: null, at: 1 }] };
      const { options } = check({ caption: "a", options: { thread: [{ caption: "b" }] } });
      const published = { caption: "a", options, media: [], progress };
      const edited = (caption: string) =>
        check({ caption, options: { thread: [{ caption: "new" }] }, published }).problems;
      expect(edited("a")).toEqual([]);
      expect(edited("new")).toMatchObject([{ code: "part_already_published", param: "caption" }]);
    });
  });
});
