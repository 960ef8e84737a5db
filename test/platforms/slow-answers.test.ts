import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { withTimeoutCap } from "#accounts/configured-platform.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { AccountAccess, Adapter, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import {
  injectFault,
  logIn,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
  withCallListener,
} from "../support/drive-simulator.ts";
import { sampleOf } from "../support/platform-samples.ts";
import { largeVideo } from "./linkedin/large-video.ts";

/*
 * A call waits as long as the platform's own SDK would, where that is longer than the 20 seconds of other calls. Time limits
 * and delays are shortened by the same factor, so that a test takes a second or two.
 */

let startTime = Date.parse("2026-11-01T09:00:00Z");
const timeouts: number[] = [];
let factor = 1;

beforeEach(() => {
  startTime += 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: startTime });
  const original = AbortSignal.timeout.bind(AbortSignal);
  timeouts.length = 0;
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    timeouts.push(ms);
    return original(ms / factor);
  });
});
afterEach(() => {
  factor = 1;
  vi.restoreAllMocks();
  vi.useRealTimers();
});

interface SlowCall {
  readonly platform: Platform;
  readonly files: readonly string[];
  readonly call: string;
  readonly method?: string;
  readonly times?: number;
  readonly seconds: number;
  /** How much shorter the test is than the real wait. */
  readonly shorter: number;
}

const X = { platform: "x", seconds: 22, shorter: 15 } as const;
const YOUTUBE = { platform: "youtube", files: ["landscape.mp4"], call: "/upload/youtube", shorter: 30 } as const;
const LINKEDIN = { platform: "linkedin", seconds: 25, shorter: 30 } as const;
const SLOW_CALLS: readonly SlowCall[] = [
  { ...X, files: [], call: "/2/tweets" },
  { ...X, files: ["portrait.jpg"], call: "/2/media/upload" },
  { ...X, files: ["landscape.mp4"], call: "/2/media/upload/initialize" },
  { ...X, files: ["landscape.mp4"], call: "/2/media/upload/*/append" },
  { ...X, files: ["landscape.mp4"], call: "/2/media/upload/*/finalize" },
  { ...YOUTUBE, method: "POST", seconds: 25 },
  { ...YOUTUBE, method: "PUT", seconds: 45 },
  { ...LINKEDIN, files: [], call: "/rest/posts" },
  { ...LINKEDIN, files: ["portrait.jpg"], call: "/rest/images" },
  { ...LINKEDIN, files: ["landscape.mp4"], call: "/rest/videos", times: 2 },
  { platform: "pinterest", files: ["portrait.jpg"], call: "/v5/pins", seconds: 25, shorter: 30 },
  { platform: "bluesky", files: [], call: "/xrpc/com.atproto.repo.createRecord", seconds: 22, shorter: 15 },
  { platform: "mastodon", files: [], call: "/api/v1/statuses", seconds: 45, shorter: 30 },
  { platform: "mastodon", files: ["portrait.jpg"], call: "/api/v2/media", seconds: 125, shorter: 40 },
];

function adapterOf(platform: Platform): Adapter {
  const adapter = adapterFor(platform);
  if (!adapter) {
    throw new Error(`${platform} is not registered`);
  }
  return adapter;
}

async function firstAccount(adapter: Adapter): Promise<AccountAccess> {
  const [account] = (await logIn(adapter, "ada")).accounts;
  if (!account) {
    throw new Error("ada has no account");
  }
  return account;
}

async function optionsFor(adapter: Adapter, account: AccountAccess): Promise<JsonObject> {
  const boards = await adapter.listBoards?.(simulatedClient(adapter), account);
  return { ...sampleOf(adapter.platform).post.options, ...(boards?.ok && { board_ids: [boards.value[0]?.id ?? ""] }) };
}

async function mediaOf({ platform }: Adapter, files: readonly string[]): Promise<readonly JobMedia[]> {
  const shape = { width: 1280, height: 720, durationSeconds: 3 };
  const video = sampleOf(platform).recorded?.video;
  return await Promise.all(
    files.map(async (name) => (name.endsWith(".mp4") && (await video?.())) || (await sampleMedia(name, shape))),
  );
}

const PROBLEMS = ["refused", "uncertain", "stale"];

describe("an answer within the time that the platform's own SDK waits", () => {
  test.each(SLOW_CALLS)(
    "$platform: $call of a post with $files, after $seconds s",
    async ({ platform, files, call, method = "POST", times = 1, seconds, shorter }) => {
      const adapter = adapterOf(platform);
      const account = await firstAccount(adapter);
      const media = await mediaOf(adapter, files);
      const options = await optionsFor(adapter, account);
      await injectFault(adapter, {
        match: { method, path: call },
        times,
        effect: "delay",
        delay_ms: Math.round((seconds * SECOND) / shorter),
      });
      factor = shorter;
      timeouts.length = 0;
      const { state, steps } = await publishUntilSettled(adapter, account, {
        caption: `A slow answer of ${call} with ${files.length} files`,
        media,
        options,
      });
      expect({ state, problems: steps.filter((step) => PROBLEMS.some((problem) => step.endsWith(problem))) }).toEqual({
        state: "published",
        problems: [],
      });
      // The publisher ends a step after five minutes.
      expect(Math.max(...timeouts)).toBeLessThan(5 * MINUTE);
    },
  );

  test.each([
    { platform: "x", file: "landscape.mp4", count: 1, call: "/append", seconds: 25, begun: 5 },
    { platform: "linkedin", file: "portrait.jpg", count: 5, call: "upload", seconds: 70, begun: 2 },
  ] as const)(
    "$platform: slow parts end the step after two minutes, and the next one goes on",
    async ({ platform, file, count, call, seconds, begun }) => {
      const adapter = adapterOf(platform);
      const account = await firstAccount(adapter);
      const files = Array.from({ length: count }, () => file);
      const media = platform === "x" ? [await largeVideo(7 * 1024 ** 2)] : await mediaOf(adapter, files);
      const times: number[] = [];
      await withCallListener(
        ({ url, method }) => {
          if (url.includes(call) && (platform === "x" || method === "PUT")) {
            times.push(Date.now());
            vi.setSystemTime(Date.now() + seconds * SECOND);
          }
          return Promise.resolve();
        },
        async () => {
          const post = { caption: "Slow parts", media };
          expect(await publishUntilSettled(adapter, account, post)).toMatchObject({ state: "published" });
        },
      );
      const [first = 0] = times;
      const inFirstStep = times.filter((time, index) => time - first === index * seconds * SECOND);
      expect({ inFirstStep: inFirstStep.length, all: times.length }).toEqual({
        inFirstStep: begun,
        all: platform === "x" ? 7 : count,
      });
    },
  );

  test("a cap on the calls of a login holds for every call that waits longer", async () => {
    const limits: (number | undefined)[] = [];
    const client: PlatformClient = {
      fetch: (_url, init) => {
        limits.push(init?.timeoutMs);
        return Promise.resolve({ status: 500, headers: new Headers(), text: "" });
      },
    };
    const adapter = adapterOf("x");
    const account = await firstAccount(adapter);
    const job: Job = {
      postId: "post",
      accountId: "account",
      account,
      caption: "A post",
      postType: "text",
      options: {},
      media: [],
      dueAt: Date.now(),
      committedAt: Date.now(),
      lastCommittedAt: Date.now(),
      progress: null,
      siblings: [],
      now: Date.now(),
    };
    const prepared = await adapter.prepare(client, job, undefined);
    if (prepared.state !== "ready") {
      throw new Error(`prepare ended as ${prepared.state}`);
    }
    await adapter.commit(client, job, prepared.ref);
    await adapter.commit(withTimeoutCap(client, 10 * SECOND), job, prepared.ref);
    expect(limits).toEqual([30 * SECOND, 10 * SECOND]);
  });
});
