import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import type { AccountAccess, JobMedia } from "#platforms/contract.ts";
import { tiktok } from "#platforms/tiktok/index.ts";
import { sandboxCredentials, publishedPosts, logIn, unwrap, injectFault, publishUntilSettled, revokeAtPlatform, sampleMedia, simulatedClient } from "../../support/simulated-platform.ts";

// Megabytes through two processes of a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let clock = Date.parse("2032-03-01T09:00:00Z");
beforeEach(() => {
  clock += 10 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(() => {
  vi.useRealTimers();
});

const SHAPE = { width: 540, height: 960, durationSeconds: 3 };
const PHOTO = { width: 1080, height: 1350 };

async function creator(login = "ada"): Promise<AccountAccess> {
  const { accounts } = await logIn(tiktok, login);
  const [account] = accounts;
  if (!account) {
    throw new Error("no account");
  }
  return account;
}

/** A file of this test alone: the sample with a box of nothing behind it. */
async function clip(sizeBytes?: number): Promise<JobMedia> {
  const small = await sampleMedia("portrait.mp4", SHAPE);
  const whole = sizeBytes ?? small.sizeBytes + 8 + (Math.floor(clock / 86_400_000) % 4096);
  const bytes = new Uint8Array(whole);
  bytes.set(await new Response(await small.read()).bytes());
  const box = new DataView(bytes.buffer, small.sizeBytes);
  box.setUint32(0, whole - small.sizeBytes);
  bytes.set(new TextEncoder().encode("free"), small.sizeBytes + 4);
  return {
    ...small,
    sizeBytes: whole,
    sha256: await sha256Hex(bytes),
    read: (range) =>
      Promise.resolve(new Blob([range ? bytes.subarray(range.offset, range.offset + range.length) : bytes]).stream()),
  };
}

const fault = (method: string, path: string, effect: string) => ({
  match: { method, path },
  times: 1,
  effect,
  ...(effect === "answer_after" && { status: 503, body: "sorry" }),
});

const EFFECTS = ["nothing", "drop_before", "drop_after", "answer_after"] as const;

async function entries(account: AccountAccess, media: JobMedia) {
  return (await publishedPosts(tiktok, account.platformAccountId)).filter((entry) => entry.media[0]?.sha256 === media.sha256);
}

describe.each([
  ["in one piece", undefined, {}],
  ["in many pieces", 30_000_123, {}],
  ["as a draft", undefined, { is_draft: true }],
  ["for its person alone", undefined, { privacy_status: "private" }],
] as const)("a video %s", (kind, sizeBytes, options) => {
  test.for(EFFECTS)("is there once after %s at the last piece", async (effect, { expect }) => {
    const account = await creator();
    const media = await clip(sizeBytes === undefined ? undefined : sizeBytes + EFFECTS.indexOf(effect) * 8);
    const caption = `A bowl ${kind}, ${effect}`;
    const end = await publishUntilSettled(tiktok, account, { caption, media: [media], options }, async () => {
      if (effect !== "nothing") {
        await injectFault(tiktok, fault("PUT", "/*", effect));
      }
    });
    expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
    const posts = await entries(account, media);
    expect(posts, end.steps.join(" ")).toHaveLength(1);
    expect(posts[0]?.text).toBe("is_draft" in options ? "" : caption);
    if (end.state === "published" && kind.startsWith("in ")) {
      expect([posts[0]?.id, posts[0]?.options["publish_id"]]).toContain(end.remoteId);
      expect(end.url).toContain("https://www.tiktok.com/@ada_moves");
    } else if (end.state === "published") {
      // No public id ever: the handle is what is known.
      expect(end.remoteId).toBe(posts[0]?.options["publish_id"]);
    }
  });
});

describe("an upload", () => {
  test.for(EFFECTS.slice(1))("goes on after %s in its middle", async (effect, { expect }) => {
    const account = await creator();
    const media = await clip(20_000_000 + EFFECTS.indexOf(effect) * 8);
    await injectFault(tiktok, fault("PUT", "/*", effect));
    const end = await publishUntilSettled(tiktok, account, { caption: `A long way, ${effect}`, media: [media] });
    expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
    expect(await entries(account, media)).toHaveLength(1);
  });
});

describe("photos", () => {
  test("are there with their texts, in order", async ({ expect }) => {
    const account = await creator();
    const media = [await sampleMedia("portrait.jpg", PHOTO), await sampleMedia("landscape.webp", { width: 1200, height: 630 })];
    const caption = `Two photos of ${clock}`;
    const end = await publishUntilSettled(tiktok, account, { caption, media, options: { title: "Bowls" } });
    expect(end).toMatchObject({ state: "published" });
    const posts = (await publishedPosts(tiktok, account.platformAccountId)).filter((entry) => entry.text === caption);
    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatchObject({ title: "Bowls", media: media.map(({ sha256 }) => ({ type: "image", sha256 })) });
  });

  test("as a draft keep their texts", async ({ expect }) => {
    const account = await creator();
    const media = [await sampleMedia("portrait.jpg", PHOTO)];
    const caption = `A draft of ${clock}`;
    const end = await publishUntilSettled(tiktok, account, { caption, media, options: { title: "Bowls", is_draft: true } });
    expect(end).toMatchObject({ state: "published", url: null });
    const posts = (await publishedPosts(tiktok, account.platformAccountId)).filter((entry) => entry.text === caption);
    expect(posts).toMatchObject([{ kind: "draft", title: "Bowls" }]);
  });

  test.for([
    ["drop_before", 0],
    ["drop_after", 1],
    ["answer_after", 1],
  ] as const)("whose answer was lost (%s) are never sent twice", async ([effect, count], { expect }) => {
    const account = await creator();
    const media = [await sampleMedia("portrait.jpg", PHOTO)];
    const caption = `A photo of ${clock}, ${effect}`;
    const end = await publishUntilSettled(tiktok, account, { caption, media }, async () => {
      await injectFault(tiktok, fault("POST", "/v2/post/publish/content/init/", effect));
    });
    const posts = (await publishedPosts(tiktok, account.platformAccountId)).filter((entry) => entry.text === caption);
    expect(posts).toHaveLength(count);
    expect(end.steps.filter((step) => step.startsWith("commit"))).toHaveLength(1);
    // A list need not show photos: found or unknown, but never denied.
    expect(count === 0 ? ["unknown"] : ["published", "unknown"]).toContain(end.state);
  });
});

describe("a private account behind an unaudited app", () => {
  test("posts privately, and is told at the preview that it cannot post publicly", async ({ expect }) => {
    const account = await creator("ben");
    const media = await clip();
    await expect(publishUntilSettled(tiktok, account, { caption: "Public", media: [media] })).rejects.toThrow("option_not_allowed");
    const options = { privacy_status: "private" };
    expect(await publishUntilSettled(tiktok, account, { caption: "Private", media: [media], options })).toMatchObject({
      state: "published",
    });
    expect((await entries(account, media)).map((entry) => entry.options["privacy_level"])).toEqual(["SELF_ONLY"]);
  });

  test("is refused before anything is uploaded when the preview knew nothing of it", async ({ expect }) => {
    const account = { ...(await creator("ben")), capabilities: {} };
    expect(await publishUntilSettled(tiktok, account, { caption: "Public", media: [await clip()] })).toMatchObject({
      state: "failed",
      fault: { kind: "rejected", code: "privacy_not_allowed" },
      steps: ["prepare:refused"],
    });
  });

  test("is looked at again right before a preview", async ({ expect }) => {
    const account = await creator("ben");
    const fresh = unwrap(await tiktok.fetchCapabilities(simulatedClient(tiktok), { ...account, capabilities: { mayDraft: true } }));
    expect(fresh).toEqual({ ...account.capabilities, mayDraft: true });
    expect(fresh["privacyLevels"]).not.toContain("PUBLIC_TO_EVERYONE");
  });
});

describe("a login", () => {
  test("rotates its refresh token, and the old one is dead", async ({ expect }) => {
    const { tokens } = await logIn(tiktok, "ada");
    const renewed = unwrap(await tiktok.connect.refresh!(simulatedClient(tiktok), sandboxCredentials(tiktok), tokens, Date.now()));
    expect(renewed.refreshToken).not.toBe(tokens.refreshToken);
    expect(await tiktok.connect.listAccounts(simulatedClient(tiktok), sandboxCredentials(tiktok), renewed)).toMatchObject({ ok: true });
    expect(await tiktok.connect.refresh!(simulatedClient(tiktok), sandboxCredentials(tiktok), tokens, Date.now())).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
  });

  test("that was withdrawn publishes nothing and asks for its person", async ({ expect }) => {
    const account = await creator("ben");
    await revokeAtPlatform(tiktok, "ben");
    const media = [await clip()];
    const end = await publishUntilSettled(tiktok, account, { caption: "Too late", media, options: { privacy_status: "private" } });
    expect(end).toMatchObject({ state: "failed", fault: { kind: "reconnect" } });
  });

  test("that is revoked here is dead there", async ({ expect }) => {
    const { tokens } = await logIn(tiktok, "ada");
    await tiktok.connect.revoke?.(simulatedClient(tiktok), sandboxCredentials(tiktok), tokens);
    expect(await tiktok.connect.listAccounts(simulatedClient(tiktok), sandboxCredentials(tiktok), tokens)).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
  });
});
