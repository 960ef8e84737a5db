import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { facebook } from "#platforms/facebook/index.ts";
import { instagram } from "#platforms/instagram/index.ts";
import type { Job } from "#platforms/contract.ts";
import type { PlatformClient } from "#platforms/contract.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { image, job, validationInput } from "../../support/adapter-inputs.ts";
import {
  type ConnectedLogin,
  injectFault,
  logIn,
  prepareUntilReady,
  publishedPosts,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
  unwrap,
} from "../../support/drive-simulator.ts";
import { toPlatformAnswer } from "../../support/platform-answer.ts";

/* The adapter against the simulator's strict readings, and against the others that a setting selects. */

let storyDays = 0;
const PHOTO = { width: 1080, height: 1350 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-02T09:00:00Z") });
});
afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("instagram", { quota: null, republish: null, stories_of_creators: null });
});

async function ada(settings: Record<string, string> = {}): Promise<ConnectedLogin["accounts"][number]> {
  const [account] = (await logIn(instagram, "ada", settings)).accounts;
  if (!account) {
    throw new Error("ada has no account");
  }
  return account;
}

test("a login is stored under the app-scoped id and its account under its own: a signed request may name either", async ({
  expect,
}) => {
  const { externalId, accounts } = await logIn(instagram, "ada");
  expect([externalId, accounts[0]?.platformAccountId]).toEqual(["24106780935621847", "17841400008460057"]);
});

describe("the publishing limit", () => {
  test("is read for the account; until then the lower of the two documented numbers holds", async ({ expect }) => {
    const account = await ada();
    const caps = async () => {
      const capabilities = unwrap(await instagram.fetchCapabilities(simulatedClient(instagram), account));
      return instagram.limitsOf(capabilities).dailyCaps;
    };
    expect(instagram.limitsOf(account.capabilities).dailyCaps).toEqual([{ count: 50, windowHours: 24, what: "posts" }]);
    await changeSettings("instagram", { quota: 7 });
    expect(await caps()).toEqual([{ count: 7, windowHours: 24, what: "posts" }]);
    await changeSettings("instagram", { quota: 100 });
    expect(await caps()).toEqual([{ count: 100, windowHours: 24, what: "posts" }]);
  });

  test("keeps the stored capabilities, and a failure is a fault", async ({ expect }) => {
    const account = await ada();
    const client = simulatedClient(instagram);
    expect(unwrap(await instagram.fetchCapabilities(client, account))).toMatchObject(account.capabilities);
    await injectFault(instagram, {
      match: { path: "/*/content_publishing_limit" },
      effect: "answer",
      status: 500,
      body: { error: { code: 2, message: "An unexpected error has occurred" } },
    });
    expect(await instagram.fetchCapabilities(client, account)).toMatchObject({
      ok: false,
      fault: { kind: "temporary" },
    });
  });
});

describe("a container whose publishing call had no answer", () => {
  /** A job whose container was published by a call that took longer than the look at its status. */
  async function publishedSinceTheLook(settings: Record<string, string>) {
    const account = await ada(settings);
    const media = [await sampleMedia("portrait.jpg", PHOTO)];
    const caption = `late answer ${crypto.randomUUID()}`;
    const job: Job = {
      postId: "post",
      accountId: "account",
      account,
      caption,
      postType: "image",
      options: {},
      media,
      dueAt: Date.now(),
      committedAt: null,
      lastCommittedAt: null,
      progress: null,
      siblings: [],
      now: Date.now(),
    };
    const ref = await prepareUntilReady(instagram, job);
    const client = simulatedClient(instagram);
    const sentAt = Date.now();
    const first = { ...job, now: sentAt, committedAt: sentAt, lastCommittedAt: sentAt };
    vi.setSystemTime(sentAt + 60_000);
    const now = Date.now();
    const looked = await instagram.verify(client, { ...first, now }, ref);
    await instagram.commit(client, first, ref);
    const outcome = await instagram.commit(client, { ...first, now, lastCommittedAt: now }, ref);
    const posts = (await publishedPosts(instagram, account.platformAccountId)).filter((post) => post.text === caption);
    return { looked, outcome, postCount: posts.length };
  }

  test("is published again only when its status was read immediately before", async ({ expect }) => {
    expect(await publishedSinceTheLook({})).toMatchObject({
      looked: { state: "absent" },
      outcome: { state: "uncertain", detail: "the container has the status PUBLISHED" },
      postCount: 1,
    });
  });

  test("is published again at once where the operator states that Instagram publishes it once", async ({ expect }) => {
    await changeSettings("instagram", { republish: "refused" });
    expect(await publishedSinceTheLook({ REPUBLISH: "immediately" })).toMatchObject({
      looked: { state: "absent" },
      outcome: { state: "uncertain", detail: "Instagram answered 24/2207008" },
      postCount: 1,
    });
  });

  test.for<Record<string, string>>([{}, { REPUBLISH: "immediately" }])(
    "ends as one post when the call was lost on its way: %o",
    async (settings, { expect }) => {
      const account = await ada(settings);
      const caption = `lost call ${crypto.randomUUID()}`;
      const media = [await sampleMedia("portrait.jpg", PHOTO)];
      const startedAt = Date.now();
      const result = await publishUntilSettled(instagram, account, { caption, media }, () =>
        injectFault(instagram, { match: { path: "/*/media_publish" }, effect: "drop_before" }),
      );
      expect(result).toMatchObject({ state: "published" });
      expect(Date.now() - startedAt < 55_000).toBe("REPUBLISH" in settings);
      const posts = await publishedPosts(instagram, account.platformAccountId);
      expect(posts.filter((post) => post.text === caption)).toHaveLength(1);
    },
  );
});

describe("a story", () => {
  const story = async () => ({
    caption: "is not shown",
    media: [await sampleMedia("portrait.jpg", PHOTO)],
    options: { story: true },
  });
  /** The accounts of Pages are at the simulator that has the Pages. */
  const simulatorOf = ({ app }: ConnectedLogin["accounts"][number]) =>
    app.settings["LOGIN_VARIANT"] === "facebook" ? facebook : instagram;
  const storiesOf = async (account: ConnectedLogin["accounts"][number]) =>
    (await publishedPosts(simulatorOf(account), account.platformAccountId)).filter(({ kind }) => kind === "story");

  beforeEach(() => {
    // The stories of the tests before are no longer shown.
    vi.setSystemTime(Date.now() + (storyDays += 2) * 86_400_000);
  });

  test.for<Record<string, string>>([{}, { LOGIN_VARIANT: "facebook" }])(
    "is published without the caption: %o",
    async (settings, { expect }) => {
      const account = await ada(settings);
      const before = (await storiesOf(account)).length;
      const result = await publishUntilSettled(instagram, account, await story());
      const stories = await storiesOf(account);
      expect(stories.slice(before)).toMatchObject([{ text: "", media: [{ type: "image" }], options: {} }]);
      expect(result).toMatchObject({ state: "published", remoteId: stories.at(-1)?.id, url: stories.at(-1)?.url });
    },
  );

  test.for<[effect: "drop_after" | "drop_before", settings: Record<string, string>]>([
    ["drop_after", {}],
    ["drop_before", {}],
    ["drop_after", { LOGIN_VARIANT: "facebook" }],
    ["drop_before", { LOGIN_VARIANT: "facebook" }],
    ["drop_after", { REPUBLISH: "immediately" }],
  ])("whose answer is lost (%s) is published once and has its own id: %o", async ([effect, settings], { expect }) => {
    const account = await ada(settings);
    const before = (await storiesOf(account)).length;
    const result = await publishUntilSettled(instagram, account, await story(), () =>
      injectFault(simulatorOf(account), { match: { path: "/*/media_publish" }, effect }),
    );
    const stories = await storiesOf(account);
    expect(stories).toHaveLength(before + 1);
    expect(result).toMatchObject({ state: "published", remoteId: stories.at(-1)?.id, url: stories.at(-1)?.url });
  });

  test("of a creator account is warned of and refused, without ending the login", async ({ expect }) => {
    const [account] = (await logIn(instagram, "cleo")).accounts;
    const { caption, media, options } = await story();
    const input = { caption, postType: "image" as const, media, options, account: account!, settings: {} };
    expect(instagram.validate(input)).toMatchObject({
      problems: [],
      warnings: expect.arrayContaining([expect.objectContaining({ code: "account_not_eligible" })]),
    });
    expect(await publishUntilSettled(instagram, account!, await story())).toMatchObject({
      state: "failed",
      fault: { kind: "rejected", code: "account_not_eligible" },
    });
    await changeSettings("instagram", { stories_of_creators: true });
    expect(await publishUntilSettled(instagram, account!, await story())).toMatchObject({ state: "published" });
  });

  /** A container that is ready, the job at the time of its call, and what is looked up later. */
  async function ready() {
    const account = await ada();
    const { caption, media, options } = await story();
    const base = job({ caption, account, options });
    const content: Job = { ...base, media, postType: "image", dueAt: Date.now(), now: Date.now() };
    const ref = await prepareUntilReady(instagram, content);
    const client = simulatedClient(instagram);
    const sent = { ...content, now: Date.now(), committedAt: Date.now(), lastCommittedAt: Date.now() };
    const lookAfter = (seconds: number) => {
      vi.setSystemTime(sent.now + seconds * 1000);
      return instagram.verify(client, { ...sent, now: Date.now() }, ref);
    };
    return { account, client, sent, ref, lookAfter };
  }

  test("is not taken for one that somebody else published: its container was not", async ({ expect }) => {
    const { account, lookAfter } = await ready();
    await publishUntilSettled(instagram, account, await story());
    expect(await lookAfter(60)).toEqual({ state: "absent" });
  });

  test("is published without an id of its own where several could be it", async ({ expect }) => {
    const { account, client, sent, ref, lookAfter } = await ready();
    await instagram.commit(client, sent, ref);
    await publishUntilSettled(instagram, account, await story());
    expect(await lookAfter(60)).toEqual({
      state: "published",
      remoteId: (ref as { containerId: string }).containerId,
      url: null,
    });
  });

  test("gets the id of the only one that is listed once its own must be", async ({ expect }) => {
    const { account, client, sent, ref, lookAfter } = await ready();
    await instagram.commit(client, sent, ref);
    const [own] = (await storiesOf(account)).slice(-1);
    expect(await lookAfter(20)).toMatchObject({ state: "again" });
    expect(await lookAfter(50)).toEqual({ state: "published", remoteId: own?.id, url: own?.url });
  });

  test("whose list cannot be read is published without an id of its own", async ({ expect }) => {
    const { client, sent, ref, lookAfter } = await ready();
    await instagram.commit(client, sent, ref);
    const unreadable = () =>
      injectFault(instagram, {
        match: { path: "/*/stories" },
        effect: "answer",
        status: 403,
        body: { error: { code: 10, message: "(#10) Application does not have permission for this action" } },
      });
    await unreadable();
    expect(await lookAfter(60)).toMatchObject({ state: "again" });
    await unreadable();
    expect(await lookAfter(301)).toMatchObject({ state: "published", url: null });
  });

  test("warns of what a story does not show", ({ expect }) => {
    const { placement, options, warnings } = instagram.validate(
      validationInput({
        caption: "Out of the kiln",
        media: [image({ altText: "A vase" })],
        options: { story: true, placement: "timeline", share_to_feed: true },
      }),
    );
    expect([placement, options]).toEqual([null, { story: true }]);
    expect(warnings.map(({ code }) => code)).toEqual([
      "caption_ignored",
      "option_ignored",
      "option_ignored",
      "alt_text_ignored",
    ]);
    const tooLong = validationInput({ caption: "a".repeat(2201), media: [image()], options: { story: true } });
    expect(instagram.validate(tooLong).problems).toEqual([]);
  });
});

describe("the proof of the app's secret", () => {
  test.for<[what: string, settings: Record<string, string>, simulator: Record<string, boolean>]>([
    ["is sent with every call", {}, {}],
    ["is left out where the operator says so", { APPSECRET_PROOF: "false" }, { refuse_proof: true }],
  ])("%s", async ([, settings, simulator], { expect }) => {
    await changeSettings("instagram", simulator);
    const [account] = (await logIn(instagram, "ada", settings)).accounts;
    if (!account) {
      throw new Error("ada has no account");
    }
    const caption = `with proof or without ${crypto.randomUUID()}`;
    const result = await publishUntilSettled(instagram, account, {
      caption,
      media: [await sampleMedia("portrait.jpg", PHOTO)],
    });
    expect(result).toMatchObject({ state: "published" });
    expect(unwrap(await instagram.fetchCapabilities(simulatedClient(instagram), account))).toHaveProperty(
      "publishingLimit",
    );
    await changeSettings("instagram", { refuse_proof: null });
  });
});

test("calls that create and publish a container wait as long as Meta's own SDK, others the default", async ({
  expect,
}) => {
  const waits: Record<string, number | undefined> = {};
  const client: PlatformClient = {
    fetch(url, init) {
      waits[`${init?.method ?? "GET"} ${new URL(url).pathname.split("/").at(-1) ?? ""}`] = init?.timeoutMs;
      return toPlatformAnswer(Response.json({ id: "18070000000000001" }));
    },
  };
  const post = job({ media: [image()] });
  await instagram.prepare(client, post, undefined);
  await instagram.commit(client, post, { containerId: "1", restrictedCount: 0, notFoundCount: 0 });
  expect(waits).toEqual({
    "POST media": 60_000,
    "POST media_publish": 60_000,
    "GET 18070000000000001": 5000,
  });
});
