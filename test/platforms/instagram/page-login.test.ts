import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { instagram } from "#platforms/instagram/index.ts";
import type { AccountAccess } from "#platforms/contract.ts";
import { changeSettings, publishedPosts } from "../../sandbox/sandbox-api.ts";
import {
  logIn,
  logInAtPlatform,
  publishUntilSettled,
  sampleMedia,
  sandboxCredentials,
  simulatedClient,
  unwrap,
} from "../../support/drive-simulator.ts";

/* The login through Facebook Pages, against the simulator that has the Pages. */

const PAGE_LOGIN = { LOGIN_VARIANT: "facebook" };
const PHOTO = { width: 1080, height: 1350 };
const SHAPE = { width: 540, height: 960, durationSeconds: 3 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-02T09:00:00Z") });
});
afterEach(async () => {
  vi.useRealTimers();
  await changeSettings("facebook", { quota: null, business_management: null, extra_permissions: null });
});

async function firstAccountOf(login: string, settings: Record<string, string> = PAGE_LOGIN): Promise<AccountAccess> {
  const [account] = (await logIn(instagram, login, settings)).accounts;
  if (!account) {
    throw new Error(`${login} has no account`);
  }
  return account;
}

describe("the accounts", () => {
  test("are those of Pages whose token comes, whatever their tasks are called", async ({ expect }) => {
    const { accounts, unpostable } = await logIn(instagram, "ada", PAGE_LOGIN);
    expect(accounts).toMatchObject([
      { platformAccountId: "17841400008461001", capabilities: { login: "page", followersCount: 3000 } },
    ]);
    expect(accounts[0]?.capabilities).not.toHaveProperty("maySeeOnly");
    expect(unpostable).toMatchObject([{ reason: expect.stringContaining("Read only") as string }]);
  });

  test("of a business need the permission that the operator names by a setting", async ({ expect }) => {
    expect((await logIn(instagram, "cleo", PAGE_LOGIN)).accounts).toEqual([]);
    await changeSettings("facebook", { business_management: true });
    const settings = { ...PAGE_LOGIN, BUSINESS_MANAGEMENT: "true" };
    expect((await logIn(instagram, "cleo", settings)).accounts).toMatchObject([
      { platformAccountId: "17841400008461003" },
    ]);
  });

  test("of a business publish with ads_read only, which the refusal names", async ({ expect }) => {
    await changeSettings("facebook", { business_management: true, extra_permissions: "ads_read" });
    const settings = { ...PAGE_LOGIN, BUSINESS_MANAGEMENT: "true" };
    const media = [await sampleMedia("portrait.jpg", PHOTO)];
    const caption = `of a business ${crypto.randomUUID()}`;
    const without = await firstAccountOf("cleo", settings);
    expect(await publishUntilSettled(instagram, without, { caption, media })).toMatchObject({
      state: "failed",
      fault: { code: "missing_scope", message: expect.stringContaining("INSTAGRAM_EXTRA_SCOPES") as string },
    });
    const account = await firstAccountOf("cleo", { ...settings, EXTRA_SCOPES: "ads_read" });
    expect(await publishUntilSettled(instagram, account, { caption, media })).toMatchObject({ state: "published" });
  });

  test("of a user who declined publishing miss that scope, which the next login asks for again", async ({ expect }) => {
    const login = await logInAtPlatform(instagram, "ada", PAGE_LOGIN, { untick: "instagram_content_publish" });
    const { tokens } = unwrap(await login.exchange(login.params));
    const credentials = sandboxCredentials(instagram, PAGE_LOGIN);
    const { accounts } = unwrap(await instagram.connect.listAccounts(simulatedClient(instagram), credentials, tokens));
    expect(accounts).toMatchObject([{ missingScopes: ["instagram_content_publish"] }]);
    expect((await logIn(instagram, "ada", PAGE_LOGIN)).tokens.scopes).toContain("instagram_content_publish");
  });
});

describe("a post", () => {
  test.for([
    ["image", ["portrait.jpg"]],
    ["carousel", ["portrait.jpg", "portrait.mp4"]],
    ["reel", ["portrait.mp4"]],
  ] as const)("of the kind %s is published", async ([kind, files], { expect }) => {
    const account = await firstAccountOf("ada");
    const caption = `through a Page ${crypto.randomUUID()}`;
    const media = await Promise.all(files.map((name) => sampleMedia(name, name.endsWith(".mp4") ? SHAPE : PHOTO)));
    expect(await publishUntilSettled(instagram, account, { caption, media })).toMatchObject({
      state: "published",
      url: expect.stringContaining("https://www.instagram.com/") as string,
    });
    const posts = (await publishedPosts("facebook")).filter((post) => post.text === caption);
    expect(posts).toMatchObject([{ kind, account: account.platformAccountId }]);
  });

  test("of a user whose tasks do not allow it is warned about and then refused", async ({ expect }) => {
    const account = await firstAccountOf("dora");
    const media = [await sampleMedia("portrait.jpg", PHOTO)];
    const input = { caption: "a", postType: "image" as const, media, options: {}, account, settings: PAGE_LOGIN };
    expect(instagram.validate(input)).toMatchObject({ problems: [], warnings: [{ code: "account_not_eligible" }] });
    expect(await publishUntilSettled(instagram, account, { caption: "not allowed", media })).toMatchObject({
      state: "failed",
      fault: { kind: "reconnect", code: "missing_scope" },
    });
  });
});

test("the publishing limit is read with the user's token", async ({ expect }) => {
  const account = await firstAccountOf("ada");
  await changeSettings("facebook", { quota: 25 });
  const capabilities = unwrap(await instagram.fetchCapabilities(simulatedClient(instagram), account));
  expect(instagram.limitsOf(capabilities).dailyCaps).toEqual([{ count: 25, windowHours: 24, what: "posts" }]);
});

test("a login is refreshed and revoked", async ({ expect }) => {
  const { tokens } = await logIn(instagram, "ada", PAGE_LOGIN);
  const client = simulatedClient(instagram);
  const credentials = sandboxCredentials(instagram, PAGE_LOGIN);
  const { tokenRefresh } = instagram.connect;
  if (tokenRefresh.kind !== "refresh") {
    throw new Error("tokens of this login can be refreshed");
  }
  const refreshed = unwrap(await tokenRefresh.refresh(client, credentials, tokens, Date.now()));
  expect(unwrap(await instagram.connect.listAccounts(client, credentials, refreshed)).accounts).toHaveLength(1);
  await instagram.connect.revoke?.(client, credentials, refreshed);
  expect(await instagram.connect.listAccounts(client, credentials, refreshed)).toMatchObject({ ok: false });
});
