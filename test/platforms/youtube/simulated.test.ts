import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import type { AccountAccess, JobMedia } from "#platforms/contract.ts";
import { youtube } from "#platforms/youtube/index.ts";
import {
  sandboxCredentials,
  publishedPosts,
  logIn,
  unwrap,
  injectFault,
  publishUntilSettled,
  revokeAtPlatform,
  sampleMedia,
  simulatedClient,
} from "../../support/drive-simulator.ts";
import { refreshTokens } from "../../support/call-connector.ts";

// Several megabytes pass through two processes, which is slow on a busy machine.
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
const MIB = 1024 ** 2;

async function connectChannel(login = "ada"): Promise<AccountAccess> {
  const { accounts } = await logIn(youtube, login);
  const [account] = accounts;
  if (!account) {
    throw new Error("the login has no channel");
  }
  return account;
}

/** The sample followed by an empty `free` box: a valid file of many chunks. */
async function largeVideo(sizeBytes: number): Promise<JobMedia> {
  const small = await sampleMedia("portrait.mp4", SHAPE);
  const bytes = new Uint8Array(sizeBytes);
  bytes.set(await new Response(await small.read()).bytes());
  const box = new DataView(bytes.buffer, small.sizeBytes);
  box.setUint32(0, sizeBytes - small.sizeBytes);
  bytes.set(new TextEncoder().encode("free"), small.sizeBytes + 4);
  return {
    ...small,
    sizeBytes,
    sha256: await sha256Hex(bytes),
    read: (range) =>
      Promise.resolve(new Blob([range ? bytes.subarray(range.offset, range.offset + range.length) : bytes]).stream()),
  };
}

const uploadFault = (effect: string) => ({
  match: { method: "PUT", path: "/upload/*" },
  times: 1,
  effect,
  ...(effect === "answer_after" && { status: 503, body: "sorry" }),
});

const EFFECTS = ["nothing", "drop_before", "drop_after", "answer_after"] as const;

describe.each([
  ["in one chunk", 0],
  ["in many chunks", 9 * MIB + 7],
] as const)("a video %s", (_, sizeBytes) => {
  test.for(EFFECTS)("is published exactly once after %s at the last bytes", async (effect, { expect }) => {
    const account = await connectChannel();
    const media = [sizeBytes === 0 ? await sampleMedia("portrait.mp4", SHAPE) : await largeVideo(sizeBytes)];
    const caption = `A bowl of ${sizeBytes} bytes, ${effect}`;
    const result = await publishUntilSettled(
      youtube,
      account,
      { caption, media, options: { title: "Glaze" } },
      async () => {
        if (effect !== "nothing") {
          await injectFault(youtube, uploadFault(effect));
        }
      },
    );
    const posts = (await publishedPosts(youtube, account.platformAccountId)).filter((entry) => entry.text === caption);
    expect(posts, result.steps.join(" ")).toHaveLength(1);
    expect(posts[0]).toMatchObject({ title: "Glaze", media: [{ type: "video", sha256: media[0]?.sha256 }] });
    expect(result).toMatchObject({ state: "published", remoteId: posts[0]?.id, url: posts[0]?.url });
  });
});

describe("an upload", () => {
  test.for(EFFECTS.slice(1))("continues after %s in its middle", async (effect, { expect }) => {
    const account = await connectChannel();
    const media = [await largeVideo(10 * MIB)];
    const caption = `Interrupted, ${effect}`;
    await injectFault(youtube, uploadFault(effect));
    const result = await publishUntilSettled(youtube, account, { caption, media, options: { title: "Glaze" } });
    expect(result).toMatchObject({ state: "published" });
    const posts = (await publishedPosts(youtube, account.platformAccountId)).filter((entry) => entry.text === caption);
    expect(posts.map((post) => post.media[0]?.sha256)).toEqual([media[0]?.sha256]);
  });

  test("whose session start was lost starts again", async ({ expect }) => {
    const account = await connectChannel();
    const caption = "Started twice";
    await injectFault(youtube, { match: { method: "POST", path: "/upload/*" }, times: 1, effect: "drop_after" });
    const media = [await sampleMedia("landscape.mp4", { width: 1280, height: 720, durationSeconds: 5 })];
    expect(await publishUntilSettled(youtube, account, { caption, media, options: { title: "Glaze" } })).toMatchObject({
      state: "published",
    });
    const posts = (await publishedPosts(youtube, account.platformAccountId)).filter((entry) => entry.text === caption);
    expect(posts).toHaveLength(1);
  });
});

describe("processing", () => {
  const publish = async (title: string) =>
    await publishUntilSettled(youtube, await connectChannel(), {
      caption: `Processed: ${title}`,
      media: [await sampleMedia("portrait.mp4", SHAPE)],
      options: { title },
    });

  test.for<[title: string, code: string, sentence: string]>([
    ["#sim-failed-codec", "media_invalid", "codec"],
    ["#sim-failed-uploadAborted", "processing_failed", "again"],
    ["#sim-rejected-length", "media_invalid", "15 minutes"],
    ["#sim-rejected-duplicate", "duplicate_content", "already"],
    ["#sim-rejected-claim", "content_refused", "claim"],
    ["#sim-rejected-uploaderAccountSuspended", "account_restricted", "suspended"],
  ])(
    "that ends with %s fails the target, although the upload was accepted",
    async ([title, code, sentence], { expect }) => {
      const result = await publish(title);
      expect(result, result.steps.join(" ")).toMatchObject({
        state: "failed",
        fault: { kind: "rejected", code, message: expect.stringContaining(sentence) },
      });
      expect(result.steps).toContain("commit:accepted");
    },
  );

  test("is waited for", async ({ expect }) => {
    const result = await publish("Glaze");
    expect(result.state).toBe("published");
    expect(result.steps.slice(-2)).toEqual(["commit:accepted", "verify:published"]);
  });
});

describe("a channel", () => {
  test("reports what it may upload", async ({ expect }) => {
    expect(await connectChannel("ada")).toMatchObject({
      capabilities: { longUploads: "allowed", uploads: expect.any(String) },
    });
    expect((await connectChannel("ben")).capabilities["longUploads"]).not.toBe("allowed");
  });

  test("is required for a login", async ({ expect }) => {
    await expect(logIn(youtube, "cleo")).rejects.toThrow("no_channel");
  });
});

describe("a login", () => {
  test("keeps its refresh token when it is refreshed", async ({ expect }) => {
    const { tokens } = await logIn(youtube, "ada");
    expect(tokens.refreshToken).not.toBeNull();
    vi.setSystemTime(Date.now() + 3_500_000);
    const refreshed = unwrap(
      await refreshTokens(youtube.connect, simulatedClient(youtube), sandboxCredentials(youtube), tokens, Date.now()),
    );
    expect(refreshed.refreshToken).toBe(tokens.refreshToken);
    expect(refreshed.accessToken).not.toBe(tokens.accessToken);
    expect(
      await youtube.connect.listAccounts(simulatedClient(youtube), sandboxCredentials(youtube), refreshed),
    ).toMatchObject({ ok: true });
  });

  test("that was revoked at the platform publishes nothing and requires a new login", async ({ expect }) => {
    const { tokens, accounts } = await logIn(youtube, "ben");
    await revokeAtPlatform(youtube, "ben");
    const media = [await sampleMedia("portrait.mp4", SHAPE)];
    const result = await publishUntilSettled(youtube, accounts[0]!, {
      caption: "Too late",
      media,
      options: { title: "Glaze" },
    });
    expect(result).toMatchObject({ state: "failed", fault: { kind: "reconnect" } });
    expect(
      await refreshTokens(youtube.connect, simulatedClient(youtube), sandboxCredentials(youtube), tokens, Date.now()),
    ).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
  });

  test("that is revoked by the adapter is invalid at the platform", async ({ expect }) => {
    const { tokens } = await logIn(youtube, "ada");
    await youtube.connect.revoke?.(simulatedClient(youtube), sandboxCredentials(youtube), tokens);
    expect(
      await youtube.connect.listAccounts(simulatedClient(youtube), sandboxCredentials(youtube), tokens),
    ).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
  });
});
