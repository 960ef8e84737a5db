import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { AccountAccess, Adapter, Job, SiblingTarget, VerifyOutcome } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { job as createJob } from "../support/adapter-inputs.ts";
import {
  logIn,
  prepareUntilReady,
  publishedPosts,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
} from "../support/drive-simulator.ts";
import { sampleOf } from "../support/platform-samples.ts";

/*
 * `verify` without a reference, as after the loss of a run's journal: every adapter against its simulator, with nothing but
 * what the row holds.
 */

let startTime = Date.parse("2033-03-01T09:00:00Z");
beforeEach(() => {
  startTime += 10 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: startTime });
});
afterEach(() => {
  vi.useRealTimers();
});

interface RowCase {
  readonly adapter: Adapter;
  readonly name: string;
  readonly files: readonly string[];
  readonly account?: (account: AccountAccess) => boolean;
  /** The platform does not list what this account posts. */
  readonly cannotList?: true;
  /** The post is recognized by something that no other post can have. */
  readonly hasOwnMark?: true;
  /** What the search returns for a post that was never sent, where sending again cannot make a second post. */
  readonly unsent?: "absent";
  readonly options?: JsonObject;
}

const isPage = (account: AccountAccess) => account.capabilities["canList"] === true;
const SPECIAL_CASES: Readonly<Record<string, readonly Omit<RowCase, "adapter">[]>> = {
  x: [
    { name: "text", files: [], unsent: "absent" },
    { name: "image", files: ["portrait.jpg"], unsent: "absent" },
  ],
  facebook: [
    { name: "text", files: [], unsent: "absent" },
    { name: "photos", files: ["portrait.jpg", "square.png"], unsent: "absent" },
    { name: "reel", files: ["portrait.mp4"] },
    { name: "video", files: ["landscape.mp4"], options: { placement: "timeline" }, hasOwnMark: true },
    { name: "story", files: ["portrait.jpg"], options: { story: true }, cannotList: true },
  ],
  instagram: [
    { name: "image", files: ["portrait.jpg"] },
    { name: "carousel", files: ["portrait.jpg", "portrait.mp4"] },
    { name: "reel", files: ["portrait.mp4"] },
    { name: "story", files: ["portrait.jpg"], options: { story: true }, cannotList: true },
  ],
  threads: [
    { name: "text", files: [] },
    { name: "video", files: ["portrait.mp4"] },
  ],
  linkedin: [
    { name: "text of a page", files: [], account: isPage, unsent: "absent" },
    { name: "images of a page", files: ["portrait.jpg", "square.png"], account: isPage, unsent: "absent" },
    { name: "text of a member", files: [], account: (account) => !isPage(account), cannotList: true },
  ],
  tiktok: [
    { name: "video", files: ["portrait.mp4"] },
    { name: "photos", files: ["portrait.jpg", "landscape.webp"], cannotList: true },
    { name: "private video", files: ["portrait.mp4"], options: { privacy_status: "private" }, cannotList: true },
  ],
  mastodon: [
    { name: "text", files: [], unsent: "absent" },
    { name: "image", files: ["portrait.jpg"], unsent: "absent" },
  ],
  pinterest: [{ name: "pin", files: ["portrait.jpg"], options: { board_ids: ["549755885175"] } }],
  bluesky: [
    { name: "text", files: [], unsent: "absent", hasOwnMark: true },
    { name: "image", files: ["portrait.jpg"], unsent: "absent", hasOwnMark: true },
  ],
};

const CASES: readonly RowCase[] = PLATFORMS.flatMap((platform) => {
  const adapter = adapterFor(platform);
  const cases = SPECIAL_CASES[platform] ?? [{ name: "smallest post", files: sampleOf(platform).post.files }];
  return adapter ? cases.map((one) => ({ adapter, ...one })) : [];
});

/** With both products LinkedIn's login has its member and its page. */
const APP_SETTINGS: Readonly<Record<string, Record<string, string>>> = { linkedin: { PRODUCTS: "member,community" } };

async function createFixture({ adapter, files, account: isAccount, options }: RowCase) {
  const { accounts } = await logIn(adapter, "ada", APP_SETTINGS[adapter.platform]);
  const account = accounts.find(isAccount ?? (() => true))!;
  const media = await Promise.all(files.map((name) => sampleMedia(name)));
  const sample = sampleOf(adapter.platform).post;
  const requested = { ...sample.options, ...options };
  const content = { caption: `${startTime} written & found again, see https://example.com/a`, media };
  const postType = media.length === 0 ? "text" : media.some((item) => item.type === "video") ? "video" : "image";
  const validation = adapter.validate({
    ...content,
    postType,
    options: requested,
    account,
    settings: account.app.settings,
  });
  const row: Job = {
    ...createJob(),
    ...content,
    postType,
    account,
    options: validation.options,
    dueAt: Date.now(),
    now: Date.now(),
  };
  return { account, row, content: { ...content, options: requested } };
}

/** The visible calls of one target up to the point where the platform has everything; only the row is known afterwards. */
async function publishAndForget(adapter: Adapter, row: Job): Promise<void> {
  const client = simulatedClient(adapter);
  let ref = await prepareUntilReady(adapter, row);
  let { progress } = row;
  for (let count = 0; count < 20; count++) {
    const now = Math.max(Date.now(), row.dueAt);
    const sent: Job = { ...row, progress, committedAt: now, lastCommittedAt: now, now };
    const outcome = await adapter.commit(client, sent, ref);
    if (outcome.state === "more") {
      ({ progress } = outcome);
      ref = outcome.prepareFirst ? await prepareUntilReady(adapter, { ...row, progress }) : outcome.ref;
    } else if (outcome.state === "published" || outcome.state === "accepted") {
      return;
    } else {
      throw new Error(`not published: ${JSON.stringify(outcome)}`);
    }
  }
}

/** Verifies without a reference from now on, as the run that takes over does. */
async function verifyByRow(adapter: Adapter, row: Job, siblings: readonly SiblingTarget[] = []) {
  const lastCommittedAt = Date.now();
  const outcomes: VerifyOutcome[] = [];
  for (let count = 0; count < 50; count++) {
    const lookup = { ...row, siblings, committedAt: row.dueAt, lastCommittedAt, now: Date.now() };
    const outcome = await adapter.verify(simulatedClient(adapter), lookup, null);
    outcomes.push(outcome);
    if (outcome.state !== "again") {
      return outcome;
    }
    vi.setSystemTime(Date.now() + Math.max(1, outcome.afterSeconds) * 1000);
  }
  throw new Error(`no end: ${JSON.stringify(outcomes.at(-1))}`);
}

const idsAt = async (adapter: Adapter, account: AccountAccess, text: string): Promise<readonly string[]> =>
  (await publishedPosts(adapter, account.platformAccountId))
    .filter((post) => post.text.startsWith(text.slice(0, 13)))
    .map(({ id }) => id);

describe.each(CASES)("$adapter.platform $name", (one) => {
  const { adapter } = one;

  test("a post whose journal is lost is found from its row", async ({ expect }) => {
    const { account, row } = await createFixture(one);
    await publishAndForget(adapter, row);
    const before = await idsAt(adapter, account, row.caption);
    vi.setSystemTime(Date.now() + 120_000);
    const outcome = await verifyByRow(adapter, row);
    if (one.cannotList) {
      expect(outcome.state).toBe("cannot_tell");
      return;
    }
    const ids = await idsAt(adapter, account, row.caption);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ state: "published", remoteId: ids.at(-1) });
    expect(ids.length - before.length).toBeLessThanOrEqual(1);
  });

  test("a post that was never sent is not found", async ({ expect }) => {
    const { row } = await createFixture(one);
    const outcome = await verifyByRow(adapter, row);
    expect(outcome.state, JSON.stringify(outcome)).toBe(one.unsent ?? "cannot_tell");
  });

  test("a post that another target owns is not claimed", async ({ expect }) => {
    const { account, row, content } = await createFixture(one);
    const twin = await publishUntilSettled(adapter, account, content);
    if (twin.state !== "published") {
      throw new Error(JSON.stringify(twin));
    }
    const siblings = [{ remoteId: twin.remoteId, caption: row.caption, progress: null }];
    const outcome = await verifyByRow(adapter, { ...row, dueAt: row.dueAt + 1 }, siblings);
    expect(outcome.state, JSON.stringify(outcome)).toBe(one.unsent ?? "cannot_tell");
  });

  test("two posts with the same content: neither is claimed, unless the post has a mark of its own", async ({
    expect,
  }) => {
    const { account, row, content } = await createFixture(one);
    await publishAndForget(adapter, row);
    vi.setSystemTime(Date.now() + 30_000);
    await publishUntilSettled(adapter, account, content).catch(() => undefined);
    const ids = await idsAt(adapter, account, row.caption);
    const outcome = await verifyByRow(adapter, row);
    if (one.hasOwnMark || (ids.length < 2 && !one.cannotList)) {
      // Bluesky, labelled videos, and platforms that refuse the second post.
      expect(outcome, JSON.stringify(outcome)).toMatchObject({ state: "published" });
      return;
    }
    expect(outcome.state, JSON.stringify(outcome)).toBe("cannot_tell");
  });

  test("a post from before the due time is not claimed", async ({ expect }) => {
    const { account, row, content } = await createFixture(one);
    await publishUntilSettled(adapter, account, content);
    vi.setSystemTime(Date.now() + 1_800_000);
    const outcome = await verifyByRow(adapter, { ...row, dueAt: Date.now() });
    expect(outcome.state, JSON.stringify(outcome)).toBe(one.unsent ?? "cannot_tell");
  });
});
