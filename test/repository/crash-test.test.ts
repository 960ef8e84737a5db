import { afterEach, describe, expect, test, vi } from "vitest";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { ApiClient } from "../../scripts/crash/api-client.ts";
import { TargetChooser } from "../../scripts/crash/choose-targets.ts";
import { findLeaks } from "../../scripts/crash/find-leaks.ts";
import { MEDIA_KINDS } from "../../scripts/crash/media-kinds.ts";
import { MAX_TARGET, missedMinimums, MULTI_TARGET } from "../../scripts/crash/minimums.ts";
import { findFirstViolation } from "../../scripts/crash/monitor-violations.ts";
import { MUTANTS } from "../../scripts/crash/mutants.ts";
import type { SandboxUser } from "../../scripts/crash/sandbox-user.ts";
import { SeededRandom } from "../../scripts/crash/seeded-random.ts";
import type { PlatformRules } from "../../scripts/platform-rules.ts";
import { startPatiently } from "../../scripts/crash/restart.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const GROUPS = [...PLATFORMS, ...MEDIA_KINDS, MULTI_TARGET, MAX_TARGET];
const everything = (count: number) => new Map(GROUPS.map((group) => [group, count]));
const counts = {
  confirmed: 1000,
  accepted: 1000,
  kills: 20,
  delivered: 2000,
  failedTries: 200,
  acceptedBy: everything(100),
};
const nothing = { confirmed: 0, accepted: 0, kills: 0, delivered: 0, failedTries: 0 };

describe("the crash test cannot pass without traffic", () => {
  test("a run that did nothing misses every minimum, however short it was", () => {
    for (const minutes of [0.01, 0.5, 10]) {
      const missed = missedMinimums({ ...counts, ...nothing, acceptedBy: new Map() }, minutes, true);
      expect(missed).toHaveLength(5 + GROUPS.length);
    }
  });

  test("the message names the minimum that was missed, which grows with the duration", () => {
    const few = { ...counts, confirmed: 999 };
    expect(missedMinimums(few, 10, true)).toEqual(["999 confirmed posts, and a run of 10 minutes needs 1000"]);
    expect(missedMinimums(few, 5, true)).toEqual([]);
  });

  test("kills are needed unless they are turned off", () => {
    const without = { ...counts, kills: 0 };
    expect(missedMinimums(without, 1, true)).toEqual(["0 kills, and a run of 1 minutes needs 2"]);
    expect(missedMinimums(without, 1, false)).toEqual([]);
  });

  test.each(GROUPS)("a run in which no platform accepted a post with %s fails", (group) => {
    const without = { ...counts, acceptedBy: everything(100).set(group, 0) };
    expect(missedMinimums(without, 0.5, true)).toHaveLength(1);
    expect(missedMinimums(without, 0.5, true)[0]).toContain(`accepted: ${group},`);
  });
});

const rulesOf = (platform: Platform): PlatformRules => ({
  platform,
  media: { text_only: platform !== "youtube", images: platform === "youtube" ? null : { max: 4 }, videos: {} },
  options: {},
  daily_caps: platform === "tiktok" ? [{ count: 15 }] : [],
});
const user: SandboxUser = {
  apiKey: "",
  imageUrl: "",
  videoUrl: "",
  platforms: new Map(PLATFORMS.map((platform) => [platform, { accountId: "", options: {}, rules: rulesOf(platform) }])),
};

describe("the traffic of the crash test", () => {
  test("reaches every platform with every kind that it accepts, and up to five targets, and stays below a cap per day", () => {
    const chooser = new TargetChooser(new SeededRandom(3), user);
    const posts = Array.from({ length: 600 }, (_, index) => chooser.choose(index / 600)).filter(
      (post) => post !== null,
    );
    const used = (platform: Platform) => posts.filter(({ platforms }) => platforms.includes(platform));
    for (const platform of PLATFORMS) {
      expect(used(platform).length, platform).toBeGreaterThan(platform === "tiktok" ? 10 : 30);
    }
    expect(used("tiktok").length).toBeLessThanOrEqual(15);
    expect(new Set(used("youtube").map(({ kind }) => kind))).toEqual(new Set(["video"]));
    expect(new Set(used("x").map(({ kind }) => kind))).toEqual(new Set(MEDIA_KINDS));
    expect(new Set(posts.map(({ platforms }) => platforms.length))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(posts.every(({ platforms }) => new Set(platforms).size === platforms.length)).toBe(true);
  });
});

test("a platform that refused a kind's sample gets no more of that kind", () => {
  const chooser = new TargetChooser(new SeededRandom(3), user);
  chooser.exclude("video", "linkedin");
  const posts = Array.from({ length: 300 }, () => chooser.choose(1)).filter((post) => post !== null);
  const linkedin = posts.filter(({ platforms }) => platforms.includes("linkedin"));
  expect(new Set(linkedin.map(({ kind }) => kind))).toEqual(new Set(["text", "image", "carousel"]));
});

describe("the search of the logs", () => {
  const secrets = ["ya29.secret-of-the-platform", "aa/bb+cc==dd/ee+ff==", "short"];

  test("finds a planted secret as it is and encoded for a URL, and does not repeat it", () => {
    const log = [
      "[wrangler:info] GET /v1/posts 200 OK (3ms)",
      'the call failed {"authorization":"Bearer ya29.secret-of-the-platform"}',
      "GET /connect/callback?code=aa%2Fbb%2Bcc%3D%3Ddd%2Fee%2Bff%3D%3D",
    ].join("\n");
    expect(findLeaks(log, secrets)).toEqual([
      'the call failed {"authorization":"Bearer ya29.s…',
      "GET /connect/callback?code=aa%2Fb…",
    ]);
  });

  test("a run that looks for leaks ends with the first one", async () => {
    vi.useFakeTimers();
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ posts: [] })));
    const patterns = MUTANTS.find(({ name }) => name === "token-in-log")?.expectedViolations ?? [];
    const search = () => Promise.resolve(["Bearer ya29.s…"]);
    const found = findFirstViolation(
      new ApiClient("http://localhost:1"),
      patterns,
      [],
      () => false,
      search,
      () => Promise.resolve([]),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await found).toMatchObject({ invariant: "leak", what: "Bearer ya29.s…" });
  });

  test("finds nothing in a log without secrets, also where one begins alike", () => {
    expect(findLeaks("Bearer ya29.secret-of-the-\nya29.secret-of-the-planet", secrets)).toEqual([]);
    expect(findLeaks("", secrets)).toEqual([]);
  });
});

describe("the crash test survives a slow restart", () => {
  test("calls wait for a service that does not answer for a minute", async () => {
    vi.useFakeTimers();
    const upAt = Date.now() + 60_000;
    vi.stubGlobal("fetch", () =>
      Date.now() < upAt ? Promise.reject(new TypeError("refused")) : Promise.resolve(Response.json({ ok: true })),
    );
    const response = new ApiClient("http://localhost:1").callUntilOk("GET", "/");
    response.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(70_000);
    await expect(response).resolves.toEqual({ ok: true });
  });

  test("a start that fails is repeated, but not for ever", async () => {
    vi.useFakeTimers();
    let starts = 0;
    const failTwice = () => Promise.resolve((starts += 1)).then((n) => (n < 3 ? Promise.reject(new Error("slow")) : n));
    const started = startPatiently(failTwice);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await started).toBe(3);
    const never = startPatiently(() => Promise.reject(new Error("broken")));
    never.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(never).rejects.toThrow("broken");
  });
});
