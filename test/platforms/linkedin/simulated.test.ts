import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { AccountAccess, Adapter } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { linkedin as adapter } from "#platforms/linkedin/index.ts";
import { publishedPosts, logIn, injectFault, publishUntilSettled, revokeAtPlatform, sampleMedia, simulatedClient } from "../../support/simulated-platform.ts";
import { largeVideo } from "./large-video.ts";

// The simulator retires versions of the API after a year, as LinkedIn does.
let clock = Date.parse("2026-12-01T09:00:00Z");
beforeEach(() => {
  clock += 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(() => {
  vi.useRealTimers();
});

/** As the publisher calls it: what `prepare` throws is tried again. */
const linkedin: Adapter = {
  ...adapter,
  prepare: (...step) =>
    adapter.prepare(...step).catch(() => ({ state: "refused", fault: temporary("thrown", { httpStatus: null }) })),
};

const BOTH = { PRODUCTS: "member,community" };

type Kind = "member" | "organization";

async function accountOf(kind: Kind, settings: Record<string, string> = BOTH): Promise<AccountAccess> {
  const { accounts } = await logIn(linkedin, "ada", settings);
  const account = accounts.find(({ capabilities }) => capabilities["kind"] === kind);
  if (!account) {
    throw new Error(`ada has no ${kind}`);
  }
  return account;
}

const published = async (account: AccountAccess, caption: string) =>
  (await publishedPosts(linkedin, account.platformAccountId)).filter((entry) => entry.text === caption);

const POST = { method: "POST", path: "/rest/posts" };

describe("a login", () => {
  test("of an app with one product is the member alone, with both the page as well", async ({ expect }) => {
    expect((await logIn(linkedin, "ada")).accounts.map((account) => account.capabilities)).toEqual([
      { kind: "member", canList: false, profile: "userinfo" },
    ]);
    const { accounts } = await logIn(linkedin, "ada", BOTH);
    expect(accounts.map((account) => account.capabilities)).toEqual([
      { kind: "member", canList: false, profile: "userinfo" },
      { kind: "organization", canList: true, profile: "userinfo" },
    ]);
    expect(accounts[0]?.platformAccountId).toMatch(/^urn:li:person:/);
    expect(accounts[1]?.platformAccountId).toMatch(/^urn:li:organization:\d+$/);
  });

  test("of an app for pages only finds the same person", async ({ expect }) => {
    const both = await logIn(linkedin, "ada", BOTH);
    const pages = await logIn(linkedin, "ada", { PRODUCTS: "community" });
    expect(pages.externalId).toBe(both.externalId);
    expect(pages.accounts.map((account) => account.platformAccountId)).toEqual(
      both.accounts.map((account) => account.platformAccountId),
    );
    expect(pages.accounts[0]?.capabilities).toMatchObject({ profile: "me" });
  });

  test("that was withdrawn has to be made again", async ({ expect }) => {
    const { tokens, accounts } = await logIn(linkedin, "ada", BOTH);
    await revokeAtPlatform(linkedin, accounts[0]!.platformAccountId);
    const listed = await linkedin.connect.listAccounts(simulatedClient(linkedin), accounts[0]!.app, tokens);
    expect(listed).toMatchObject({ ok: false, fault: { kind: "reconnect" } });
  });
});

describe.each<Kind>(["member", "organization"])("%s", (kind) => {
  describe.each([
    { name: "text", files: [] },
    { name: "image", files: ["portrait.jpg"] },
    { name: "images", files: ["portrait.jpg", "square.png", "animation.gif"] },
  ])("$name", ({ name, files }) => {
    test.for(["nothing", "drop_before", "drop_after", "answer_after"] as const)(
      "is published once after %s",
      async (effect, { expect }) => {
        const account = await accountOf(kind);
        const media = await Promise.all(files.map((file) => sampleMedia(file)));
        const caption = `${kind} ${name} (${effect}) {v2} #glaze_1 a*b <c> [d] ~e | f@g.h \\ #1`;
        const end = await publishUntilSettled(linkedin, account, { caption, media }, async () => {
          if (effect !== "nothing") {
            await injectFault(linkedin, {
              match: POST,
              times: 1,
              effect,
              ...(effect === "answer_after" && { status: 503, body: "sorry" }),
            });
          }
        });
        expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
        const posts = await published(account, caption);
        expect(posts, end.steps.join(" ")).toHaveLength(1);
        expect(posts[0]?.media.map((item) => item.sha256)).toEqual(media.map((item) => item.sha256));
        if (end.state === "published") {
          expect({ id: end.remoteId, url: end.url }).toEqual({ id: posts[0]?.id, url: posts[0]?.url });
        }
      },
    );
  });

  test("a video goes up in parts and arrives whole", async ({ expect }) => {
    const account = await accountOf(kind);
    const media = [await largeVideo(9 * 1024 ** 2 + 7)];
    const caption = `${kind} video`;
    const end = await publishUntilSettled(linkedin, account, { caption, media });
    expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
    const posts = await published(account, caption);
    expect(posts.map((post) => post.media)).toEqual([[{ type: "video", sha256: media[0]!.sha256 }]]);
  });

  test.for(["drop_before", "drop_after"] as const)(
    "a video survives %s at every call of its upload",
    async (effect, { expect }) => {
      const account = await accountOf(kind);
      const media = [await largeVideo(5 * 1024 ** 2)];
      for (const match of [
        { method: "POST", path: "/rest/videos*" },
        { method: "PUT", path: "/dms-uploads*" },
        { method: "GET", path: "/rest/videos*" },
      ]) {
        await injectFault(linkedin, { match, times: 1, effect });
      }
      const caption = `${kind} video ${effect}`;
      const end = await publishUntilSettled(linkedin, account, { caption, media });
      expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
      const posts = await published(account, caption);
      expect(posts.map((post) => post.media)).toEqual([[{ type: "video", sha256: media[0]!.sha256 }]]);
    },
  );

  test("the same text twice is refused the second time", async ({ expect }) => {
    const account = await accountOf(kind);
    const caption = `${kind} says it again`;
    expect(await publishUntilSettled(linkedin, account, { caption })).toMatchObject({ state: "published" });
    expect(await publishUntilSettled(linkedin, account, { caption })).toMatchObject({
      state: "failed",
      fault: { kind: "rejected", code: "duplicate_content", category: "duplicate" },
    });
    expect(await published(account, caption)).toHaveLength(1);
  });

  test("a careful operator's post of unknown fate is never sent again", async ({ expect }) => {
    const account = await accountOf(kind, { ...BOTH, RESEND: "never" });
    const end = await publishUntilSettled(linkedin, account, { caption: `${kind} careful` }, () =>
      injectFault(linkedin, { match: POST, times: 1, effect: "drop_before" }),
    );
    expect(end).toMatchObject({ state: "unknown" });
    expect(await published(account, `${kind} careful`)).toHaveLength(0);
  });
});

test("a post of a member lost twice stays unknown", async ({ expect }) => {
  const account = await accountOf("member");
  const end = await publishUntilSettled(linkedin, account, { caption: "lost twice" }, () =>
    injectFault(linkedin, { match: POST, times: 2, effect: "drop_before" }),
  );
  expect(end).toMatchObject({ state: "unknown" });
  expect(await published(account, "lost twice")).toHaveLength(0);
});

test("a member whose app may not look at images waits for them unseen", async ({ expect }) => {
  const account = await accountOf("member", {});
  const media = [await sampleMedia("portrait.jpg")];
  const begun = Date.now();
  const end = await publishUntilSettled(linkedin, account, { caption: "unseen", media });
  expect(end).toMatchObject({ state: "published" });
  expect(Date.now() - begun).toBeGreaterThanOrEqual(20_000);
  const [post] = await published(account, "unseen");
  expect(post?.media.map((item) => item.sha256)).toEqual([media[0]!.sha256]);
});
