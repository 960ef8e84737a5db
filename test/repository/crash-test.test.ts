import { afterEach, describe, expect, test, vi } from "vitest";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { ApiClient } from "../../scripts/crash/api-client.ts";
import { findExtraViolations, findPlatformViolations } from "../../scripts/crash/check-invariants.ts";
import { TargetChooser } from "../../scripts/crash/choose-targets.ts";
import { findLeaks } from "../../scripts/crash/find-leaks.ts";
import { MEDIA_KINDS } from "../../scripts/crash/media-kinds.ts";
import { COMMENT, MAX_TARGET, missedMinimums, MULTI_TARGET, PLAYLIST, THREAD } from "../../scripts/crash/minimums.ts";
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

const GROUPS = [...PLATFORMS, ...MEDIA_KINDS, MULTI_TARGET, MAX_TARGET, THREAD, COMMENT, PLAYLIST];
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
  test("a run that did nothing misses every minimum, however short it was, but what comes less than once a minute", () => {
    const missedIn = (minutes: number) =>
      missedMinimums({ ...counts, ...nothing, acceptedBy: new Map() }, minutes, true).length;
    expect([0.01, 0.5, 10].map(missedIn)).toEqual([4 + GROUPS.length, 4 + GROUPS.length, 5 + GROUPS.length]);
  });

  test("the message names the minimum that was missed, which grows with the duration", () => {
    const few = { ...counts, confirmed: 599 };
    expect(missedMinimums(few, 10, true)).toEqual(["599 confirmed posts, and a run of 10 minutes needs 600"]);
    expect(missedMinimums(few, 5, true)).toEqual([]);
  });

  test("kills are needed unless they are turned off", () => {
    const without = { ...counts, kills: 0 };
    expect(missedMinimums(without, 1, true)).toEqual(["0 kills, and a run of 1 minutes needs 2"]);
    expect(missedMinimums(without, 1, false)).toEqual([]);
  });

  test.each(GROUPS)("a run in which no platform accepted a post with %s fails", (group) => {
    const without = { ...counts, acceptedBy: everything(100).set(group, 0) };
    const missed = missedMinimums(without, group === PLAYLIST ? 4 : 0.5, true);
    expect(missed).toHaveLength(1);
    expect(missed[0]).toContain(`accepted: ${group},`);
  });
});

const rulesOf = (platform: Platform): PlatformRules => ({
  platform,
  media: { text_only: platform !== "youtube", images: platform === "youtube" ? null : { max: 4 }, videos: {} },
  options: {},
  option_scopes: [],
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

test("a part of a thread that is there twice, without the one before or with another text or other media is a violation", () => {
  const post = {
    marker: "m",
    apiKey: "",
    platforms: ["x"],
    kind: "text",
    media: [],
    parts: [
      { text: "mt1 two", media: ["a"] },
      { text: "mt2 three", media: [] },
    ],
    threadPlatforms: ["x"],
    comment: null,
    commentPlatforms: [],
    playlists: [],
    postId: "1",
    versions: [{ text: "m one", dueAt: 0, confirmation: "confirmed" }],
    cancellation: "none",
    successfulConfirms: 1,
  } as const satisfies Parameters<typeof findPlatformViolations>[0];
  const invariantsOf = (...texts: readonly string[]) => {
    const posts = new Map<string, { id: string; text: string; accepted_at: string; media: { sha256: string }[] }[]>();
    for (const text of texts) {
      const key = `x ${text.split(" ")[0]}`;
      const media = text.startsWith("mt1") && !text.endsWith("bare") ? [{ sha256: "a" }] : [];
      posts.set(key, [...(posts.get(key) ?? []), { id: text, text, accepted_at: "2026-01-01T00:00:00Z", media }]);
    }
    return findPlatformViolations({ ...post, versions: [...post.versions] }, posts).map(({ invariant }) => invariant);
  };
  expect(invariantsOf("m one", "mt1 two", "mt2 three")).toEqual([]);
  expect(invariantsOf("m one", "mt1 two")).toEqual([]);
  expect(invariantsOf("m one", "mt1 two", "mt1 two")).toEqual(["I1"]);
  expect(invariantsOf("m one", "mt2 three")).toEqual(["I14"]);
  expect(invariantsOf("m one", "mt1 other")).toEqual(["I4"]);
  expect(invariantsOf("m one", "mt1 bare")).toEqual(["I4", "I4"]);
});

test("a first comment or an entry of a playlist that is there twice, without its post, or other than the API says is a violation", () => {
  const post = {
    marker: "m",
    apiKey: "",
    platforms: ["youtube"],
    kind: "video",
    media: [],
    parts: [],
    threadPlatforms: [],
    comment: "mc one",
    commentPlatforms: ["youtube"],
    playlists: ["PL1"],
    postId: "1",
    cancellation: "none",
    successfulConfirms: 1,
  } as const;
  const invariantsOf = (
    extras: Readonly<Record<string, number>>,
    told: "published" | "failed" | "unconfirmed" = "published",
    isThere = true,
  ) => {
    const found = [{ id: "v", text: "m one", accepted_at: "2026-01-01T00:00:00Z", media: [] }];
    const posts = new Map(isThere ? [["youtube m", found]] : []);
    const all = new Map(Object.entries(extras).map(([key, count]) => [`youtube ${key}`, count]));
    const target = { status: "published", extras: { first_comment: { status: told }, playlists: { status: told } } };
    return findExtraViolations({ ...post, versions: [] }, "youtube", target, { posts, extras: all }).map(
      ({ invariant }) => invariant,
    );
  };
  expect(invariantsOf({ mc: 1, "PL1 v": 1 })).toEqual([]);
  expect(invariantsOf({}, "failed")).toEqual([]);
  expect(invariantsOf({ mc: 1, "PL1 v": 1 }, "unconfirmed")).toEqual([]);
  expect(invariantsOf({ mc: 2, "PL1 v": 1 })).toEqual(["I1"]);
  expect(invariantsOf({ mc: 1, "PL1 v": 2 })).toEqual(["I1"]);
  expect(invariantsOf({ "PL1 v": 1 })).toEqual(["I6"]);
  expect(invariantsOf({ mc: 1 })).toEqual(["I6"]);
  expect(invariantsOf({ mc: 1 }, "failed")).toEqual(["I6"]);
  expect(invariantsOf({ mc: 1 }, "published", false)).toEqual(["I14"]);
});
