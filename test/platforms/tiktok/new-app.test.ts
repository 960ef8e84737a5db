import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { AccountAccess } from "#platforms/contract.ts";
import { tiktok } from "#platforms/tiktok/index.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import { logIn, logInAtPlatform, publishUntilSettled, sampleMedia } from "../../support/drive-simulator.ts";

/* An operator's first day: TikTok has approved the least scopes and has not audited the app. */

const AUDITED_SANDBOX = { audited: true, approved_scopes: "user.info.basic,video.publish,video.upload,video.list" };
const NEW_OPERATOR = {};
const SHAPE = { width: 540, height: 960, durationSeconds: 3 };

let clock = Date.parse("2033-03-01T09:00:00Z");
beforeEach(async () => {
  clock += 10 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
  await changeSettings("tiktok", { audited: null, approved_scopes: null });
});
afterEach(async () => {
  await changeSettings("tiktok", { ...AUDITED_SANDBOX, verify_lag_ms: 0, pending_post_id: null });
  vi.useRealTimers();
});

async function connectAccount(login: string, settings: Record<string, string> = NEW_OPERATOR): Promise<AccountAccess> {
  const { accounts } = await logIn(tiktok, login, settings);
  const [account] = accounts;
  if (!account) {
    throw new Error("the login has no account");
  }
  return account;
}

const validateFor = async (account: AccountAccess, options: Record<string, string | boolean>) =>
  tiktok.validate({
    caption: "First day",
    postType: "video",
    media: [await sampleMedia("portrait.mp4", SHAPE)],
    options,
    account,
    settings: account.app.settings,
  });

const publish = async (account: AccountAccess, options: Record<string, string | boolean> = {}) =>
  await publishUntilSettled(tiktok, account, {
    caption: `First day, ${JSON.stringify(options)}`,
    media: [await sampleMedia("portrait.mp4", SHAPE)],
    options,
  });

describe("a new app", () => {
  test("logs in and posts privately to a private account", async ({ expect }) => {
    const account = await connectAccount("ben");
    expect(account).toMatchObject({ username: "ben_alone", capabilities: { mayDraft: false, mayList: false } });
    expect(await publish(account, { privacy_status: "private" })).toMatchObject({ state: "published" });
  });

  test("has everything else refused in the preview", async ({ expect }) => {
    const codesOf = async (account: AccountAccess, options: Record<string, string | boolean>) =>
      (await validateFor(account, options)).problems.map(({ code }) => code);
    const [ada, ben] = [await connectAccount("ada"), await connectAccount("ben")];
    expect(await codesOf(ben, { privacy_status: "public" })).toEqual(["option_not_allowed"]);
    expect(await codesOf(ben, { privacy_status: "private" })).toEqual([]);
    expect(await codesOf(ben, { is_draft: true })).toEqual(["account_not_eligible"]);
    expect(await codesOf(ada, { privacy_status: "private" })).toEqual(["account_not_eligible"]);
    expect((await validateFor(ben, { privacy_status: "private" })).creator).toMatchObject({
      name: "Ben",
      privacyOptions: ["SELF_ONLY"],
      duetAllowed: false,
    });
  });

  test("whose operator asks for too much is told so, with the scopes", async ({ expect }) => {
    const settings = { SCOPES: "video.upload,video.list" };
    const login = await logInAtPlatform(tiktok, "ada", settings);
    expect(login.params).toMatchObject({ error: "invalid_scope", error_type: "scope" });
    expect(await login.exchange(login.params)).toMatchObject({
      ok: false,
      fault: {
        code: "app_misconfigured",
        whoMustAct: "operator",
        message: expect.stringContaining("video.upload, video.list") as string,
      },
    });
  });

  test("whose account became public after the preview uploads nothing", async ({ expect }) => {
    const account = { ...(await connectAccount("ada")), capabilities: {} };
    expect(await publish(account, { privacy_status: "private" })).toMatchObject({
      state: "failed",
      fault: { code: "app_not_audited" },
      steps: ["prepare:refused"],
    });
  });
});

describe("an audited app", () => {
  const AUDITED = { AUDITED: "true" };

  test("that does not list posts cannot tell what became of photos whose answer was lost", async ({ expect }) => {
    await changeSettings("tiktok", { audited: true });
    const account = await connectAccount("ada", AUDITED);
    const ref = {
      publishId: null,
      uploadUrl: null,
      postSettings: {
        privacyLevel: "PUBLIC_TO_EVERYONE",
        disableComment: false,
        disableDuet: false,
        disableStitch: false,
      },
      sendCount: 1,
      sentAt: clock,
      accepted: false,
      completedAt: null,
      uploadExpired: false,
    };
    const { job } = await import("../../support/adapter-inputs.ts");
    const { simulatedClient } = await import("../../support/drive-simulator.ts");
    const lost = job({ account, media: [await sampleMedia("portrait.jpg")], committedAt: clock, now: clock + 20_000 });
    expect(await tiktok.verify(simulatedClient(tiktok), lost, ref)).toMatchObject({ state: "cannot_tell" });
  });

  test.for(["blank", "null", "empty"])(
    "waits for the post's id while the list is %s, and keeps it",
    async (pending_post_id, { expect }) => {
      await changeSettings("tiktok", { audited: true, verify_lag_ms: 45_000, pending_post_id });
      const result = await publish(await connectAccount("ada", AUDITED), { title: pending_post_id });
      expect(result).toMatchObject({
        state: "published",
        remoteId: expect.stringMatching(/^\d{19}$/) as string,
        url: expect.stringMatching(/^https:\/\/www\.tiktok\.com\/@ada_moves\/video\/\d{19}$/) as string,
      });
    },
  );

  test("keeps the profile's address when the id does not come within a minute", async ({ expect }) => {
    await changeSettings("tiktok", { audited: true, verify_lag_ms: 3_600_000 });
    expect(await publish(await connectAccount("ada", AUDITED))).toMatchObject({
      state: "published",
      remoteId: expect.stringMatching(/^v_pub_file~/) as string,
      url: "https://www.tiktok.com/@ada_moves",
    });
  });
});
