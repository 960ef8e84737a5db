import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { AccountAccess, Adapter } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { linkedin as adapter } from "#platforms/linkedin/index.ts";
import {
  publishedPosts,
  logIn,
  injectFault,
  publishUntilSettled,
  revokeAtPlatform,
  sampleMedia,
  simulatedClient,
  unwrap,
} from "../../support/drive-simulator.ts";
import { validationInput } from "../../support/adapter-inputs.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { largeVideo } from "./large-video.ts";

// The simulator retires versions of the API after a year, as LinkedIn does.
let startTime = Date.parse("2026-12-01T09:00:00Z");
beforeEach(() => {
  startTime += 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: startTime });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Like the publisher: a throw in `prepare` is a temporary fault. */
const linkedin: Adapter = {
  ...adapter,
  prepare: (...step) =>
    adapter.prepare(...step).catch(() => ({ state: "refused", fault: temporary("thrown", { httpStatus: null }) })),
};

const BOTH = { PRODUCTS: "member,community" };

type AccountKind = "member" | "organization";

async function accountOf(kind: AccountKind, settings: Record<string, string> = BOTH): Promise<AccountAccess> {
  const { accounts } = await logIn(linkedin, "ada", settings);
  const account = accounts.find(({ capabilities }) => capabilities["kind"] === kind);
  if (!account) {
    throw new Error(`ada has no ${kind}`);
  }
  return account;
}

const publishedWithCaption = async (account: AccountAccess, caption: string) =>
  (await publishedPosts(linkedin, account.platformAccountId)).filter((entry) => entry.text === caption);

const POST = { method: "POST", path: "/rest/posts" };

describe("a mention", () => {
  test("of an organization and a person reaches LinkedIn as such, and is found again after a lost answer", async ({
    expect,
  }) => {
    const account = await accountOf("organization");
    const caption = "With @[Studio (Berlin)](urn:li:organization:2) by @[Ada](urn:li:person:AbC123xyz) [no mention]";
    const result = await publishUntilSettled(linkedin, account, { caption }, () =>
      injectFault(linkedin, { match: POST, effect: "drop_after" }),
    );
    const posts = await publishedWithCaption(account, "With Studio (Berlin) by Ada [no mention]");
    expect(posts).toMatchObject([
      { options: { mentions: ["urn:li:organization:2", "urn:li:person:AbC123xyz"] }, id: expect.any(String) as string },
    ]);
    expect(result).toMatchObject({ state: "published", remoteId: posts[0]?.id });
  });
});

describe("a login", () => {
  test("of an app with one product has the member, with both products also the page", async ({ expect }) => {
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

  test("of an app for pages only has the same member", async ({ expect }) => {
    const both = await logIn(linkedin, "ada", BOTH);
    const pages = await logIn(linkedin, "ada", { PRODUCTS: "community" });
    expect(pages.externalId).toBe(both.externalId);
    expect(pages.accounts.map((account) => account.platformAccountId)).toEqual(
      both.accounts.map((account) => account.platformAccountId),
    );
    expect(pages.accounts[0]?.capabilities).toMatchObject({ profile: "me" });
  });

  test("that was revoked needs a new login", async ({ expect }) => {
    const { tokens, accounts } = await logIn(linkedin, "ada", BOTH);
    await revokeAtPlatform(linkedin, accounts[0]!.platformAccountId);
    const listed = await linkedin.connect.listAccounts(simulatedClient(linkedin), accounts[0]!.app, tokens);
    expect(listed).toMatchObject({ ok: false, fault: { kind: "reconnect" } });
  });
});

const urnsOf = (accounts: readonly { readonly platformAccountId: string }[]) =>
  accounts.map(({ platformAccountId }) => platformAccountId);

describe("a role at a page", () => {
  afterEach(() => changeSettings("linkedin", { only_analyst: null, no_lookup: null }));

  test("that does not allow posting leaves the member and the other pages connected", async ({ expect }) => {
    const { tokens, accounts, unpostable } = await logIn(linkedin, "cleo", BOTH);
    expect(accounts.map(({ platformAccountId, displayName }) => [platformAccountId, displayName])).toEqual([
      ["urn:li:person:ClE789rst", "Cleo Example"],
      ["urn:li:organization:7700001", "Example Studio"],
    ]);
    expect(unpostable).toMatchObject([
      { displayName: "Example GmbH", reason: expect.stringContaining("does not allow posting") as string },
    ]);
    // A sync, and a second login.
    const synced = unwrap(await linkedin.connect.listAccounts(simulatedClient(linkedin), accounts[0]!.app, tokens));
    expect(urnsOf(synced.accounts)).toEqual(urnsOf(accounts));
    expect(urnsOf((await logIn(linkedin, "cleo", BOTH)).accounts)).toEqual(urnsOf(accounts));
    expect(await publishUntilSettled(linkedin, accounts[1]!, { caption: "from the studio" })).toMatchObject({
      state: "published",
    });
  });

  test("that was revoked is no role, and a showcase page is a page", async ({ expect }) => {
    const { accounts, unpostable } = await logIn(linkedin, "dora", BOTH);
    expect(urnsOf(accounts)).toEqual(["urn:li:person:DoR012opq", "urn:li:organizationBrand:88912973"]);
    // The lookup does not name it.
    expect(accounts[1]?.displayName).toBe("Page 88912973");
    expect(unpostable).toEqual([]);
    expect(await publishUntilSettled(linkedin, accounts[1]!, { caption: "from the showcase" })).toMatchObject({
      state: "published",
    });
  });

  test("does not need a name: without one its number is the name", async ({ expect }) => {
    await changeSettings("linkedin", { no_lookup: true });
    const ada = await logIn(linkedin, "ada", BOTH);
    expect(ada.accounts.map(({ displayName }) => displayName)).toEqual(["Ada Example", "Example GmbH"]);
    const cleo = await logIn(linkedin, "cleo", BOTH);
    expect(cleo.accounts.map(({ displayName }) => displayName)).toEqual(["Cleo Example", "Page 7700001"]);
    expect(cleo.unpostable.map(({ displayName }) => displayName)).toEqual(["Page 5515715"]);
  });

  test("that was lost fails the page's post only; the login goes on", async ({ expect }) => {
    const { tokens, accounts } = await logIn(linkedin, "ada", BOTH);
    const [member, page] = accounts;
    await changeSettings("linkedin", { only_analyst: true });
    const media = [await sampleMedia("portrait.jpg")];
    for (const content of [{ caption: "no longer ours" }, { caption: "no longer ours", media }]) {
      expect(await publishUntilSettled(linkedin, page!, content)).toMatchObject({
        state: "failed",
        fault: { kind: "rejected", code: "account_not_eligible", whoMustAct: "user" },
      });
    }
    expect(await publishUntilSettled(linkedin, member!, { caption: "still mine" })).toMatchObject({
      state: "published",
    });
    const synced = unwrap(await linkedin.connect.listAccounts(simulatedClient(linkedin), member!.app, tokens));
    expect(urnsOf(synced.accounts)).toEqual([member!.platformAccountId]);
    expect(urnsOf(synced.unpostable)).toEqual([page!.platformAccountId]);
  });

  test("that was lost while the outcome was uncertain leaves it unknown", async ({ expect }) => {
    const page = await accountOf("organization");
    const result = await publishUntilSettled(linkedin, page, { caption: "uncertain, then lost" }, async () => {
      await injectFault(linkedin, { match: POST, times: 1, effect: "drop_after" });
      await injectFault(linkedin, {
        match: { method: "GET", path: "/rest/posts*" },
        times: 1,
        effect: "answer",
        status: 403,
        body: { status: 403, code: "ACCESS_DENIED", message: "Not enough permissions", serviceErrorCode: 100 },
      });
    });
    expect(result).toMatchObject({ state: "unknown" });
  });
});

describe.each<AccountKind>(["member", "organization"])("%s", (kind) => {
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
        const result = await publishUntilSettled(linkedin, account, { caption, media }, async () => {
          if (effect !== "nothing") {
            await injectFault(linkedin, {
              match: POST,
              times: 1,
              effect,
              ...(effect === "answer_after" && { status: 503, body: "sorry" }),
            });
          }
        });
        // A member's posts cannot be read back: a refused repetition does not show that the first call is public.
        const isReadable = kind === "organization" || effect === "nothing" || effect === "drop_before";
        expect(result, JSON.stringify(result)).toMatchObject({ state: isReadable ? "published" : "unknown" });
        const posts = await publishedWithCaption(account, caption);
        expect(posts, result.steps.join(" ")).toHaveLength(1);
        expect(posts[0]?.media.map((item) => item.sha256)).toEqual(media.map((item) => item.sha256));
        if (result.state === "published") {
          expect({ id: result.remoteId, url: result.url }).toEqual({ id: posts[0]?.id, url: posts[0]?.url });
        }
      },
    );
  });

  test("a video is uploaded in parts and arrives complete", async ({ expect }) => {
    const account = await accountOf(kind);
    const media = [await largeVideo(9 * 1024 ** 2 + 7)];
    const caption = `${kind} video`;
    const result = await publishUntilSettled(linkedin, account, { caption, media });
    expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
    const posts = await publishedWithCaption(account, caption);
    expect(posts.map((post) => post.media)).toEqual([[{ type: "video", sha256: media[0]!.sha256 }]]);
  });

  test.for(["drop_before", "drop_after"] as const)(
    "a video is published after %s at every call of its upload",
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
      const result = await publishUntilSettled(linkedin, account, { caption, media });
      expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
      const posts = await publishedWithCaption(account, caption);
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
    expect(await publishedWithCaption(account, caption)).toHaveLength(1);
  });

  test("a post with an uncertain outcome is never sent again where the operator disabled it", async ({ expect }) => {
    const account = await accountOf(kind, { ...BOTH, RESEND: "never" });
    const result = await publishUntilSettled(linkedin, account, { caption: `${kind} careful` }, () =>
      injectFault(linkedin, { match: POST, times: 1, effect: "drop_before" }),
    );
    expect(result).toMatchObject({ state: "unknown" });
    expect(await publishedWithCaption(account, `${kind} careful`)).toHaveLength(0);
  });
});

describe("what LinkedIn does not document", () => {
  afterEach(() => changeSettings("linkedin", { part_token: null, count_visible: null, no_revoke: null }));

  test("a text that is too long with its escapes only is refused in the preview, or published", async ({ expect }) => {
    const caption = `${"(".repeat(1000)} ${"a".repeat(1500)}`;
    const problemsWith = (settings: Record<string, string>) =>
      linkedin
        .validate(validationInput({ caption, settings }))
        .problems.map(({ code, limit, actual }) => [code, limit, actual]);
    expect(problemsWith({})).toEqual([["caption_too_long", 3000, 3501]]);
    const account = await accountOf("member", { ...BOTH, CAPTION_COUNT: "visible" });
    expect(problemsWith(account.app.settings)).toEqual([]);
    expect(await publishUntilSettled(linkedin, account, { caption })).toMatchObject({
      state: "failed",
      fault: { code: "caption_too_long" },
    });
    await changeSettings("linkedin", { count_visible: true });
    expect(await publishUntilSettled(linkedin, account, { caption })).toMatchObject({ state: "published" });
  });

  test("the parts of a video carry the token where the operator says so", async ({ expect }) => {
    await changeSettings("linkedin", { part_token: true });
    const media = [await largeVideo(100_000)];
    await expect(
      publishUntilSettled(linkedin, await accountOf("member"), { caption: "no token", media }),
    ).rejects.toThrow("prepare:refused");
    const account = await accountOf("member", { ...BOTH, PART_TOKEN: "send" });
    expect(await publishUntilSettled(linkedin, account, { caption: "with token", media })).toMatchObject({
      state: "published",
    });
  });

  test("a login is revoked as well as LinkedIn allows, or not at all", async ({ expect }) => {
    const isAlive = async (settings: Record<string, string>) => {
      const { tokens, accounts } = await logIn(linkedin, "ada", settings);
      const { app } = accounts[0]!;
      await linkedin.connect.revoke?.(simulatedClient(linkedin), app, tokens);
      return (await linkedin.connect.listAccounts(simulatedClient(linkedin), app, tokens)).ok;
    };
    expect(await isAlive({})).toBe(false);
    expect(await isAlive({ REVOKE: "never" })).toBe(true);
    await changeSettings("linkedin", { no_revoke: true });
    expect(await isAlive({})).toBe(true);
  });
});

describe("a refused duplicate after a lost answer", () => {
  afterEach(() => changeSettings("linkedin", { names_duplicate: null, vanish: null }));

  test.for([true, false])("is no proof for a member, whatever URN it names (%s)", async (namesPost, { expect }) => {
    await changeSettings("linkedin", { names_duplicate: namesPost, vanish: true });
    const account = await accountOf("member");
    const result = await publishUntilSettled(linkedin, account, { caption: "taken down" }, () =>
      injectFault(linkedin, { match: POST, times: 1, effect: "drop_after" }),
    );
    expect(result).toMatchObject({ state: "unknown" });
    expect(await publishedWithCaption(account, "taken down")).toEqual([]);
  });
});

test("a member's post whose two calls were lost stays unknown", async ({ expect }) => {
  const account = await accountOf("member");
  const result = await publishUntilSettled(linkedin, account, { caption: "lost twice" }, () =>
    injectFault(linkedin, { match: POST, times: 2, effect: "drop_before" }),
  );
  expect(result).toMatchObject({ state: "unknown" });
  expect(await publishedWithCaption(account, "lost twice")).toHaveLength(0);
});

test("images of a member whose app may not read their status are presumed available", async ({ expect }) => {
  const account = await accountOf("member", {});
  const media = [await sampleMedia("portrait.jpg")];
  const startedAt = Date.now();
  const result = await publishUntilSettled(linkedin, account, { caption: "unseen", media });
  expect(result).toMatchObject({ state: "published" });
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(20_000);
  const [post] = await publishedWithCaption(account, "unseen");
  expect(post?.media.map((item) => item.sha256)).toEqual([media[0]!.sha256]);
});
