import { afterEach, describe, expect, test, vi } from "vitest";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { ApiClient, type PublishedPost } from "../../scripts/crash/api-client.ts";
import { findExtraViolations } from "../../scripts/crash/check-extras.ts";
import { findInventedFiles } from "../../scripts/crash/check-formats.ts";
import { findPlatformViolations, isReportedTruly } from "../../scripts/crash/check-invariants.ts";
import { TargetChooser } from "../../scripts/crash/choose-targets.ts";
import { findLeaks } from "../../scripts/crash/find-leaks.ts";
import { MEDIA_KINDS } from "../../scripts/crash/media-kinds.ts";
import {
  COMMENT,
  COVER,
  DOCUMENT,
  MAX_TARGET,
  missedMinimums,
  MULTI_TARGET,
  PAGE_COMMENT,
  PLAYLIST,
  STORY,
  THREAD,
} from "../../scripts/crash/minimums.ts";
import { findFirstViolation } from "../../scripts/crash/monitor-violations.ts";
import { MUTANTS } from "../../scripts/crash/mutants.ts";
import type { ExpectedPost } from "../../scripts/crash/expected-posts.ts";
import { readPublishedPosts } from "../../scripts/crash/published-posts.ts";
import { createSandboxUser, type SandboxUser, takesOption } from "../../scripts/crash/sandbox-user.ts";
import { SeededRandom } from "../../scripts/crash/seeded-random.ts";
import type { PlatformRules } from "../../scripts/platform-rules.ts";
import { startPatiently } from "../../scripts/crash/restart.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Less than once a minute. */
const RARE_GROUPS = [PLAYLIST, PAGE_COMMENT, `${STORY} at instagram`, `${STORY} at facebook`, DOCUMENT, COVER];
const GROUPS = [...PLATFORMS, ...MEDIA_KINDS, MULTI_TARGET, MAX_TARGET, THREAD, COMMENT, ...RARE_GROUPS];
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
    expect([0.01, 0.5, 10].map(missedIn)).toEqual([
      5 + GROUPS.length - RARE_GROUPS.length,
      5 + GROUPS.length - RARE_GROUPS.length,
      5 + GROUPS.length,
    ]);
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
    const missed = missedMinimums(without, RARE_GROUPS.includes(group) ? 4 : 0.5, true);
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
  platforms: new Map(
    PLATFORMS.map((platform) => [
      platform,
      { accountId: "", refusedOptions: [], options: {}, rules: rulesOf(platform) },
    ]),
  ),
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

const PUBLISHED: PublishedPost = {
  id: "1",
  kind: "text",
  text: "m one",
  title: null,
  accepted_at: "2026-01-01T00:00:00Z",
  media: [],
};

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
    storyPlatforms: [],
    document: null,
    cover: null,
    postId: "1",
    versions: [{ text: "m one", dueAt: 0, confirmation: "confirmed" }],
    cancellation: "none",
    successfulConfirms: 1,
  } as const satisfies Parameters<typeof findPlatformViolations>[0];
  const invariantsOf = (...texts: readonly string[]) => {
    const posts = new Map<string, PublishedPost[]>();
    for (const text of texts) {
      const key = `x ${text.split(" ")[0]}`;
      const media = text.startsWith("mt1") && !text.endsWith("bare") ? [{ sha256: "a" }] : [];
      posts.set(key, [...(posts.get(key) ?? []), { ...PUBLISHED, id: text, text, media }]);
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
    storyPlatforms: [],
    document: null,
    cover: null,
    postId: "1",
    cancellation: "none",
    successfulConfirms: 1,
  } as const;
  const invariantsOf = (
    extras: Readonly<Record<string, number>>,
    told: "published" | "failed" | "unconfirmed" = "published",
    isThere = true,
  ) => {
    const found = [{ ...PUBLISHED, id: "v", text: "m one" }];
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

describe("the check of posts with a format of their own", () => {
  const post: ExpectedPost = {
    marker: "m",
    apiKey: "",
    platforms: ["instagram"],
    kind: "image",
    media: ["file"],
    parts: [],
    threadPlatforms: [],
    comment: null,
    commentPlatforms: [],
    playlists: [],
    storyPlatforms: [],
    document: null,
    cover: null,
    postId: "1",
    versions: [{ text: "m one", dueAt: 0, confirmation: "confirmed" }],
    cancellation: "none",
    successfulConfirms: 1,
  };
  /** What both checks find when the platform of the post has published these. */
  const violationsOf = async (expected: ExpectedPost, ...published: readonly Partial<PublishedPost>[]) => {
    const [platform = ""] = expected.platforms;
    vi.stubGlobal("fetch", () =>
      Promise.resolve(Response.json({ posts: published.map((one) => ({ ...PUBLISHED, ...one })) })),
    );
    const posts = await readPublishedPosts(new ApiClient("http://localhost:1"), [platform]);
    return [
      ...findPlatformViolations(expected, posts),
      ...findInventedFiles([expected], { posts, extras: new Map() }),
    ].map(({ invariant }) => invariant);
  };

  test.each(["instagram", "facebook"])(
    "a story at %s that is doubled, wrong, early, cancelled or invented is a violation",
    async (platform) => {
      const story: ExpectedPost = { ...post, platforms: [platform], storyPlatforms: [platform] };
      const published = { kind: "story", text: "", media: [{ sha256: "file" }] };
      expect(await violationsOf(story, published)).toEqual([]);
      expect(await violationsOf(story)).toEqual([]);
      expect(await violationsOf(story, published, { ...published, id: "2" })).toEqual(["I1"]);
      expect(await violationsOf({ ...story, cancellation: "confirmed" }, published)).toEqual(["I3"]);
      expect(await violationsOf(story, { ...published, text: "m one" })).toEqual(["I4"]);
      expect(await violationsOf(story, { ...published, kind: "image", text: "m one" })).toEqual(["I4"]);
      expect(await violationsOf(story, { ...published, media: [{ sha256: "other" }] })).toEqual(["I4"]);
      expect(await violationsOf({ ...story, storyPlatforms: [] }, published)).toEqual(["I4"]);
      const early = Date.parse(PUBLISHED.accepted_at) + 1;
      const later: ExpectedPost = { ...story, versions: [{ text: "m one", dueAt: early, confirmation: "confirmed" }] };
      expect(await violationsOf(later, published)).toEqual(["I5"]);
    },
  );

  test("a story at instagram may be reported by its container, without a URL, but not by the id of another", () => {
    const story: ExpectedPost = { ...post, storyPlatforms: ["instagram"] };
    const published = { ...PUBLISHED, kind: "story", text: "", media: [{ sha256: "file" }] };
    const other = { ...published, id: "2", media: [{ sha256: "other" }] };
    const posts = new Map([
      ["instagram story file", [published]],
      ["instagram story other", [other]],
    ]);
    const isTrue = (id: string, url: string | null, all: typeof posts = posts) =>
      isReportedTruly(story, { platform: "instagram", platform_post_id: id, platform_post_url: url }, all);
    expect(isTrue("1", "https://www.instagram.com/stories/ada/1")).toBe(true);
    expect(isTrue("container", null)).toBe(true);
    expect(isTrue("container", "https://www.instagram.com/stories/ada/container")).toBe(false);
    expect(isTrue("2", "https://www.instagram.com/stories/ada/2")).toBe(false);
    expect(isTrue("2", null)).toBe(false);
    expect(isTrue("container", null, new Map())).toBe(false);
    expect(
      isReportedTruly(post, { platform: "instagram", platform_post_id: "container", platform_post_url: null }, posts),
    ).toBe(false);
  });

  test("a document that is doubled, wrong, missing from its post or invented is a violation", async () => {
    const handbook = { title: "Handbook", sha256: "pdf" };
    const withDocument: ExpectedPost = {
      ...post,
      platforms: ["linkedin"],
      kind: "text",
      media: [],
      document: handbook,
    };
    const published = { kind: "document", title: "Handbook", media: [{ sha256: "pdf" }] };
    expect(await violationsOf(withDocument, published)).toEqual([]);
    expect(await violationsOf(withDocument, published, { ...published, id: "2" })).toEqual(["I1"]);
    expect(await violationsOf(withDocument, {})).toEqual(["I4"]);
    expect(await violationsOf(withDocument, { ...published, title: "Another" })).toEqual(["I4"]);
    expect(await violationsOf(withDocument, { ...published, media: [{ sha256: "other" }] })).toEqual(["I4", "I4"]);
    expect(
      await violationsOf(withDocument, published, { ...published, text: "n two", media: [{ sha256: "x" }] }),
    ).toEqual(["I4"]);
    expect(await violationsOf({ ...withDocument, document: null }, published)).toEqual(["I4", "I4"]);
  });

  test("a cover that is doubled, wrong, invented, without its video or other than the API says is a violation", () => {
    const video: ExpectedPost = { ...post, platforms: ["facebook"], kind: "video", cover: "picture" };
    const posts = new Map([["facebook m", [{ ...PUBLISHED, id: "v" }]]]);
    const violationsWith = (
      covers: Readonly<Record<string, number>>,
      told: "published" | "failed" | "unconfirmed" = "published",
      expected = video,
    ) => {
      const extras = new Map(Object.entries(covers).map(([key, count]) => [`facebook cover ${key}`, count]));
      const target = { extras: { cover: { status: told } } };
      return [
        ...findExtraViolations(expected, "facebook", target, { posts, extras }),
        ...findInventedFiles([expected], { posts, extras }),
      ].map(({ invariant }) => invariant);
    };
    expect(violationsWith({ "v picture": 1 })).toEqual([]);
    expect(violationsWith({ "v picture": 1 }, "unconfirmed")).toEqual([]);
    expect(violationsWith({}, "failed")).toEqual([]);
    expect(violationsWith({ "v picture": 2 })).toEqual(["I1"]);
    expect(violationsWith({ "v other": 1 })).toEqual(["I4"]);
    expect(violationsWith({ "v picture": 1 }, "published", { ...video, cover: null })).toEqual(["I4"]);
    expect(violationsWith({})).toEqual(["I6"]);
    expect(violationsWith({ "v picture": 1 }, "failed")).toEqual(["I6"]);
    expect(violationsWith({ "v picture": 1, "gone picture": 1 })).toEqual(["I14"]);
  });

  test("a first comment of a page at LinkedIn that is there twice is a violation", () => {
    const commented: ExpectedPost = {
      ...post,
      platforms: ["linkedin"],
      comment: "mc one",
      commentPlatforms: ["linkedin"],
    };
    const published = (count: number) => ({
      posts: new Map([["linkedin m", [PUBLISHED]]]),
      extras: new Map([["linkedin mc", count]]),
    });
    const target = { extras: { first_comment: { status: "published" } } };
    expect(findExtraViolations(commented, "linkedin", target, published(1))).toEqual([]);
    expect(findExtraViolations(commented, "linkedin", target, published(2))).toMatchObject([{ invariant: "I1" }]);
  });
});

test("first comments at LinkedIn are asked of a page only", async () => {
  const accounts = [
    { id: "member", platform_account_id: "urn:li:person:1" },
    { id: "page", platform_account_id: "urn:li:organization:2" },
  ];
  const rules = { ...rulesOf("linkedin"), options: { properties: { first_comment: {} } } };
  vi.stubGlobal("fetch", (url: string) =>
    Promise.resolve(Response.json(url.endsWith("/platforms") ? { platforms: [rules] } : { api_key: "key", accounts })),
  );
  const create = (asPage: boolean) => createSandboxUser(new ApiClient("http://localhost:1"), "", ["linkedin"], asPage);
  const [member, page] = [await create(false), await create(true)];
  expect([member, page].map(({ platforms }) => platforms.get("linkedin")?.accountId)).toEqual(["member", "page"]);
  expect([member, page].map((created) => takesOption(created, "linkedin", "first_comment"))).toEqual([false, true]);
});
